/// One line of the log.
package struct LogRecord: Codable, Hashable, Sendable {
    /// RFC 3339.
    package var time: String
    /// `debug`, `info`, `warning`, `error`.
    package var level: String
    /// The part that says it.
    package var source: String
    /// What it says.
    package var message: String

    /// A line from its parts.
    package init(time: String, level: String, source: String, message: String) {
        self.time = time
        self.level = level
        self.source = source
        self.message = message
    }
}

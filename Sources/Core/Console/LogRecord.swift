/// One line of the log.
package struct LogRecord: Codable, Hashable, Sendable {
    /// RFC 3339.
    package var time: String
    /// `debug`, `info`, `warning`, `error`.
    package var level: String
    /// What it says.
    package var message: String

    /// A line from its parts.
    package init(time: String, level: String, message: String) {
        self.time = time
        self.level = level
        self.message = message
    }
}

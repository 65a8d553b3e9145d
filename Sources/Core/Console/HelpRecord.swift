/// What `help` tells.
package struct HelpRecord: Codable, Hashable, Sendable {
    /// Text in lines.
    package var help: String

    /// A help text.
    package init(help: String) {
        self.help = help
    }
}

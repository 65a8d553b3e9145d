/// What `check-config` says about a good file.
package struct ConfigurationRecord: Codable, Hashable, Sendable {
    /// The file.
    package var file: String
    /// True: a refused file ends in an error instead.
    package var valid: Bool

    /// A good file.
    package init(file: String) {
        self.file = file
        valid = true
    }
}

/// A configuration with what its owner changed while the camera runs.
package struct Settings: Hashable, Sendable {
    /// The configuration as the file has it.
    package private(set) var base: CameraConfiguration
    /// What was changed, by path.
    package private(set) var changes: [String: ConfigurationValue] = [:]
    /// What the command line gave for this run, by path: it holds over file and changes, and is not stored.
    package private(set) var overrides: [String: ConfigurationValue]

    /// Settings with nothing changed.
    package init(base: CameraConfiguration, overrides: [String: ConfigurationValue] = [:]) {
        self.base = base
        self.overrides = overrides
    }

    /// The configuration to go by.
    package var configuration: CameraConfiguration {
        base.setting(changes).setting(overrides)
    }

    /// Changes one setting to what a person typed, also over what the command line gave.
    ///
    /// - Throws: when there is no such key, it cannot be changed while the camera runs, or it does not take that.
    package mutating func set(_ path: String, to text: String) throws(ConfigurationError) {
        let key = try base.schema.existingKey(path)
        guard key.isSettable else {
            throw ConfigurationError([
                .init(
                    file: nil, line: nil, key: path,
                    message: "\(path) can only be changed in the configuration file")
            ])
        }
        changes[path] = try base.schema.value(typed: text, for: key)
        overrides[path] = nil
    }

    /// Takes back the change of one setting; one that was not changed stays as it is.
    ///
    /// - Throws: when there is no such key.
    package mutating func reset(_ path: String) throws(ConfigurationError) {
        let key = try base.schema.existingKey(path)
        changes[key.path] = nil
    }

    /// Takes back all changes.
    package mutating func resetAll() {
        changes = [:]
    }

    /// Goes on with another configuration file, keeping the changes.
    package mutating func rebase(onto base: CameraConfiguration) {
        self.base = base
    }

    /// The present value of one setting as text; empty when it is not set.
    ///
    /// - Throws: when there is no such key.
    package func text(of path: String) throws(ConfigurationError) -> String {
        try base.schema.existingKey(path).value(in: configuration)?.plainText ?? ""
    }

    /// Puts back a change that was stored.
    mutating func restore(_ value: ConfigurationValue, of key: ConfigurationKey) {
        changes[key.path] = value
    }
}

/// The keys that a configuration may have: those of the camera itself and those that doors add.
package struct ConfigurationSchema: Sendable {
    /// Every key, group by group, in the order of the reference and of `pinhole get`.
    package let keys: [ConfigurationKey]
    /// Clients that doors bring, with what holds for them while the configuration does not name them.
    package let clients: [ConfiguredClient]

    /// The camera's own keys alone.
    package static let core = ConfigurationSchema()

    /// A schema with keys and clients of doors; without any it has the camera's own keys.
    ///
    /// - Parameter keys: keys of one group stand together. Their paths are not the camera's own.
    package init(adding keys: [ConfigurationKey] = [], clients: [ConfiguredClient] = []) {
        self.keys = ConfigurationKey.first + keys + ConfigurationKey.last
        self.clients = clients
    }

    /// The key of a path; nil when there is none.
    package func key(_ path: String) -> ConfigurationKey? { keys.first { $0.path == path } }

    /// Reads settings that were typed as `KEY=VALUE`, as on the command line.
    ///
    /// - Returns: the values by path; of two for one key the later.
    /// - Throws: when there is no such key, or it does not take the value.
    package func values(
        of assignments: [(key: String, value: String)]
    ) throws(ConfigurationError) -> [String: ConfigurationValue] {
        var values: [String: ConfigurationValue] = [:]
        for assignment in assignments {
            values[assignment.key] = try value(typed: assignment.value, for: try existingKey(assignment.key))
        }
        return values
    }

    func existingKey(_ path: String) throws(ConfigurationError) -> ConfigurationKey {
        guard let key = key(path) else { throw ConfigurationError([.unknown(path, among: keys)]) }
        return key
    }

    func value(typed text: String, for key: ConfigurationKey) throws(ConfigurationError) -> ConfigurationValue {
        if let value = key.accepted(typed: text) { return value }
        let message =
            "\(key.path) cannot be \(ConfigurationValue.text(text).fileText), expected \(key.expectation)"
        throw ConfigurationError([.init(file: nil, line: nil, key: key.path, message: message)])
    }
}

extension ConfigurationSchema: Hashable {
    /// Schemas are equal when they have the same paths and clients: a path means one key in one program.
    package static func == (left: ConfigurationSchema, right: ConfigurationSchema) -> Bool {
        left.clients == right.clients && left.keys.map(\.path) == right.keys.map(\.path)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(keys.count)
        hasher.combine(clients)
    }
}

extension CameraConfiguration {
    /// The name of the list of clients.
    static let clientsName = "clients"

    private static let listExpectation = "a list of groups ( { name = …; purpose = …; }, … )"
    /// Clients that the camera itself is.
    private static let builtIn: Set = ["shutter", "console"]

    /// Reads the list of clients; what is wrong with it goes to `problems`.
    static func clients(
        in list: ConfigurationFile.Setting, schema: ConfigurationSchema, file: String,
        _ problems: inout [ConfigurationError.Problem]
    ) -> [ConfiguredClient] {
        guard case .list(let elements) = list.content else {
            problems.append(
                .init(
                    file: file, line: list.line, key: clientsName,
                    message: "\(clientsName) is \(describe(list.content)), expected \(listExpectation)"))
            return []
        }
        // The keys of a client write to the last one of a configuration.
        var read = CameraConfiguration()
        for element in elements {
            guard case .group(let members) = element.content else {
                problems.append(
                    .init(
                        file: file, line: element.line, key: clientsName,
                        message: "\(clientsName) has \(describe(element.content)), expected \(listExpectation)"))
                continue
            }
            let known = Set(read.clients.map(\.name))
            read.clients.append(ConfiguredClient())
            let given = take(members, into: &read, file: file, &problems)
            for key in ConfigurationKey.ofClient where key.isRequiredOfClient && !given.contains(key.path) {
                problems.append(
                    .init(
                        file: file, line: element.line, key: key.path,
                        message: "\(key.path) is missing, expected \(key.expectation)"))
            }
            guard let client = read.clients.last, !client.name.isEmpty else { continue }
            if known.contains(client.name) || builtIn.contains(client.name) {
                let reason = known.contains(client.name) ? "is given twice" : "is built in; choose another name"
                problems.append(
                    .init(
                        file: file, line: element.line, key: "clients.name", message: "client \(client.name) \(reason)"
                    ))
            }
            if !given.contains("clients.on_hold"), let own = schema.clients.first(where: { $0.name == client.name }) {
                read.clients[read.clients.count - 1].onHold = own.onHold
            }
        }
        return read.clients
    }

    /// Reads one client's settings; returns the paths that were given, right or wrong.
    private static func take(
        _ members: [ConfigurationFile.Setting], into read: inout CameraConfiguration, file: String,
        _ problems: inout [ConfigurationError.Problem]
    ) -> Set<String> {
        var given: Set<String> = []
        for member in members {
            let path = clientsName + "." + member.name
            given.insert(path)
            guard let key = ConfigurationKey.ofClient.first(where: { $0.path == path }) else {
                problems.append(.unknown(path, in: file, line: member.line, among: ConfigurationKey.ofClient))
                continue
            }
            if let value = value(of: member, path: path, for: key, file: file, &problems) {
                key.put(value, into: &read)
            }
        }
        return given
    }
}

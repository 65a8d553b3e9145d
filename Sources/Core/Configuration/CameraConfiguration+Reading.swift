import Glibc
import Platform

extension CameraConfiguration {
    /// Reads a configuration file; what it does not name stays as `base` has it.
    ///
    /// - Throws: every unknown key, wrong type and value out of range, or the first place that is no configuration.
    /// - Blocking: reads the file.
    package static func load(
        path: String, over base: CameraConfiguration = CameraConfiguration(), files: any FileOperations
    ) throws(ConfigurationError) -> CameraConfiguration {
        try parse(read(path, files), over: base, file: path)
    }

    /// Reads a configuration from a file's bytes; `file` is the name said in problems.
    package static func parse(
        _ bytes: [UInt8], over base: CameraConfiguration = CameraConfiguration(), file: String
    ) throws(ConfigurationError) -> CameraConfiguration {
        var configuration = base
        let contents = try contents(of: bytes, schema: base.schema, file: file)
        for (key, value) in contents.values { key.put(value, into: &configuration) }
        if let clients = contents.clients { configuration.clients = clients }
        return configuration
    }

    static func read(_ path: String, _ files: any FileOperations) throws(ConfigurationError) -> [UInt8] {
        do {
            return try files.read(path, limit: ConfigurationText.limit)
        } catch {
            let message =
                switch error.code {
                case EFBIG: "the file is longer than \(ConfigurationText.limit) bytes"
                case EINVAL, EISDIR: "it is not a regular file"
                default: "it cannot be read: \(error.reason)"
                }
            throw ConfigurationError([.init(file: path, line: nil, key: nil, message: message)])
        }
    }

    /// What a file holds.
    struct Contents {
        /// The settings accepted so far, in the order of the file.
        var values: [(key: ConfigurationKey, value: ConfigurationValue)] = []
        /// The clients; nil when the file says nothing of them.
        var clients: [ConfiguredClient]?
    }

    /// Reads a file whole.
    static func contents(
        of bytes: [UInt8], schema: ConfigurationSchema, file: String
    ) throws(ConfigurationError) -> Contents {
        if let fault = ConfigurationText.fault(in: bytes) {
            throw ConfigurationError([.init(file: file, line: fault.line, key: nil, message: fault.message)])
        }
        var contents = Contents()
        var problems: [ConfigurationError.Problem] = []
        for setting in try ConfigurationFile.parse(bytes, file: file).settings() {
            if setting.name == clientsName {
                contents.clients = clients(in: setting, schema: schema, file: file, &problems)
                continue
            }
            guard case .group(let members) = setting.content else {
                problems.append(noGroup(setting, schema, in: file))
                continue
            }
            for member in members {
                let path = setting.name + "." + member.name
                guard let key = schema.key(path) else {
                    problems.append(.unknown(path, in: file, line: member.line, among: schema.keys))
                    continue
                }
                if let value = value(of: member, path: path, for: key, file: file, &problems) {
                    contents.values.append((key, value))
                }
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
        return contents
    }

    /// The value of a setting as its key takes it; nil, and a problem, when it does not.
    static func value(
        of setting: ConfigurationFile.Setting, path: String, for key: ConfigurationKey, file: String,
        _ problems: inout [ConfigurationError.Problem]
    ) -> ConfigurationValue? {
        if case .value(let given) = setting.content, let value = key.accepted(given) { return value }
        problems.append(
            .init(
                file: file, line: setting.line, key: path,
                message: "\(path) is \(describe(setting.content)), expected \(key.expectation)"))
        return nil
    }

    private static func noGroup(
        _ setting: ConfigurationFile.Setting, _ schema: ConfigurationSchema, in file: String
    ) -> ConfigurationError.Problem {
        let isGroup = schema.keys.contains { $0.group == setting.name }
        guard isGroup else { return .unknown(setting.name, in: file, line: setting.line, among: schema.keys) }
        return .init(
            file: file, line: setting.line, key: setting.name,
            message: "\(setting.name) is \(describe(setting.content)), expected a group { … }")
    }

    /// What a setting holds, as the middle of "… is …, expected …".
    static func describe(_ content: ConfigurationFile.Content) -> String {
        switch content {
        case .value(let value):
            let text = value.fileText
            return text.count <= 60 ? text : text.prefix(60) + "…"
        case .group: return "a group"
        case .list: return "a list"
        case .other(let name): return name
        }
    }
}

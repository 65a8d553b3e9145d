import Glibc
import Platform

extension CameraConfiguration {
    /// Reads a configuration file; what it does not name keeps its default.
    ///
    /// - Throws: every unknown key, wrong type and value out of range, or the first place that is no configuration.
    /// - Blocking: reads the file.
    package static func load(path: String, files: any FileOperations) throws(ConfigurationError) -> CameraConfiguration
    {
        try parse(read(path, files), file: path)
    }

    /// Reads a configuration from a file's bytes; `file` is the name said in problems.
    package static func parse(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> CameraConfiguration {
        var configuration = CameraConfiguration()
        for (key, value) in try values(in: bytes, file: file) {
            key.put(value, into: &configuration)
        }
        return configuration
    }

    static func read(_ path: String, _ files: any FileOperations) throws(ConfigurationError) -> [UInt8] {
        do {
            return try files.read(path, limit: ConfigurationText.limit)
        } catch {
            let message =
                switch error.code {
                case EFBIG: "the file is longer than \(ConfigurationText.limit) bytes"
                case EINVAL, EISDIR: "it is not a file with settings"
                default: "it cannot be read: \(error.reason)"
                }
            throw ConfigurationError([.init(file: path, line: nil, key: nil, message: message)])
        }
    }

    /// The accepted settings of a file.
    static func values(
        in bytes: [UInt8], file: String
    ) throws(ConfigurationError) -> [(key: ConfigurationKey, value: ConfigurationValue)] {
        if let fault = ConfigurationText.fault(in: bytes) {
            throw ConfigurationError([.init(file: file, line: fault.line, key: nil, message: fault.message)])
        }
        var values: [(key: ConfigurationKey, value: ConfigurationValue)] = []
        var problems: [ConfigurationError.Problem] = []
        for setting in try ConfigurationFile.parse(bytes, file: file).settings() {
            guard let key = ConfigurationKey.named(setting.path) else {
                problems.append(unknown(setting, in: file))
                continue
            }
            if case .value(let given) = setting.content, let value = key.accepted(given) {
                values.append((key, value))
            } else {
                let given = describe(setting.content)
                problems.append(
                    .init(
                        file: file, line: setting.line, key: key.path,
                        message: "\(key.path) is \(given), expected \(key.expectation)"))
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
        return values
    }

    private static func unknown(_ setting: ConfigurationFile.Setting, in file: String) -> ConfigurationError.Problem {
        let isGroup = ConfigurationKey.all.contains { $0.group == setting.path }
        guard isGroup else { return .unknown(setting.path, in: file, line: setting.line) }
        return .init(
            file: file, line: setting.line, key: setting.path,
            message: "\(setting.path) is \(describe(setting.content)), expected a group { … }")
    }

    private static func describe(_ content: ConfigurationFile.Content) -> String {
        switch content {
        case .value(let value):
            let text = value.fileText
            return text.count <= 60 ? text : text.prefix(60) + "…"
        case .other(let name):
            return name
        }
    }
}

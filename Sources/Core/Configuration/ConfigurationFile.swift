import CConfig

/// A text parsed by libconfig.
///
/// - Ownership: frees libconfig's tree when it goes; what it returned before is a copy.
struct ConfigurationFile: ~Copyable {
    /// What a setting holds.
    indirect enum Content {
        case value(ConfigurationValue)
        case group([Setting])
        case list([Setting])
        /// Another thing no key takes, by a person's name for it.
        case other(String)
    }

    /// One setting; the elements of a list have no name.
    struct Setting {
        let name: String
        let line: Int
        let content: Content
    }

    /// libconfig's settings point back at this, so it must not move.
    private let tree: UnsafeMutablePointer<config_t>

    private init() {
        tree = .allocate(capacity: 1)
        config_init(tree)
    }

    /// Parses a text that `ConfigurationText` found no fault in.
    ///
    /// - Throws: the first place that libconfig does not understand.
    static func parse(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> ConfigurationFile {
        let parsed = ConfigurationFile()
        let text = bytes.map { CChar(bitPattern: $0) } + [0]
        guard config_read_string(parsed.tree, text) == CONFIG_TRUE else {
            let reason = parsed.tree.pointee.error_text.map { String(cString: $0) } ?? ""
            let message =
                reason.hasPrefix("duplicate")
                ? "this setting is given twice" : "not understood; a setting is written name = value;"
            throw ConfigurationError([
                .init(file: file, line: Int(parsed.tree.pointee.error_line), key: nil, message: message)
            ])
        }
        return parsed
    }

    deinit {
        config_destroy(tree)
        tree.deallocate()
    }

    /// The settings that stand in no group, in the order of the file.
    func settings() -> [Setting] {
        tree.pointee.root.map { Self.members(of: $0) } ?? []
    }

    /// What a group or a list holds. `ConfigurationText` keeps the depth of brackets small.
    private static func members(of group: UnsafeMutablePointer<config_setting_t>) -> [Setting] {
        (0..<max(0, config_setting_length(group))).compactMap { index in
            config_setting_get_elem(group, UInt32(index)).map {
                Setting(name: name(of: $0), line: Int($0.pointee.line), content: content(of: $0))
            }
        }
    }

    private static func name(of setting: UnsafeMutablePointer<config_setting_t>) -> String {
        setting.pointee.name.map { String(cString: $0) } ?? ""
    }

    private static func content(of setting: UnsafeMutablePointer<config_setting_t>) -> Content {
        switch Int32(setting.pointee.type) {
        case CONFIG_TYPE_INT:
            return .value(.integer(Int(config_setting_get_int(setting))))
        case CONFIG_TYPE_INT64:
            return .value(.integer(Int(clamping: config_setting_get_int64(setting))))
        case CONFIG_TYPE_FLOAT:
            return .value(.number(config_setting_get_float(setting)))
        case CONFIG_TYPE_BOOL:
            return .value(.flag(config_setting_get_bool(setting) == CONFIG_TRUE))
        case CONFIG_TYPE_STRING:
            let text = config_setting_get_string(setting).map { String(validatingCString: $0) }
            return text.flatMap { $0 }.map { .value(.text($0)) } ?? .other("text that is not UTF-8")
        case CONFIG_TYPE_GROUP:
            return .group(members(of: setting))
        case CONFIG_TYPE_LIST:
            return .list(members(of: setting))
        default:
            return .other("a list")
        }
    }
}

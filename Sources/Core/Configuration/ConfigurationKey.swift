import Platform

/// One thing an owner can set: its name, what it may be, and where its value is in `CameraConfiguration`.
package struct ConfigurationKey: Sendable {
    /// What a value may be.
    package enum Kind: Hashable, Sendable {
        /// A whole number in a range, or 0 with a meaning of its own.
        case integer(ClosedRange<Int>, zero: String?)
        /// A number in a range.
        case number(ClosedRange<Double>)
        /// `true` or `false`; a person may also type `on`, `off`, `yes` or `no`.
        case flag
        /// At most so many bytes of printable UTF-8.
        case text(limit: Int)
        /// One of these words.
        case choice([String])
        /// The name of a time zone.
        case zone
        /// An address and a port, or nothing.
        case listenAddress
        /// The name of a client of the library, such as `usb`.
        case clientName
        /// A sentence that says why a client asks.
        case purpose
    }

    /// Dotted path: `photo.quality` is `quality` in the group `photo`.
    package let path: String
    /// What it may be.
    package let kind: Kind
    /// The unit of its number, if it has one.
    package let unit: String?
    /// Whether `pinhole set` may change it while the camera runs.
    package let isSettable: Bool
    /// What it does, in one sentence.
    package let documentation: String
    /// What stands in the default file for a key that has no default.
    package let example: ConfigurationValue?
    private let read: @Sendable (CameraConfiguration) -> ConfigurationValue?
    private let write: @Sendable (inout CameraConfiguration, ConfigurationValue) -> Void

    init(
        _ path: String, _ kind: Kind, unit: String? = nil, settable: Bool, example: ConfigurationValue? = nil,
        _ documentation: String, read: @escaping @Sendable (CameraConfiguration) -> ConfigurationValue?,
        write: @escaping @Sendable (inout CameraConfiguration, ConfigurationValue) -> Void
    ) {
        self.path = path
        self.kind = kind
        self.unit = unit
        isSettable = settable
        self.documentation = documentation
        self.example = example
        self.read = read
        self.write = write
    }

    /// A key that a door adds. `CameraConfiguration` gives its value by the key.
    ///
    /// - Parameters:
    ///   - path: group and name, with a dot between them.
    ///   - value: what holds while it is not set; nil for nothing, which needs an example for the default file.
    ///   - documentation: one sentence.
    package init(
        _ path: String, _ kind: Kind, default value: ConfigurationValue?, unit: String? = nil, settable: Bool = false,
        example: ConfigurationValue? = nil, _ documentation: String
    ) {
        self.init(
            path, kind, unit: unit, settable: settable, example: example, documentation,
            read: { $0.added[path] ?? value }, write: { $0.added[path] = $1 == value ? nil : $1 })
    }

    /// The group, the part before the dot.
    package var group: String { String(path.prefix { $0 != "." }) }

    /// The name within the group.
    package var name: String { String(path.drop { $0 != "." }.dropFirst()) }

    /// The value while the key is not set; nil when there is no default.
    package var defaultValue: ConfigurationValue? { read(CameraConfiguration()) }

    /// The value in a configuration; nil when it is not set and has no default.
    package func value(in configuration: CameraConfiguration) -> ConfigurationValue? { read(configuration) }

    /// Puts a value that `accepted` has returned into a configuration.
    func put(_ value: ConfigurationValue, into configuration: inout CameraConfiguration) {
        write(&configuration, value)
    }
}

extension ConfigurationKey {
    /// What a value may be, as the end of "expected …".
    package var expectation: String {
        switch kind {
        case .integer(let range, nil): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .integer(let range, let zero?):
            "a whole number from \(range.lowerBound) to \(range.upperBound), or 0 for \(zero)"
        case .number(let range): "a number from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
        case .flag: "true or false"
        case .text(let limit): "text of at most \(limit) bytes without control characters"
        case .choice(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        case .zone: "a time zone such as Europe/Zurich, or empty for the system's time zone"
        case .listenAddress: "an address and a port such as 127.0.0.1:15740, or empty"
        case .clientName: "1 to 64 of the characters a-z 0-9 . _ : -"
        case .purpose: "1 to 200 printable characters that say why it needs access"
        }
    }

    /// The value as this key takes it, or nil when it does not. A whole number is also taken where a fraction may be.
    package func accepted(_ value: ConfigurationValue) -> ConfigurationValue? {
        switch (kind, value) {
        case (.integer(let range, let zero), .integer(let integer)):
            range.contains(integer) || (integer == 0 && zero != nil) ? value : nil
        case (.number(let range), .integer(let integer)):
            range.contains(Double(integer)) ? .number(Double(integer)) : nil
        case (.number(let range), .number(let number)):
            range.contains(number) ? value : nil
        case (.flag, .flag):
            value
        case (.text(let limit), .text(let text)):
            text.utf8.count <= limit && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                ? value : nil
        case (.choice(let words), .text(let text)):
            words.contains(text) ? value : nil
        case (.zone, .text(let text)):
            Self.isZoneName(text) ? value : nil
        case (.listenAddress, .text(let text)):
            text.isEmpty || ListenAddress(text) != nil ? value : nil
        case (.clientName, .text(let text)):
            Self.isClientName(text) ? value : nil
        case (.purpose, .text(let text)):
            Self.isPurpose(text) ? value : nil
        default:
            nil
        }
    }

    /// Reads what a person typed; nil when it is not what this key takes.
    package func accepted(typed text: String) -> ConfigurationValue? {
        switch kind {
        case .integer: Int(text).flatMap { accepted(.integer($0)) }
        case .number: Double(text).flatMap { accepted(.number($0)) }
        case .flag:
            switch text {
            case "true", "on", "yes": .flag(true)
            case "false", "off", "no": .flag(false)
            default: nil
            }
        case .text, .choice, .zone, .listenAddress, .clientName, .purpose: accepted(.text(text))
        }
    }

    private static func short(_ number: Double) -> String {
        Int(exactly: number).map { String($0) } ?? String(number)
    }

    private static func isClientName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "._:-".utf8.contains(byte)
                }
            }
    }

    /// Blanks alone say nothing.
    private static func isPurpose(_ text: String) -> Bool {
        (1...200).contains(text.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            && text.contains { !$0.isWhitespace }
    }

    /// A name that stays inside the zone database's directory; whether it exists there is found when it is used.
    private static func isZoneName(_ text: String) -> Bool {
        if text.isEmpty { return true }
        return text.utf8.count <= 64
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                part.first?.isLetter ?? false
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                            UInt8(ascii: "-"):
                            true
                        default: false
                        }
                    }
            }
    }
}

/// A value as a file or a person gives it.
package enum ConfigurationValue: Hashable, Sendable {
    /// A whole number, in the unit of its key.
    case integer(Int)
    /// A number with a fraction.
    case number(Double)
    /// The words `true` and `false`.
    case flag(Bool)
    /// Text without its quotes, which also holds choices, zones, addresses and names.
    case text(String)

    /// As a person types it after `pinhole set KEY`, and as `pinhole get` shows it.
    package var plainText: String {
        switch self {
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .flag(let value): String(value)
        case .text(let value): value
        }
    }

    /// As it is written in a configuration file. Control characters, which no key takes, are escaped for the message.
    package var fileText: String {
        guard case .text(let text) = self else { return plainText }
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory == .control {
                quoted += scalar.escaped(asASCII: true)
            } else {
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
        }
        return "\"" + quoted + "\""
    }
}

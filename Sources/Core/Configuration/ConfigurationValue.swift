/// A value as a file or a person gives it.
package enum ConfigurationValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int)
    /// A number with a fraction.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// Text.
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

/// Text made safe for a terminal.
package enum TerminalText {
    /// The text with everything that could steer a terminal or reorder a line written as an escape: `\n`, `\u{1B}`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": safe += "\\n"
            case "\r": safe += "\\r"
            case "\t": safe += "\\t"
            case _ where steers(scalar): safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// True for control characters, line and paragraph separators, and the controls of writing direction.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}

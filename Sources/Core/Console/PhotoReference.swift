/// How a person names a photo: by its identifier or by its DCF number.
package enum PhotoReference: Hashable, Sendable, CustomStringConvertible {
    /// The asset's identifier: 32 hexadecimal digits, in lower case.
    case identifier(String)
    /// Directory and file number: 100…999 and 1…9999.
    case number(directory: Int, file: Int)

    /// Reads `100-0001` or an identifier.
    package init(_ text: String) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        if bytes.count == 32, bytes.allSatisfy(Self.isHexadecimal) {
            self = .identifier(text.lowercased())
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].utf8.count == 3, parts[1].utf8.count == 4,
            let directory = Self.digits(parts[0]), let file = Self.digits(parts[1]),
            (100...999).contains(directory), (1...9999).contains(file)
        {
            self = .number(directory: directory, file: file)
            return
        }
        throw .usage(
            "\"\(TerminalText.escaped(text))\" is no photo: give its number (100-0001) or its identifier (32 hexadecimal digits); `list` shows both."
        )
    }

    /// The reference as it is typed.
    package var description: String {
        switch self {
        case .identifier(let identifier): identifier
        case .number(let directory, let file):
            "\(directory)-" + String(repeating: "0", count: max(0, 4 - String(file).count)) + String(file)
        }
    }

    private static func digits(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
}

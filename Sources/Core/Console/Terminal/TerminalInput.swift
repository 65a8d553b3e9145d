/// What a terminal's bytes mean: characters, control characters and keys. Everything else is dropped.
///
/// Pure. Escape sequences are those of ECMA-48; strings for the terminal (OSC, DCS …) are skipped to their end.
struct TerminalInput: Sendable {
    /// One thing that was typed.
    enum Input: Hashable, Sendable {
        case character(Character)
        case control(UInt8)
        case key(Key)
    }

    /// The keys that edit a line.
    enum Key: Hashable, Sendable { case up, down, left, right, home, end, delete }

    private enum Escape {
        case none
        /// ESC was read; the rest of the sequence is still to come.
        case started
        /// ESC [ and the parameters so far.
        case sequence(parameters: [UInt8])
        /// ESC O, as keypads and some arrow keys begin.
        case single
        /// A string for the terminal.
        case text
    }

    private var escape = Escape.none
    private var partial: [UInt8] = []
    private var needed = 0

    /// Takes one byte; nil when it completes nothing.
    mutating func take(_ byte: UInt8) -> Input? {
        if byte == 0x1B {
            partial = []
            escape = .started
            return nil
        }
        if byte < 0x20 || byte == 0x7F {
            partial = []
            // BEL ends a string for the terminal and means nothing else; a line's end gives up an unfinished one.
            if case .text = escape, byte != 0x0D, byte != 0x0A {
                if byte == 0x07 { escape = .none }
                return nil
            }
            escape = .none
            return .control(byte)
        }
        switch escape {
        case .none: return character(byte)
        case .started:
            switch byte {
            case UInt8(ascii: "["): escape = .sequence(parameters: [])
            case UInt8(ascii: "O"): escape = .single
            case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
                escape = .text
            case 0x20...0x2F: break  // an intermediate byte: the final one follows
            default: escape = .none
            }
            return nil
        case .sequence(let parameters):
            if (0x40...0x7E).contains(byte) {
                escape = .none
                return Self.key(byte, parameters).map { .key($0) }
            }
            // No key has long parameters; the rest of such a sequence is skipped.
            if parameters.count < 8 { escape = .sequence(parameters: parameters + [byte]) }
            return nil
        case .single:
            escape = .none
            return Self.key(byte, []).map { .key($0) }
        case .text: return nil
        }
    }

    private static func key(_ final: UInt8, _ parameters: [UInt8]) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "~"):
            switch parameters {
            case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: .home
            case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: .end
            case [UInt8(ascii: "3")]: .delete
            default: nil
            }
        default: nil
        }
    }

    private mutating func character(_ byte: UInt8) -> Input? {
        switch byte {
        case 0x20..<0x80:
            partial = []
            return .character(Character(Unicode.Scalar(byte)))
        case 0x80..<0xC0:
            guard !partial.isEmpty else { return nil }
            partial.append(byte)
            guard partial.count == needed else { return nil }
            defer { partial = [] }
            // Overlong forms, surrogates and values past U+10FFFF come out as no scalar.
            guard let text = String(validating: partial, as: UTF8.self), let scalar = text.unicodeScalars.first,
                !TerminalText.steers(scalar)
            else { return nil }
            return .character(Character(scalar))
        case 0xC2..<0xF5:
            partial = [byte]
            needed = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return nil
        default:
            partial = []
            return nil
        }
    }
}

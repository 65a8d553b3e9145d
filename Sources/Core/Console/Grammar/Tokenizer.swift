/// Splits a command line into words, as a shell does without its expansions.
///
/// Words are separated by spaces and tabs. Single quotes keep everything; in double quotes a backslash keeps `"` and
/// `\`; elsewhere a backslash keeps the next character.
package enum Tokenizer {
    /// The words of a line, or a usage failure that says what is wrong with it.
    package static func words(_ line: String) throws(CommandFailure) -> [String] {
        var words: [String] = []
        var word: String?
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t":
                if let finished = word { words.append(finished) }
                word = nil
            case "\\":
                guard let kept = rest.popFirst() else {
                    throw .usage("The line ends with a backslash: remove it, or write two.")
                }
                word = (word ?? "") + String(kept)
            case "'", "\"":
                word = (word ?? "") + (try quoted(by: scalar, &rest))
            default:
                word = (word ?? "") + String(scalar)
            }
        }
        if let finished = word { words.append(finished) }
        return words
    }

    private static func quoted(
        by quote: Unicode.Scalar, _ rest: inout String.UnicodeScalarView.SubSequence
    ) throws(CommandFailure) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == quote { return String(text) }
            if scalar == "\\", quote == "\"", let next = rest.first, next == "\"" || next == "\\" {
                text.append(next)
                rest = rest.dropFirst()
            } else {
                text.append(scalar)
            }
        }
        throw .usage("A quote (\(quote)) is not closed: close it, or write \\\(quote) for the character itself.")
    }

    /// The line whose words are these, for sending a shell's arguments to the camera.
    ///
    /// - Throws: usage, when a word holds a control character, which no line can carry.
    package static func line(_ words: [String]) throws(CommandFailure) -> String {
        var parts: [String] = []
        for word in words {
            guard !word.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw .usage(
                    "\(TerminalText.escaped(word)) contains a control character, such as a line break: remove it.")
            }
            let isPlain = !word.isEmpty && word.utf8.allSatisfy { isPlainByte($0) }
            parts.append(
                isPlain
                    ? word
                    : "'"
                        + word.split(separator: "'", omittingEmptySubsequences: false)
                        .joined(separator: "'\\''") + "'")
        }
        return parts.joined(separator: " ")
    }

    private static func isPlainByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-_./:,()+=@%".utf8.contains(byte)
        }
    }
}

/// What is refused before libconfig sees a file, because libconfig would take it silently: numbers that do not fit (it
/// wraps them), other files read by `@include`, a comment that is never closed, bytes that are not text.
enum ConfigurationText {
    /// No configuration is longer, in bytes.
    static let limit = 65_536
    /// libconfig's parser calls itself for each bracket within a bracket.
    private static let depthLimit = 16

    /// The first fault of a text, or nil.
    static func fault(in bytes: [UInt8]) -> (line: Int, message: String)? {
        if bytes.count > limit { return (1, "the file is longer than \(limit) bytes") }
        var scanner = Scanner(bytes: bytes)
        return scanner.fault()
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0
        var line = 1
        var depth = 0
        /// True while only blanks came since the line's start.
        var isLineStart = true

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        func byte(_ offset: Int = 0) -> UInt8? {
            index + offset < bytes.count ? bytes[index + offset] : nil
        }

        mutating func step() {
            if byte() == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }

        mutating func fault() -> (line: Int, message: String)? {
            if let text = String(validating: bytes, as: UTF8.self) {
                if text.utf8.contains(0) { return (lineOfFirst(0), "the file contains a zero byte") }
            } else {
                return (1, "the file is not UTF-8 text")
            }
            while let current = byte() {
                switch current {
                case UInt8(ascii: "\n"):
                    step()
                    isLineStart = true
                    continue
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                    step()
                    continue
                case UInt8(ascii: "#"):
                    skipLine()
                case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                    skipLine()
                case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                    let start = line
                    if !skipBlockComment() { return (start, "this comment is not closed") }
                case UInt8(ascii: "\""):
                    let start = line
                    if !skipString() { return (start, "this text has no closing quotation mark") }
                case UInt8(ascii: "@") where isLineStart:
                    return (line, "@include is not supported; put all settings in one file")
                case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("):
                    depth += 1
                    if depth > depthLimit { return (line, "brackets are nested too deeply") }
                    step()
                case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"):
                    depth -= 1
                    step()
                default:
                    let word = takeWord()
                    if !word.isEmpty, !fits(word) {
                        return (line, "\(String(decoding: word.prefix(40), as: UTF8.self)) is too large a number")
                    }
                }
                isLineStart = false
            }
            return nil
        }

        private func lineOfFirst(_ wanted: UInt8) -> Int {
            1 + bytes.prefix { $0 != wanted }.count { $0 == UInt8(ascii: "\n") }
        }

        private mutating func skipLine() {
            while let current = byte(), current != UInt8(ascii: "\n") { step() }
        }

        private mutating func skipBlockComment() -> Bool {
            index += 2
            while let current = byte() {
                if current == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                    index += 2
                    return true
                }
                step()
            }
            return false
        }

        private mutating func skipString() -> Bool {
            step()
            while let current = byte() {
                step()
                if current == UInt8(ascii: "\"") { return true }
                if current == UInt8(ascii: "\\"), byte() != nil { step() }
            }
            return false
        }

        /// A run of characters that can make up a number or a name; one other character is passed over.
        private mutating func takeWord() -> ArraySlice<UInt8> {
            let start = index
            while let current = byte(), isWordByte(current) { index += 1 }
            if index == start { step() }
            return bytes[start..<max(start, min(index, bytes.count))]
        }

        private func isWordByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "*"):
                true
            default: false
            }
        }

        /// Whether a word that is a whole number fits into 32 bits, or 64 where it ends in L. Other words fit.
        private func fits(_ word: ArraySlice<UInt8>) -> Bool {
            var digits = word
            let isNegative = digits.first == UInt8(ascii: "-")
            if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
            let isLong = digits.last == UInt8(ascii: "L") || digits.last == UInt8(ascii: "l")
            while digits.last == UInt8(ascii: "L") || digits.last == UInt8(ascii: "l") { digits = digits.dropLast() }
            let isHexadecimal = digits.starts(with: Array("0x".utf8)) || digits.starts(with: Array("0X".utf8))
            if isHexadecimal { digits = digits.dropFirst(2) }
            let isNumber = !digits.isEmpty && digits.allSatisfy { hexadecimalDigit($0) < (isHexadecimal ? 16 : 10) }
            guard isNumber else { return true }
            let limit = isLong ? UInt64(Int64.max) : UInt64(Int32.max)
            let text = String(decoding: digits, as: UTF8.self)
            guard let value = UInt64(text, radix: isHexadecimal ? 16 : 10) else { return false }
            return value <= limit
        }

        private func hexadecimalDigit(_ byte: UInt8) -> Int {
            Character(Unicode.Scalar(byte)).hexDigitValue ?? 99
        }
    }
}

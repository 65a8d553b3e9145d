/// A photo's number on the card: directory 100…999 and file 1…9999 (JEITA CP-3461, DCF 2.0, 3.2).
package struct DCFNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Number of the directory, 100…999.
    package let directory: Int
    /// Number of the file in it, 1…9999.
    package let file: Int

    /// The last number there is.
    package static let last = DCFNumber(unchecked: 999, 9999)
    /// The free characters of our directories' names.
    package static let directoryLetters = "PINHL"
    /// The free characters of our files' names.
    package static let fileLetters = "PINH"

    private init(unchecked directory: Int, _ file: Int) {
        self.directory = directory
        self.file = file
    }

    /// The number of a file in a directory; nil outside 100 to 999 and 1 to 9999.
    package init?(directory: Int, file: Int) {
        guard (100...999).contains(directory), (1...9999).contains(file) else { return nil }
        self.init(unchecked: directory, file)
    }

    /// A number from its place in the catalog: `directory · 10000 + file`.
    package init?(position: Int64) {
        guard position >= 0, position < 10_000_000 else { return nil }
        self.init(directory: Int(position / 10000), file: Int(position % 10000))
    }

    /// Reads text such as `100-0001`; nil for any other form.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 8, bytes[3] == UInt8(ascii: "-"), let directory = Self.digits(bytes[0..<3]),
            let file = Self.digits(bytes[4..<8])
        else { return nil }
        self.init(directory: directory, file: file)
    }

    /// Orders numbers as they are given out, and is how the catalog stores them.
    package var position: Int64 { Int64(directory) * 10000 + Int64(file) }

    /// The number as people see it, such as `100-0001`.
    package var description: String { Self.padded(directory, 3) + "-" + Self.padded(file, 4) }

    /// The name of the directory in `DCIM`, such as `100PINHL`.
    package var directoryName: String { Self.directoryName(directory) }

    /// The file's name without extension, such as `PINH0001`.
    package var stem: String { Self.fileLetters + Self.padded(file, 4) }

    /// Our directory's name for a number.
    package static func directoryName(_ directory: Int) -> String { padded(directory, 3) + directoryLetters }

    /// The number in a directory's name, for any camera's DCF directory; nil for other names.
    package static func directoryNumber(_ name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.count == 8, let number = digits(bytes[0..<3]), number >= 100,
            bytes[3...].allSatisfy(isFreeCharacter)
        else { return nil }
        return number
    }

    /// The number in a file's name, for any camera's DCF file; nil for other names.
    package static func fileNumber(_ name: String) -> Int? {
        let bytes = Array(name.utf8)
        guard bytes.count >= 8, bytes.count == 8 || bytes[8] == UInt8(ascii: "."), let number = digits(bytes[4..<8]),
            number >= 1, bytes[0..<4].allSatisfy(isFreeCharacter)
        else { return nil }
        return number
    }

    /// The next number with at most `filesPerDirectory` files in a directory; nil after the last.
    package func successor(filesPerDirectory: Int) -> DCFNumber? {
        if file < min(filesPerDirectory, 9999) { return DCFNumber(unchecked: directory, file + 1) }
        return DCFNumber(directory: directory + 1, file: 1)
    }

    /// Orders by directory, then by file.
    package static func < (a: DCFNumber, b: DCFNumber) -> Bool { a.position < b.position }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func isFreeCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

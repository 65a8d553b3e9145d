import Platform

/// A name of eight and three characters in a directory (Microsoft FAT Specification, section 6.1).
struct FATName: Hashable, Sendable {
    private static let stemLength = 8
    private static let extensionLength = 3
    private static let space = UInt8(ascii: " ")

    /// The eleven bytes of an entry: stem and extension, each filled up with spaces.
    let bytes: [UInt8]

    /// A name that is one already, but for the case of its letters; nil for any other.
    init?(_ name: String) {
        let (stem, suffix) = Self.split(name)
        guard let stem = Self.exact(stem, Self.stemLength), !stem.isEmpty else { return nil }
        guard let suffix else {
            self.init(stem: stem, suffix: [])
            return
        }
        guard let suffix = Self.exact(suffix, Self.extensionLength), !suffix.isEmpty else { return nil }
        self.init(stem: stem, suffix: suffix)
    }

    /// What a name is shortened to, with a number that makes it unique: `LONGNA~1.JPG`.
    init(shortening name: String, number: Int) {
        let (stem, suffix) = Self.split(name)
        let tail = Array("~\(number)".utf8)
        var short = Self.lossy(stem, max(0, Self.stemLength - tail.count))
        if short.isEmpty { short = Array("FILE".utf8.prefix(max(0, Self.stemLength - tail.count))) }
        self.init(stem: short + tail, suffix: Self.lossy(suffix ?? "", Self.extensionLength))
    }

    /// Spaces at the end are no part of the parts, which may be too long for the field.
    private init(stem: [UInt8], suffix: [UInt8]) {
        bytes = Self.filled(stem, Self.stemLength) + Self.filled(suffix, Self.extensionLength)
    }

    /// A directory's entry for itself, and for its parent.
    static let itself = FATName(stem: [UInt8(ascii: ".")], suffix: [])
    static let parent = FATName(stem: [UInt8(ascii: "."), UInt8(ascii: ".")], suffix: [])

    /// The name of a volume, which may have spaces but no dot.
    static func label(_ text: String) -> FATName {
        let bytes = lossy(text[...], stemLength + extensionLength)
        return FATName(stem: Array(bytes.prefix(stemLength)), suffix: Array(bytes.dropFirst(stemLength)))
    }

    /// Stem and extension; no extension where there is no dot behind the first character.
    private static func split(_ name: String) -> (stem: Substring, suffix: Substring?) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name[...], nil) }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    private static func exact(_ part: Substring, _ length: Int) -> [UInt8]? {
        let bytes = part.utf8.map { capital($0) }
        guard bytes.count <= length, bytes.allSatisfy(isAllowed) else { return nil }
        return bytes
    }

    /// What is left of a part: no spaces and dots, and a line for what no short name can have.
    private static func lossy(_ part: Substring, _ length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in part.unicodeScalars {
            guard bytes.count < length else { break }
            guard scalar != " ", scalar != "." else { continue }
            let byte = scalar.isASCII ? capital(UInt8(truncatingIfNeeded: scalar.value)) : 0
            bytes.append(isAllowed(byte) ? byte : UInt8(ascii: "_"))
        }
        return bytes
    }

    private static func filled(_ part: [UInt8], _ length: Int) -> [UInt8] {
        let kept = part.prefix(length)
        return kept + [UInt8](repeating: space, count: length - kept.count)
    }

    private static func capital(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "$%'-_@~`!(){}^#&".utf8.contains(byte)
        }
    }
}

/// A local date and time as directory entries have it (Microsoft FAT Specification, section 6.3): from 1980 to 2107, in
/// steps of two seconds.
struct FATDate: Hashable, Comparable, Sendable {
    /// Year from 1980 in seven bits, month in four, day in five.
    let day: UInt16
    /// Hour in five bits, minute in six, half the second in five.
    let time: UInt16
    /// Hundredths of a second past the even second, 0…199.
    let hundredths: UInt8

    /// The first moment there is, which stands for one that is not known.
    static let unknown = FATDate(day: 0x21, time: 0, hundredths: 0)
    /// The last moment there is.
    private static let last = FATDate(day: 127 << 9 | 12 << 5 | 31, time: 23 << 11 | 59 << 5 | 29, hundredths: 199)

    private init(day: UInt16, time: UInt16, hundredths: UInt8) {
        (self.day, self.time, self.hundredths) = (day, time, hundredths)
    }

    /// The local time of a moment, the nearest there is.
    init(_ moment: WallTime?) {
        guard let moment else {
            self = .unknown
            return
        }
        // The fields as Exif has them, which is what every other door shows: YYYY:MM:DD HH:MM:SS.
        let fields = moment.exifDateTime.split { $0 == ":" || $0 == " " }.compactMap { UInt16($0) }
        guard fields.count == 6, fields[0] >= 1980 else {
            self = .unknown
            return
        }
        guard fields[0] <= 2107 else {
            self = .last
            return
        }
        let second = min(59, fields[5])
        let hundredths = UInt8(clamping: moment.subsecondNanoseconds / 10_000_000)
        self.init(
            day: (fields[0] - 1980) << 9 | fields[1] << 5 | fields[2],
            time: fields[3] << 11 | fields[4] << 5 | second / 2,
            hundredths: UInt8(second % 2) * 100 + min(99, hundredths))
    }

    /// True when the first date is earlier.
    static func < (a: FATDate, b: FATDate) -> Bool {
        (a.day, a.time, a.hundredths) < (b.day, b.time, b.hundredths)
    }
}

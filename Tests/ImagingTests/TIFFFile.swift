/// Writes TIFF files of every sort, right or wrong.
struct TIFFFile {
    /// The values of a tag.
    enum Value {
        case short([Int])
        case long([Int])
        case text(String)
    }

    private(set) var bytes: [UInt8]
    private let isLittleEndian: Bool

    init(isLittleEndian: Bool) {
        self.isLittleEndian = isLittleEndian
        bytes = isLittleEndian ? [0x49, 0x49, 42, 0] : [0x4d, 0x4d, 0, 42]
        bytes += [0, 0, 0, 0]
    }

    /// Adds bytes that stand for picture data; returns where they lie.
    mutating func data(_ count: Int) -> Int {
        bytes += [UInt8](repeating: 7, count: count)
        return bytes.count - count
    }

    /// Adds a directory; returns where it lies.
    mutating func directory(_ entries: [(tag: Int, value: Value)], next: Int = 0) -> Int {
        var fields: [UInt8] = number(entries.count, 2)
        for (tag, value) in entries {
            let (type, count, content) =
                switch value {
                case .short(let values): (3, values.count, values.flatMap { number($0, 2) })
                case .long(let values): (4, values.count, values.flatMap { number($0, 4) })
                case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
                }
            fields += number(tag, 2) + number(type, 2) + number(count, 4)
            if content.count <= 4 {
                fields += content + [UInt8](repeating: 0, count: 4 - content.count)
            } else {
                fields += number(bytes.count, 4)
                bytes += content
            }
        }
        bytes += fields + number(next, 4)
        return bytes.count - fields.count - 4
    }

    /// Names the first directory; returns the file.
    mutating func finished(_ first: Int) -> [UInt8] {
        bytes.replaceSubrange(4..<8, with: number(first, 4))
        return bytes
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? little : little.reversed()
    }

    /// The tags of a plain gray picture.
    static func picture(
        _ width: Int, _ height: Int, at offset: Int, count: Int, reduced: Bool = false
    ) -> [(tag: Int, value: Value)] {
        [
            (254, .long([reduced ? 1 : 0])), (256, .long([width])), (257, .short([height])), (258, .short([8])),
            (259, .short([1])), (262, .short([1])), (273, .long([offset])), (277, .short([1])), (279, .long([count])),
        ]
    }
}

import PTP
import Platform
import Testing

@Suite struct DatasetReaderTests {
    @Test("numbers are little-endian")
    func numbers() throws {
        var reader = DatasetReader([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        #expect(try reader.number(UInt8.self) == 1)
        #expect(try reader.number(UInt16.self) == 0x0302)
        #expect(try reader.number(UInt32.self) == 0x0706_0504)
        #expect(try reader.number(UInt64.self) == 0x0f0e_0d0c_0b0a_0908)
        #expect(reader.isAtEnd)
        #expect(throws: DatasetError.truncated) { try reader.number(UInt8.self) }
    }

    @Test("a truncated number is not read")
    func cutNumber() {
        var reader = DatasetReader([1, 2, 3])
        #expect(throws: DatasetError.truncated) { try reader.number(UInt32.self) }
        #expect((try? reader.number(UInt16.self)) == 0x0201)
    }

    @Test("a text that is written can be read", arguments: ["", "a", "PINH0001.JPG", "Zoë 🦔", "\u{feff}ﬀ"])
    func texts(text: String) throws {
        var writer = DatasetWriter()
        writer.write(text)
        var reader = DatasetReader(writer.bytes)
        #expect(try reader.text() == text)
        #expect(reader.isAtEnd)
    }

    @Test("the longest text has 254 UTF-16 units and a terminator")
    func longest() throws {
        var writer = DatasetWriter()
        writer.write(String(repeating: "x", count: 254))
        #expect(writer.bytes.count == 511)
        #expect(writer.bytes.first == 255)
        var cut = DatasetWriter()
        cut.write(String(repeating: "x", count: 255))
        #expect(cut.bytes == writer.bytes)
        var pair = DatasetWriter()
        pair.write(String(repeating: "x", count: 253) + "🦔")
        #expect(pair.bytes.first == 254)
        var reader = DatasetReader(pair.bytes)
        #expect(try reader.text() == String(repeating: "x", count: 253))
    }

    @Test("a text is written up to its first NUL")
    func writtenNUL() {
        var writer = DatasetWriter()
        writer.write("a\0b")
        #expect(writer.bytes == [2, 0x61, 0, 0, 0])
    }

    @Test(
        "invalid text is refused",
        arguments: [
            ([1], .truncated), ([], .truncated), ([3, 0x61, 0, 0, 0], .truncated), ([255, 0, 0], .truncated),
            ([1, 0x61, 0], .malformedText), ([3, 0x61, 0, 0, 0, 0, 0], .malformedText),
            ([2, 0x3d, 0xd8, 0, 0], .malformedText), ([2, 0x94, 0xdd, 0, 0], .malformedText),
        ] as [([UInt8], DatasetError)])
    func hostileTexts(bytes: [UInt8], error: DatasetError) {
        var reader = DatasetReader(bytes)
        #expect(throws: error) { try reader.text() }
    }

    @Test("arrays begin with a 32-bit count")
    func arrays() {
        var writer = DatasetWriter()
        writer.write([0x1001, 0x1002] as [UInt16])
        writer.write([] as [UInt32])
        #expect(writer.bytes == [2, 0, 0, 0, 0x01, 0x10, 0x02, 0x10, 0, 0, 0, 0])
    }

    @Test("each value is written with its type")
    func values() {
        let values: [PropertyValue] = [
            .uint8(1), .uint16(2), .uint32(3), .uint64(4), .uint128(high: 6, low: 5), .text("7"),
        ]
        var writer = DatasetWriter()
        for value in values { writer.write(value) }
        let expected: [UInt8] = [1, 2, 0, 3, 0, 0, 0, 4] + [0, 0, 0, 0, 0, 0, 0, 5] + [0, 0, 0, 0, 0, 0, 0, 6]
        #expect(writer.bytes == expected + [0, 0, 0, 0, 0, 0, 0, 2, 0x37, 0, 0, 0])
        #expect(values.map(\.type.rawValue) == [2, 4, 6, 8, 10, 0xffff])
        for value in values { #expect(PropertyValue.zero(value.type).type == value.type) }
    }

    @Test("a date is in local time and has no separators")
    func dates() {
        let date = WallTime(unixNanoseconds: 1_796_030_100_999_000_000, offsetSeconds: 3600, isTrusted: true)
        #expect(date.dateTime == "20261130T101500")
        let old = WallTime(unixNanoseconds: -1, offsetSeconds: 0, isTrusted: false)
        #expect(old.dateTime == "19691231T235959")
    }
}

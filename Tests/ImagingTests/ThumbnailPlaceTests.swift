import Foundation
import Imaging
import Platform
import Synchronization
import Testing

@Suite("Where small pictures lie")
struct ThumbnailPlaceTests {
    private let file: [UInt8]
    private let small: EmbeddedThumbnail

    init() throws {
        file = Array(try DrawnPicture(.yuv420, 330, 250).encoded(.full).data)
        small = try #require(file.withUnsafeBytes { EmbeddedThumbnail(file: $0) })
    }

    /// Looks where a place says, and counts how often.
    private func look(at place: ThumbnailPlace) -> (found: EmbeddedThumbnail?, reads: Int) {
        var reads = 0
        let found = EmbeddedThumbnail(at: place) { buffer, offset in
            reads += 1
            let part = file.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        return (found, reads)
    }

    private func place(_ file: [UInt8]) -> ThumbnailPlace { file.withUnsafeBytes { ThumbnailPlace(file: $0) } }

    @Test("a remembered place gives the same picture with one read")
    func oneRead() throws {
        guard case .at(let offset, let byteCount, 160, 120) = place(file) else {
            Issue.record("the place is \(place(file))")
            return
        }
        #expect(Int(offset) == small.offset && Int(byteCount) == small.bytes.count)
        #expect(file[small.offset..<(small.offset + small.bytes.count)].elementsEqual(small.bytes))
        let (found, reads) = look(at: place(file))
        #expect(found == small && reads == 1)
    }

    @Test("a file without one, or of any other kind, has none")
    func absent() throws {
        #expect(place(Array(try DrawnPicture(.yuv420, 64, 48).encoded(thumbnail: false).data)) == .absent)
        for other in [SmallJPEG.gray, SmallTIFF.dng, [], [0xff, 0xd8], Array("unknown".utf8)] {
            #expect(place(other) == .absent)
        }
    }

    @Test("where the picture is not, or not all of it, or of another size, nothing is found")
    func wrong() {
        let (offset, count) = (UInt32(small.offset), UInt32(small.bytes.count))
        let wrong: [ThumbnailPlace] = [
            .unknown, .absent, .at(offset: offset + 1, byteCount: count, width: 160, height: 120),
            .at(offset: offset, byteCount: count - 1, width: 160, height: 120),
            .at(offset: offset, byteCount: count + 1, width: 160, height: 120),
            .at(offset: offset, byteCount: count, width: 120, height: 160),
            .at(offset: offset, byteCount: 0, width: 160, height: 120),
            .at(offset: 0, byteCount: UInt32(file.count), width: 160, height: 120),
            .at(offset: UInt32(file.count) - 4, byteCount: count, width: 160, height: 120),
            .at(offset: .max, byteCount: .max, width: .max, height: .max),
            .at(offset: .max, byteCount: 1, width: 1, height: 1),
        ]
        for place in wrong { #expect(look(at: place).found == nil, "\(place)") }
    }

    @Test("numbers that cannot be a place are none")
    func numbers() {
        func place(_ offset: Int64, _ byteCount: Int64, _ width: Int64, _ height: Int64, _ size: Int64)
            -> ThumbnailPlace
        {
            ThumbnailPlace(offset: offset, byteCount: byteCount, width: width, height: height, fileSize: size)
        }
        let whole = ThumbnailPlace.at(offset: 100, byteCount: 50, width: 160, height: 120)
        #expect(place(100, 50, 160, 120, 150) == whole && place(100, 50, 160, 120, .max) == whole)
        #expect(place(0, 0, 0, 0, 150) == .absent && place(0, 0, 0, 0, .min) == .absent)
        let extremes: [Int64] = [.min, -1, 0, 1 << 32, .max]
        for number in extremes {
            for other in [place(100, number, 160, 120, 150), place(100, 50, number, 120, 150)] {
                #expect(other == .unknown)
            }
            #expect(place(100, 50, 160, number, 150) == .unknown && place(number, 50, 160, 120, 150) == .unknown)
            if number < 150 { #expect(place(100, 50, 160, 120, number) == .unknown) }
        }
        #expect(place(101, 50, 160, 120, 150) == .unknown, "it would end behind the file")
        #expect(place(100, 300 << 10, 160, 120, 1 << 30) == .unknown, "that is not small")
        #expect(place(1 << 32, 50, 160, 120, 1 << 40) == .unknown)
    }
}

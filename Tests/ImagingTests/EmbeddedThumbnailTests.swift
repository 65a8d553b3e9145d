import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

/// Finds the small picture in a file in memory.
private func thumbnail(in file: [UInt8]) -> EmbeddedThumbnail? {
    EmbeddedThumbnail { buffer, offset in
        let part = file.dropFirst(max(offset, 0)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}

@Suite("Small pictures inside of files")
struct EmbeddedThumbnailTests {
    private let photo: EncodedPhoto
    private let small: [UInt8]

    init() throws {
        photo = try DrawnPicture(.yuv420, 330, 250).encoded(.full)
        small = try #require(thumbnail(in: Array(photo.data))).bytes
    }

    @Test("that of our own photo is found whole, with two reads")
    func own() throws {
        let file = Array(photo.data)
        let reads = Mutex<[Range<Int>]>([])
        let found = EmbeddedThumbnail { buffer, offset in
            reads.withLock { $0.append(offset..<(offset + buffer.count)) }
            let part = file.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        let picture = try #require(found)
        #expect(picture.width == 160 && picture.height == 120)
        #expect(Data(picture.bytes) == photo.thumbnail)
        let decoded = try picture.bytes.withBytes { (bytes) throws(ImagingError) in try JPEGDecoder.decode(bytes) }
        #expect(decoded.width == 160 && decoded.height == 120)
        let ranges = reads.withLock { $0 }
        #expect(ranges.count <= 2)
        #expect(ranges.allSatisfy { $0.count <= 65_536 })
    }

    @Test("a photo without one has none")
    func none() throws {
        #expect(thumbnail(in: Array(try DrawnPicture(.yuv420, 64, 48).encoded(thumbnail: false).data)) == nil)
        #expect(thumbnail(in: SmallJPEG.gray) == nil)
        #expect(thumbnail(in: SmallTIFF.dng) == nil, "its preview is not a JPEG")
        #expect(thumbnail(in: []) == nil)
    }

    @Test(
        "other cameras' segments before the Exif segment, and either byte order, are no hindrance",
        arguments: [true, false])
    func foreign(_ isLittleEndian: Bool) throws {
        var tiff = TIFFFile(isLittleEndian: isLittleEndian)
        let place = tiff.data(small.count)
        let second = tiff.directory([(0x201, .long([place])), (0x202, .long([small.count]))])
        let first = tiff.directory([(0x112, .short([6]))], next: second)
        var exif = tiff.finished(first)
        exif.replaceSubrange(place..<(place + small.count), with: small)
        let content = Array("Exif\0\0".utf8) + exif
        let jfif: [UInt8] = [0xff, 0xe0, 0, 16] + [UInt8](repeating: 0, count: 14)
        let comment: [UInt8] = [0xff, 0xff, 0xfe, 0x40, 0] + [UInt8](repeating: 65, count: 0x3ffe)
        let head: [UInt8] = [0xff, 0xd8] + jfif + comment
        let length = content.count + 2
        let file = head + [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + content + SmallJPEG.gray.dropFirst(2)
        let found = try #require(thumbnail(in: file))
        #expect(found.bytes == small && found.width == 160 && found.height == 120)
    }

    @Test("of a DNG's reduced JPEG pictures the smallest is taken, wherever it hangs")
    func dng() throws {
        func reduced(_ place: Int, _ count: Int, compression: Int = 7) -> [(tag: Int, value: TIFFFile.Value)] {
            [
                (254, .long([1])), (259, .short([compression])), (273, .long([place])), (279, .long([count])),
            ]
        }
        var file = TIFFFile(isLittleEndian: true)
        let far = file.data(40_000)
        let picture = file.data(small.count)
        let large = file.data(small.count + 1000)
        let raw = file.directory([(254, .long([0])), (259, .short([7])), (273, .long([far])), (279, .long([10]))])
        let preview = file.directory(reduced(large, small.count + 1000))
        let tiny = file.directory(reduced(picture, small.count))
        let first = file.directory(reduced(far, 5, compression: 1) + [(0x14a, .long([raw, preview, tiny]))])
        var bytes = file.finished(first)
        bytes.replaceSubrange(picture..<(picture + small.count), with: small)
        bytes.replaceSubrange(large..<(large + small.count), with: small)
        #expect(thumbnail(in: bytes)?.bytes == small)
        // Without the small one the larger is taken, without both none.
        bytes.replaceSubrange(picture..<(picture + 2), with: [0, 0])
        #expect(thumbnail(in: bytes)?.bytes.count == small.count + 1000)
        bytes.replaceSubrange(large..<(large + 2), with: [0, 0])
        #expect(thumbnail(in: bytes) == nil)
    }

    @Test("directories that lead to each other, and places outside of the file, end the search")
    func loops() throws {
        var file = TIFFFile(isLittleEndian: false)
        let first = file.directory([(254, .long([1])), (0x14a, .long([8, 8, 8]))], next: 8)
        #expect(thumbnail(in: file.finished(first)) == nil)
        for (place, count) in [(0xffff_ffff, 1), (1, 0xffff_ffff), (0xffff_fff0, 0x20), (8, 0)] {
            var file = TIFFFile(isLittleEndian: true)
            let first = file.directory([(254, .long([1])), (0x201, .long([place])), (0x202, .long([count]))])
            #expect(thumbnail(in: file.finished(first)) == nil)
        }
    }

    @Test("whatever is changed in a file, what is found is a JPEG file with a size, or nothing")
    func hostile() throws {
        var tiff = TIFFFile(isLittleEndian: true)
        let place = tiff.data(small.count)
        let below = tiff.directory([(254, .long([1])), (0x201, .long([place])), (0x202, .long([small.count]))])
        let first = tiff.directory([(254, .long([1])), (0x14a, .long([below]))], next: below)
        var dng = tiff.finished(first)
        dng.replaceSubrange(place..<(place + small.count), with: small)
        let jpeg = Array(photo.data.prefix(photo.exifRange.upperBound + 600))
        var random = SeededGenerator(seed: 6)
        var found = 0
        for round in 0..<4000 {
            let original = round % 2 == 0 ? jpeg : dng
            var file = original
            // Directories are where little damage does most.
            let places = round % 2 == 0 ? 0..<700 : place + small.count..<dng.count
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: places, using: &random)
                file[index] =
                    [0, 1, 0x7f, 0xff, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            if round % 5 == 0 { file.removeLast(Int.random(in: 0...file.count, using: &random)) }
            guard let picture = thumbnail(in: file) else { continue }
            found += 1
            #expect(picture.bytes.starts(with: [0xff, 0xd8]) && picture.width > 0 && picture.height > 0)
        }
        #expect(found > 0)
    }
}

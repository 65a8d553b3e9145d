import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

private func info(_ bytes: [UInt8]) throws(ImagingError) -> PhotoFileInfo {
    try bytes.withBytes { (bytes) throws(ImagingError) in try PhotoFileInfo(file: bytes) { _ in 7200 } }
}

private func fault(_ bytes: [UInt8]) -> String? {
    do throws(ImagingError) {
        _ = try info(bytes)
        return nil
    } catch {
        return error.description
    }
}

@Suite("Reading files of other cameras")
struct ForeignFileTests {
    @Test("a DNG has the size of its raw picture, not of its preview, and its own Exif")
    func dng() throws {
        let read = try info(SmallTIFF.dng)
        #expect(read.kind == .dng && read.kind.uniformTypeIdentifier == "com.adobe.raw-image")
        #expect(read.width == 24 && read.height == 16 && read.orientation == 6)
        #expect(read.imageUniqueID == "0f8fad5bd9cb469fa16570867728950e")
        let time = try #require(read.captureTime)
        #expect(time.rfc3339 == "2025-11-29T12:34:56.123+01:00" && time.isTrusted)
    }

    @Test("a TIFF with only DateTime has that date, in the camera's time zone")
    func tiff() throws {
        let read = try info(SmallTIFF.lzw)
        #expect(read.kind == .tiff && read.width == 9 && read.height == 7 && read.orientation == 8)
        #expect(read.captureTime?.rfc3339 == "2021-02-03T04:05:06.000+02:00")
        #expect(read.imageUniqueID == nil && read.isComplete)
    }

    @Test("both byte orders and any order of directories say the same", arguments: [true, false])
    func byteOrder(_ isLittleEndian: Bool) throws {
        var file = TIFFFile(isLittleEndian: isLittleEndian)
        let offset = file.data(40 * 30)
        let exif = file.directory([
            (0x9003, .text("2024:02:29 23:59:59")), (0x9011, .text("-03:30")), (0xa420, .text("abc")),
        ])
        let raw = file.directory(TIFFFile.picture(40, 30, at: offset, count: 1200))
        let second = file.directory(TIFFFile.picture(4, 3, at: offset, count: 12))
        let first = file.directory(
            TIFFFile.picture(4, 3, at: offset, count: 12, reduced: true) + [
                (0x112, .short([3])), (0x14a, .long([raw])), (0x8769, .long([exif])),
            ], next: second)
        let read = try info(file.finished(first))
        #expect(read.width == 40 && read.height == 30 && read.orientation == 3 && read.kind == .tiff)
        #expect(read.captureTime?.rfc3339 == "2024-02-29T23:59:59.000-03:30")
        #expect(read.imageUniqueID == "abc")
    }

    @Test("a file that claims nothing is unknown, whatever it holds", arguments: ["", "I", "MM", "RIFF", "%PDF-1.7"])
    func unknown(_ text: String) throws {
        let read = try info(Array(text.utf8))
        #expect(read.kind == .unknown && read.width == 0 && read.height == 0 && read.captureTime == nil)
        #expect(read.byteCount == text.utf8.count)
    }

    @Test("a TIFF without a picture, or with an impossible one, is refused in words")
    func wrongPictures() {
        func file(_ change: (inout [(tag: Int, value: TIFFFile.Value)]) -> Void) -> [UInt8] {
            var file = TIFFFile(isLittleEndian: true)
            var entries = TIFFFile.picture(40, 30, at: file.data(1200), count: 1200)
            change(&entries)
            return file.finished(file.directory(entries))
        }
        #expect(fault(file { _ in }) == nil)
        #expect(fault(file { $0 = [(0x112, .short([1]))] }) == "it has no picture")
        #expect(fault(file { $0.removeAll { $0.tag == 273 } }) == "it has no picture")
        #expect(fault(file { $0[1].value = .long([0]) }) == "its picture has no size")
        #expect(fault(file { $0[1].value = .text("40") }) == "its picture has no size")
        #expect(fault(file { $0[1].value = .long([0xffff_ffff]) }) == "it is larger than a photo can be")
        #expect(fault(file { $0[1].value = .long([1 << 20]) }) == "its picture has too little data for its size")
        #expect(fault(file { $0[8].value = .long([1199]) }) == "its picture has too little data for its size")
        #expect(fault(file { $0[8].value = .long([0xffff_ffff]) }) == "it ends before its picture")
        #expect(fault(file { $0[6].value = .long([0xffff_ffff]) }) == "it ends before its picture")
        #expect(fault(file { $0[6].value = .long([8, 8]) }) == "it does not give the length of its picture")
        #expect(fault(file { $0[6].value = .text("") }) == "it does not give the position of its picture")
        // A compressed picture of that size would be.
        let large = file {
            $0[1].value = .long([1 << 20])
            $0[2].value = .short([1 << 10])
            $0[4].value = .short([5])
        }
        #expect(fault(large) == "it is larger than a photo can be")
    }

    @Test("directories that lead back to themselves come to an end")
    func loops() throws {
        var file = TIFFFile(isLittleEndian: false)
        let offset = file.data(12)
        let place = file.bytes.count
        let own = file.directory(
            TIFFFile.picture(4, 3, at: offset, count: 12, reduced: true) + [(0x8769, .long([place]))], next: place)
        #expect(own == place)
        let read = try info(file.finished(own))
        #expect(read.width == 4 && read.captureTime == nil)

        var many = TIFFFile(isLittleEndian: true)
        let pictures = many.data(12)
        var next = 0
        for _ in 0..<500 {
            next = many.directory(TIFFFile.picture(4, 3, at: pictures, count: 12, reduced: true), next: next)
        }
        #expect(try info(many.finished(next)).width == 4)
    }

    @Test("a DNG or TIFF cut off in its picture or its directories is an error that says so")
    func cut() throws {
        for (file, textsAtEnd) in [(SmallTIFF.dng, 1000), (SmallTIFF.lzw, 60)] {
            let whole = try info(file)
            for count in 4..<file.count {
                guard let fault = fault(Array(file.prefix(count))) else {
                    // Only texts are missing.
                    let read = try info(Array(file.prefix(count)))
                    #expect(count > file.count - textsAtEnd && read.width == whole.width)
                    continue
                }
                #expect(fault == "it ends before its picture" || count > file.count - textsAtEnd, "\(count): \(fault)")
            }
        }
    }

    @Test("no bytes make the TIFF reader stop the program")
    func mutations() {
        var dice = SeededGenerator(seed: 4)
        var readable = 0
        for round in 0..<40_000 {
            var bytes = round % 2 == 0 ? SmallTIFF.dng : SmallTIFF.lzw
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let place = Int.random(in: 4..<bytes.count, using: &dice)
                bytes[place] = Bool.random(using: &dice) ? 0xff : UInt8.random(in: 0...255, using: &dice)
            }
            if round % 7 == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &dice)) }
            if let read = try? info(bytes), read.kind != .unknown {
                readable += 1
                #expect(read.width > 0 && read.height > 0 && (1...8).contains(read.orientation))
                _ = read.captureTime?.rfc3339
            }
        }
        #expect(readable > 4_000 && readable < 40_000)
    }

    @Test("what a telephone appends behind a JPEG's end does not make it incomplete")
    func appended() throws {
        let photo = Array(try DrawnPicture(.yuv420, 64, 48).encoded(.full).data)
        #expect(try info(photo + Array("film".utf8)).isComplete)
        #expect(try info(photo + photo).isComplete)
        #expect(try !info(photo.dropLast() + [0, 0, 0]).isComplete)
    }

    @Test("a JPEG without DateTimeOriginal falls back on its other dates")
    func otherDates() throws {
        var photo = Array(try DrawnPicture(.yuv420, 64, 48).encoded(.plain).data)
        // DateTimeOriginal becomes a tag that nobody knows: 9003 in the directory, before its ASCII type.
        let tag: [UInt8] = [0x90, 0x03, 0, 2]
        let place = try #require(photo.indices.dropLast(4).first { photo[$0..<($0 + 4)].elementsEqual(tag) })
        photo[place + 1] = 0x0f
        #expect(try info(photo).captureTime?.rfc3339 == PhotoMetadata.plain.captureTime.rfc3339)
    }
}

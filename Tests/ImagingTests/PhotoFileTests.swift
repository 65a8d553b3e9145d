import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

private func info(_ bytes: [UInt8]) throws(ImagingError) -> PhotoFileInfo {
    try bytes.withBytes { (bytes) throws(ImagingError) in try PhotoFileInfo(file: bytes) { _ in 7200 } }
}

@Suite("Reading files that may be anything")
struct PhotoFileTests {
    private let photo: [UInt8]

    init() throws {
        photo = Array(try DrawnPicture(.yuv420, 330, 250).encoded(.full).data)
    }

    @Test("a photo contains what was written into it")
    func own() throws {
        let read = try info(photo)
        #expect(read.width == 330 && read.height == 250)
        #expect(read.orientation == 6)
        #expect(read.imageUniqueID == PhotoMetadata.full.imageUniqueID)
        #expect(read.isComplete)
        #expect(read.byteCount == photo.count)
        let time = try #require(read.captureTime)
        #expect(time.unixNanoseconds == 1_796_030_100_123_456_000)
        #expect(time.offsetSeconds == 3600)
        #expect(time.isTrusted)
    }

    @Test("an untrusted date stays untrusted")
    func untrusted() throws {
        let photo = try DrawnPicture(.yuv420, 64, 48).encoded(.full.with { $0.captureTime.isTrusted = false })
        #expect(try info(Array(photo.data)).captureTime?.isTrusted == false)
    }

    @Test("a file without dates and identifier says so")
    func bare() throws {
        let photo = try DrawnPicture(.yuv420, 64, 48).encoded().replacing(metadata: .strip)
        let read = try info(Array(photo.data))
        #expect(read.captureTime == nil && read.imageUniqueID == nil && read.orientation == 1)
    }

    @Test("a file cut off anywhere is not complete")
    func cut() throws {
        for count in stride(from: 2, to: photo.count - 1, by: 97) {
            if let read = try? info(Array(photo.prefix(count))) { #expect(!read.isComplete, "\(count)") }
        }
        #expect(throws: ImagingError.self) { _ = try info(Array(photo.prefix(100))) }
    }

    @Test("a picture of absurd size is refused before it is decoded")
    func absurd() throws {
        var bytes = photo
        let frame = try #require(
            try bytes.withUnsafeBytes { try JPEGStructure($0) }.segments.first { $0.marker == 0xc0 })
        bytes.replaceSubrange(frame.content.lowerBound + 1..<frame.content.lowerBound + 5, with: [255, 255, 255, 255])
        #expect(throws: ImagingError.tooLarge) { try info(bytes) }
        #expect(throws: ImagingError.tooLarge) { try bytes.withUnsafeBytes { try JPEGDecoder.decode($0) } }
    }

    @Test("no bytes make the reader or the decoder stop the program")
    func mutations() throws {
        var dice = SeededGenerator(seed: 2)
        let small = Array(try DrawnPicture(.yuv420, 40, 30).encoded(.full).data)
        var (readable, decodable) = (0, 0)
        for round in 0..<20_000 {
            var bytes = small
            for _ in 0..<Int.random(in: 1...8, using: &dice) {
                // Mostly in the head, where the structure is.
                let place = Int.random(in: 0..<(Bool.random(using: &dice) ? 700 : bytes.count), using: &dice)
                bytes[place] = UInt8.random(in: 0...255, using: &dice)
            }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &dice)) }
            if (try? info(bytes)) != nil { readable += 1 }
            if (try? bytes.withUnsafeBytes { try JPEGDecoder.decode($0, pixelLimit: 10_000) }) != nil { decodable += 1 }
        }
        #expect(readable > 1000 && readable < 20_000)
        #expect(decodable > 100 && decodable < readable)
    }
}

@Suite("Decoding")
struct JPEGDecoderTests {
    @Test("one eighth of the size shows the same picture")
    func eighth() throws {
        let photo = try DrawnPicture(.yuv420, 801, 600, luma: { x, _ in x / 4 }).encoded()
        let picture = try photo.withUnsafeBytes { (bytes) throws(ImagingError) in
            try JPEGDecoder.decode(bytes, scale: .eighth)
        }
        #expect(picture.width == 101 && picture.height == 75)
        picture.withUnsafeBytes { bytes in
            let row = picture.planes[0].offset + 40 * picture.planes[0].stride
            for x in 0..<100 { #expect(abs(Int(bytes[row + x]) - (8 * x + 4) / 4) <= 3) }
        }
    }

    @Test("a file that ends early is damaged")
    func damaged() throws {
        let photo = Array(try DrawnPicture(.yuv420, 320, 240).encoded(.full).data)
        #expect(throws: ImagingError.invalidFile("it is damaged: Premature end of JPEG file")) {
            try photo.prefix(photo.count / 2).withUnsafeBytes { try JPEGDecoder.decode($0) }
        }
    }

    @Test(
        "every usual subsampling keeps its own planes",
        arguments: [
            (SmallJPEG.yuv444, 1, 1), (SmallJPEG.yuv422, 2, 1), (SmallJPEG.yuv440, 1, 2), (SmallJPEG.yuv411, 4, 1),
        ])
    func subsampling(_ file: [UInt8], _ across: Int, _ down: Int) throws {
        let picture = try file.withUnsafeBytes { try JPEGDecoder.decode($0) }
        #expect(picture.planes.map(\.pixelsAcross) == [1, across, across])
        #expect(picture.planes.map(\.pixelsDown) == [1, down, down])
        #expect(picture.layout == nil)
        picture.withUnsafeBytes { bytes in
            for (component, plane) in picture.planes.enumerated() {
                #expect(plane.width == (50 + plane.pixelsAcross - 1) / plane.pixelsAcross)
                #expect(plane.height == (34 + plane.pixelsDown - 1) / plane.pixelsDown)
                var total = 0.0
                for y in 0..<plane.height {
                    for x in 0..<plane.width {
                        let (px, py) = (
                            (Double(x) + 0.5) * Double(plane.pixelsAcross), (Double(y) + 0.5) * Double(plane.pixelsDown)
                        )
                        let (red, green, blue) = (40 + 170 * (px - 0.5) / 50, 200 - 150 * (py - 0.5) / 34, 100.0)
                        // BT.601, full range (JFIF).
                        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
                        let expected = [luma, 128 + 0.564 * (blue - luma), 128 + 0.713 * (red - luma)][component]
                        total += abs(Double(bytes[plane.offset + y * plane.stride + x]) - expected)
                    }
                }
                #expect(total / Double(plane.width * plane.height) < 2.5, "component \(component)")
            }
        }
    }

    @Test("a gray picture has one plane")
    func gray() throws {
        let picture = try SmallJPEG.gray.withUnsafeBytes { try JPEGDecoder.decode($0) }
        #expect(picture.planes.count == 1 && picture.width == 50 && picture.height == 34)
        picture.withUnsafeBytes { bytes in
            for x in 0..<50 { #expect(abs(Int(bytes[20 * picture.planes[0].stride + x]) - (40 + 170 * x / 50)) <= 6) }
        }
    }

    @Test("colors that are not a photograph's are refused in words")
    func colors() throws {
        #expect(throws: ImagingError.invalidFile("its colors are neither YCbCr nor gray")) {
            try SmallJPEG.cmyk.withUnsafeBytes { try JPEGDecoder.decode($0) }
        }
    }
}

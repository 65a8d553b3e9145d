import Foundation
import Imaging
import Testing

/// Sizes and strides a sensor may give.
private let shapes: [(PictureLayout.Format, Int, Int, Int)] = [
    (.yuv420, 320, 240, 1), (.nv12, 320, 240, 1), (.yuv420, 320, 240, 64), (.nv12, 330, 250, 64),
    (.yuv420, 321, 241, 1), (.nv12, 321, 241, 1), (.yuv420, 17, 500, 32), (.nv12, 500, 17, 1), (.yuv420, 1, 1, 1),
    (.nv12, 1, 1, 1), (.yuv420, 2, 3, 1),
]

/// The decoded file as a new picture.
private func decoded(_ photo: EncodedPhoto) throws -> DecodedPicture {
    return try photo.withUnsafeBytes { (bytes) throws(ImagingError) in try JPEGDecoder.decode(bytes) }
}

@Suite("Encoding")
struct PhotoEncoderTests {
    @Test("the decoded samples are the sensor's", arguments: shapes)
    func samples(_ format: PictureLayout.Format, _ width: Int, _ height: Int, _ alignment: Int) throws {
        let drawn = DrawnPicture(
            format, width, height, alignment: alignment,
            luma: { x, y in 40 + (x + y) % 160 }, chroma: { x, y in (100 + x % 40, 150 - y % 40) })
        let photo = try drawn.encoded(quality: 100)
        let picture = try decoded(photo)
        #expect(picture.width == width && picture.height == height)
        let worst = drawn.withPicture { original in
            picture.withPicture { result in largestDifference(original, result) }
        }
        #expect(try #require(worst) <= 6)
    }

    @Test("a photo is a JPEG file with Exif first and no JFIF")
    func structure() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240).encoded(.full)
        try photo.withUnsafeBytes { bytes in
            let structure = try JPEGStructure(bytes)
            #expect(structure.segments.first?.marker == 0xe1)
            #expect(structure.segments.first?.range == photo.exifRange)
            #expect(!structure.segments.contains { $0.marker == 0xe0 })
            #expect(bytes.suffix(2).elementsEqual([0xff, 0xd9]))
            #expect(bytes.count == photo.byteCount)
        }
        #expect(photo.data.count == photo.byteCount)
    }

    @Test("one encoder makes the same file again after pictures of other kinds")
    func reuse() throws {
        let encoder = try PhotoEncoder()
        func encode(_ picture: DrawnPicture) throws -> Data {
            try picture.withPicture {
                try encoder.encode($0, metadata: .full, quality: 90, thumbnail: true).data
            }
        }
        let first = try encode(DrawnPicture(.nv12, 320, 240))
        _ = try encode(DrawnPicture(.yuv420, 321, 99))
        _ = try encode(DrawnPicture(.nv12, 33, 1001))
        #expect(try encode(DrawnPicture(.nv12, 320, 240)) == first)
    }

    @Test("higher quality costs more bytes, and values outside the scale are clamped")
    func quality() throws {
        let picture = DrawnPicture(.yuv420, 320, 240)
        let sizes = try [1, 50, 93, 100].map { try picture.encoded(quality: $0).byteCount }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        #expect(try picture.encoded(quality: -5).byteCount == sizes[0])
        #expect(try picture.encoded(quality: 500).byteCount == sizes[3])
    }

    @Test("the data outlives the photo it came from")
    func ownership() throws {
        let data = try DrawnPicture(.yuv420, 64, 48).encoded().data
        #expect(data.prefix(2) == Data([0xff, 0xd8]) && data.suffix(2) == Data([0xff, 0xd9]))
    }

    @Test("a picture wider than JPEG allows is refused")
    func tooLarge() throws {
        #expect(throws: ImagingError.tooLarge) { try DrawnPicture(.yuv420, 65_501, 2).encoded() }
    }
}

@Suite("Thumbnail")
struct ThumbnailTests {
    @Test("it is 160 by 120 with black bars, without JFIF", arguments: [(320, 240), (400, 100), (100, 400), (5, 3)])
    func letterbox(_ width: Int, _ height: Int) throws {
        let photo = try DrawnPicture(
            .nv12, width, height, luma: { _, _ in 200 }, chroma: { _, _ in (90, 170) }
        ).encoded()
        let thumbnail = Array(try #require(photo.thumbnail))
        #expect(thumbnail[2] == 0xff && thumbnail[3] != 0xe0)
        let picture = try thumbnail.withUnsafeBytes { try JPEGDecoder.decode($0) }
        #expect(picture.width == 160 && picture.height == 120)
        let size = Thumbnail.fit(width: width, height: height)
        #expect(abs(Double(size.width) / Double(size.height) / (Double(width) / Double(height)) - 1) < 0.05)
        #expect(size.width == 160 || size.height == 120)
        picture.withPicture { picture in
            #expect(abs(Int(picture.row(60, plane: 0)[80]) - 200) <= 3)
            #expect(abs(Int(picture.row(30, plane: 1)[40]) - 90) <= 3)
            #expect(abs(Int(picture.row(30, plane: 2)[40]) - 170) <= 3)
            #expect(picture.row(0, plane: 0)[0] <= 8 || size == (160, 120))
        }
    }

    @Test("samples are averaged, not picked")
    func averages() throws {
        // Columns of 0 and 255 by turns: any picked sample is one of the two, the average is between.
        let drawn = DrawnPicture(.yuv420, 3200, 2400, luma: { x, _ in x % 2 * 255 }, chroma: { _, _ in (128, 128) })
        drawn.withPicture { picture in
            try? Thumbnail(of: picture).withPicture { small in
                for column in 0..<160 { #expect((126...129).contains(small.row(60, plane: 0)[column])) }
            }
        }
    }
}

@Suite("Flattening again")
struct ReplacingTests {
    @Test("the position can be taken out and the picture stays the same")
    func withoutPosition() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240).encoded(.full)
        let stripped = try photo.replacing(metadata: .replace(.full.with { $0.position = nil }))
        #expect(try ExifTool.validation(stripped) == "Validate : OK")
        let tags = try ExifTool.tags(stripped)
        #expect(!tags.keys.contains { $0.hasPrefix("GPS") })
        #expect(tags["IFD0:Artist"] == "A. Person")
        #expect(stripped.thumbnail == photo.thumbnail)
        #expect(
            stripped.data.dropFirst(stripped.exifRange.upperBound) == photo.data.dropFirst(photo.exifRange.upperBound))
    }

    @Test("keeping everything gives the same bytes")
    func keep() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240).encoded(.full)
        #expect(try photo.replacing().data == photo.data)
    }

    @Test("stripped metadata leaves what showing the picture needs")
    func withoutMetadata() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240).encoded(.full)
        let stripped = try photo.replacing(metadata: .strip, thumbnail: .strip)
        #expect(try ExifTool.validation(stripped) == "Validate : OK")
        let tags = try ExifTool.tags(stripped)
        #expect(tags["IFD0:Orientation"] == "6")
        for name in ["IFD0:Make", "ExifIFD:DateTimeOriginal", "ExifIFD:SerialNumber", "GPS:GPSLatitude"] {
            #expect(tags[name] == nil, "\(name)")
        }
        #expect(!tags.keys.contains { $0.hasPrefix("IFD1") })
        #expect(stripped.thumbnail == nil && stripped.metadata == nil)
    }

    @Test("another thumbnail replaces the first, its JFIF segment left out")
    func thumbnail() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240).encoded(.full)
        let other = DrawnPicture(.yuv420, 160, 120, luma: { _, _ in 9 })
        var jpeg = [UInt8](repeating: 0, count: 100_000)
        let compressor = try TurboJPEGCompressor()
        let count = try jpeg.withUnsafeMutableBytes { room in
            try other.withPicture { try compressor.compress($0, quality: 80, into: room) }
        }
        let replaced = try photo.replacing(thumbnail: .replace(Data(jpeg.prefix(count))))
        #expect(try ExifTool.validation(replaced) == "Validate : OK")
        #expect(replaced.thumbnail?.count == count - 18)
        #expect(throws: ImagingError.self) { try photo.replacing(thumbnail: .replace(Data("no picture".utf8))) }
        let large = Data(jpeg.prefix(count - 2)) + Data(count: 66_000)
        #expect(throws: ImagingError.metadataTooLarge) { try photo.replacing(thumbnail: .replace(large)) }
    }
}

/// The largest difference of two pictures' samples, whatever their formats.
func largestDifference(_ a: Picture, _ b: Picture) -> Int {
    func sample(_ picture: Picture, _ component: Int, _ x: Int, _ y: Int) -> Int {
        component == 0 || picture.layout.format == .yuv420
            ? Int(picture.row(y, plane: component)[x]) : Int(picture.row(y, plane: 1)[2 * x + component - 1])
    }
    var worst = 0
    for component in 0..<3 {
        let scale = component == 0 ? 1 : 2
        for y in 0..<(a.layout.height + scale - 1) / scale {
            for x in 0..<(a.layout.width + scale - 1) / scale {
                worst = max(worst, abs(sample(a, component, x, y) - sample(b, component, x, y)))
            }
        }
    }
    return worst
}

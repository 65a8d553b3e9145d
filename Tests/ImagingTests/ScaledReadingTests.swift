import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

private func pixels(_ image: PhotoImage) -> [UInt8] {
    image.withUnsafeBytes { Array($0) }
}

/// Reduces a picture in the plainest way: each pixel the mean of many points spread evenly over its area.
private func sampledMean(_ source: [UInt8], _ width: Int, _ height: Int, to newWidth: Int, _ newHeight: Int) -> [Double]
{
    let points = 16
    var result: [Double] = []
    for y in 0..<newHeight {
        for x in 0..<newWidth {
            var sum = [0.0, 0.0, 0.0]
            for row in 0..<points {
                for column in 0..<points {
                    let px = (Double(x) + (Double(column) + 0.5) / Double(points)) * Double(width) / Double(newWidth)
                    let py = (Double(y) + (Double(row) + 0.5) / Double(points)) * Double(height) / Double(newHeight)
                    let place = 3 * (Int(py) * width + Int(px))
                    for color in 0..<3 { sum[color] += Double(source[place + color]) }
                }
            }
            result += sum.map { $0 / Double(points * points) }
        }
    }
    return result
}

/// Peak signal-to-noise ratio in decibels.
private func likeness(_ pixels: [UInt8], _ reference: [Double]) -> Double {
    let error = zip(pixels, reference).reduce(0) { $0 + ($1.1 - Double($1.0)) * ($1.1 - Double($1.0)) }
    return 10 * log10(255 * 255 / max(error / Double(reference.count), 1e-9))
}

/// A size as a test writes it.
struct Fitting: Sendable {
    let target: PixelSize
    let mode: ImageContentMode
    let result: PixelSize

    init(_ width: Int, _ height: Int, _ mode: ImageContentMode, _ newWidth: Int, _ newHeight: Int) {
        target = PixelSize(width: width, height: height)
        self.mode = mode
        result = PixelSize(width: newWidth, height: newHeight)
    }
}

@Suite("Images made smaller")
struct ScaledReadingTests {
    @Test(
        "fit and fill give exactly the size that meets the target, and never enlarge",
        arguments: [
            Fitting(160, 160, .aspectFit, 160, 120), Fitting(160, 160, .aspectFill, 213, 160),
            Fitting(100, 1, .aspectFit, 1, 1), Fitting(1, 100, .aspectFill, 133, 100),
            Fitting(640, 480, .aspectFit, 640, 480), Fitting(641, 9999, .aspectFit, 640, 480),
            Fitting(10, 9999, .aspectFill, 640, 480), Fitting(0, -5, .aspectFit, 1, 1),
            Fitting(.max, .max, .aspectFill, 640, 480), Fitting(633, 471, .aspectFit, 628, 471),
        ])
    func sizes(_ fitting: Fitting) throws {
        let photo = try DrawnPicture(.yuv420, 640, 480).encoded(.plain)
        let image = try PhotoImage.read(photo.data, targetSize: fitting.target, contentMode: fitting.mode)
        #expect(PixelSize(width: image.width, height: image.height) == fitting.result)
        #expect(image.bytesPerRow == 3 * image.width && pixels(image).count == image.byteCount)
    }

    @Test("at least the size asked for is reached by the inverse transform alone")
    func atLeast() throws {
        let photo = try DrawnPicture(.yuv420, 640, 480).encoded(.plain)
        for (target, expected) in [(80, 80), (81, 160), (160, 160), (200, 240), (500, 560), (600, 640)] {
            let image = try photo.withUnsafeBytes { bytes throws(ImagingError) in
                try PhotoImage.read(
                    bytes, targetSize: PixelSize(width: target, height: target), contentMode: .aspectFit,
                    exactness: .atLeast)
            }
            #expect(image.width == expected && image.height == expected * 3 / 4)
        }
    }

    @Test("an image is as good as the average of all pixels", arguments: [(90, 65), (213, 160), (400, 300), (33, 21)])
    func quality(_ width: Int, _ height: Int) throws {
        // Waves as fine as a lens draws them, and a color that changes.
        let picture = DrawnPicture(
            .yuv420, 648, 486,
            luma: { x, y in 128 + Int(60 * sin(Double(x) / 5) * cos(Double(y) / 7)) + (x / 40 + y / 40) % 2 * 30 },
            chroma: { x, y in (60 + x / 3, 200 - y / 3) })
        let photo = try picture.encoded(.plain, quality: 95)
        let target = PixelSize(width: width, height: height)
        let full = try PhotoImage.read(photo.data)
        let image = try PhotoImage.read(photo.data, targetSize: target, contentMode: .aspectFill)
        let reference = sampledMean(pixels(full), full.width, full.height, to: image.width, image.height)
        #expect(likeness(pixels(image), reference) > 36)
        // Averaging alone differs from the reference only by rounding and by the reference's own points.
        let averaged = try full.averaged(to: PixelSize(width: image.width, height: image.height))
        #expect(likeness(pixels(averaged), reference) > 44)
    }

    @Test("averaging keeps whole blocks to the last bit")
    func blocks() throws {
        let photo = try DrawnPicture(.yuv420, 96, 72).encoded(.plain)
        let full = try PhotoImage.read(photo.data)
        let source = pixels(full)
        let small = pixels(try full.averaged(to: PixelSize(width: 32, height: 24)))
        for (x, y, color) in [(0, 0, 0), (31, 23, 2), (7, 11, 1), (31, 0, 0)] {
            var sum = 0
            for row in 0..<3 {
                for column in 0..<3 { sum += Int(source[3 * ((3 * y + row) * 96 + 3 * x + column) + color]) }
            }
            #expect(Int(small[3 * (y * 32 + x) + color]) == (sum + 4) / 9)
        }
    }

    @Test("every Exif orientation comes out upright", arguments: 1...8)
    func orientation(_ value: Int) throws {
        // As stored: the upper left quarter is bright, the upper right one is middle gray.
        let photo = try DrawnPicture(
            .yuv420, 320, 240, luma: { x, y in y >= 120 ? 20 : x < 160 ? 235 : 128 }, chroma: { _, _ in (128, 128) }
        ).encoded(.plain.with { $0.orientation = value })
        let target = PixelSize(width: 40, height: 40)
        let image = try PhotoImage.read(photo.data, targetSize: target)
        let isTurned = value >= 5
        #expect(image.width == (isTurned ? 30 : 40) && image.height == (isTurned ? 40 : 30))
        let thumbnail = try #require(photo.data.withBytes { PhotoImage.thumbnail(in: $0) })
        #expect(thumbnail.image.width == (isTurned ? 120 : 160))
        #expect(thumbnail.full == (isTurned ? PixelSize(width: 240, height: 320) : PixelSize(width: 320, height: 240)))
        // Where the bright and the gray quarter must be seen (TIFF 6.0: where row 0 and column 0 are): 0 upper left,
        // 1 upper right, 2 lower left, 3 lower right.
        let places = [(0, 1), (1, 0), (3, 2), (2, 3), (0, 2), (1, 3), (3, 1), (2, 0)]
        let (bright, gray) = places[value - 1]
        for image in [image, thumbnail.image] {
            let bytes = pixels(image)
            func quarter(_ index: Int) -> Int {
                let (x, y) = (image.width * (1 + index % 2 * 2) / 4, image.height * (1 + index / 2 * 2) / 4)
                return Int(bytes[y * image.bytesPerRow + 3 * x])
            }
            #expect(quarter(bright) > 220 && (118...138).contains(quarter(gray)))
            #expect([0, 1, 2, 3].filter { $0 != bright && $0 != gray }.allSatisfy { quarter($0) < 40 })
        }
    }

    @Test("the bars of a thumbnail are not shown", arguments: [(2000, 500), (300, 900), (400, 300)])
    func bars(_ width: Int, _ height: Int) throws {
        let photo = try DrawnPicture(.yuv420, width, height, luma: { _, _ in 200 }, chroma: { _, _ in (128, 128) })
            .encoded(.plain)
        let thumbnail = try #require(photo.data.withBytes { PhotoImage.thumbnail(in: $0) }).image
        let shape = Double(thumbnail.width) / Double(thumbnail.height) / (Double(width) / Double(height))
        #expect(shape > 0.95 && shape < 1.05)
        #expect(pixels(thumbnail).allSatisfy { $0 > 150 })
    }

    @Test("a photo without a thumbnail has none")
    func noThumbnail() throws {
        let photo = try DrawnPicture(.yuv420, 64, 48).encoded(.plain, thumbnail: false)
        #expect(photo.data.withBytes { PhotoImage.thumbnail(in: $0) == nil })
        #expect(SmallJPEG.yuv444.withUnsafeBytes { PhotoImage.thumbnail(in: $0) == nil })
        #expect(SmallTIFF.dng.withUnsafeBytes { PhotoImage.thumbnail(in: $0) == nil })
    }

    @Test("every usual subsampling and gray become the same colors")
    func colors() throws {
        for file in [SmallJPEG.yuv444, SmallJPEG.yuv422, SmallJPEG.yuv440, SmallJPEG.yuv411] {
            let image = try PhotoImage.read(Data(file))
            #expect(image.width == 50 && image.height == 34)
            let bytes = pixels(image)
            for (x, y) in [(10, 10), (25, 17), (40, 30)] {
                let place = y * image.bytesPerRow + 3 * x
                #expect(abs(Int(bytes[place]) - (40 + 170 * x / 50)) <= 10)
                #expect(abs(Int(bytes[place + 1]) - (200 - 150 * y / 34)) <= 10)
                #expect(abs(Int(bytes[place + 2]) - 100) <= 10)
            }
        }
        let gray = pixels(try PhotoImage.read(Data(SmallJPEG.gray)))
        for place in stride(from: 0, to: gray.count, by: 3) {
            #expect(gray[place] == gray[place + 1] && gray[place] == gray[place + 2])
        }
    }

    @Test("what cannot be shown is refused in words")
    func refused() throws {
        func fault(_ bytes: [UInt8], pixelLimit: Int = 1 << 28) -> String? {
            do throws(ImagingError) {
                _ = try bytes.withBytes { (bytes) throws(ImagingError) in
                    try PhotoImage.read(
                        bytes, targetSize: .maximum, contentMode: .aspectFit, exactness: .exact, pixelLimit: pixelLimit)
                }
                return nil
            } catch {
                return error.description
            }
        }
        let photo = Array(try DrawnPicture(.yuv420, 320, 240).encoded(.full).data)
        #expect(fault(photo) == nil)
        #expect(fault(SmallJPEG.cmyk) == "its colors are neither YCbCr nor RGB nor gray")
        #expect(fault(SmallTIFF.dng) == "it does not start like a JPEG file")
        #expect(fault(Array(photo.prefix(photo.count / 2))) == "it is damaged: Premature end of JPEG file")
        #expect(fault(photo, pixelLimit: 76_799) == "it is larger than a photo can be")
    }

    @Test("a picture whose decoding takes too much memory is refused before it takes any")
    func memory() throws {
        var bytes = Array(try DrawnPicture(.yuv420, 320, 240).encoded(.plain).data)
        let frame = try #require(
            try bytes.withUnsafeBytes { try JPEGStructure($0) }.segments.first { $0.marker == 0xc0 })
        // 12,000 × 12,000, within what may be looked at; as progressive it needs all of its coefficients.
        bytes.replaceSubrange(
            frame.content.lowerBound + 1..<frame.content.lowerBound + 5, with: [0x2e, 0xe0, 0x2e, 0xe0])
        let target = PixelSize(width: 100, height: 100)
        #expect(throws: ImagingError.tooLarge) { try PhotoImage.read(Data(bytes)) }
        bytes[frame.range.lowerBound + 1] = 0xc2
        #expect(throws: ImagingError.tooLarge) { try PhotoImage.read(Data(bytes), targetSize: target) }
        #expect(try info(bytes) == PixelSize(width: 12_000, height: 12_000))
    }

    private func info(_ bytes: [UInt8]) throws -> PixelSize {
        let info = try bytes.withUnsafeBytes { try PhotoFileInfo(file: $0) { _ in 0 } }
        return PixelSize(width: info.width, height: info.height)
    }

    @Test("an image becomes a JPEG that shows the same")
    func jpegData() throws {
        let photo = try DrawnPicture(.yuv420, 320, 240, luma: { x, _ in x / 2 }, chroma: { _, _ in (120, 140) })
            .encoded(.plain)
        let image = try PhotoImage.read(photo.data, targetSize: PixelSize(width: 161, height: 161))
        let again = try PhotoImage.read(image.jpegData(quality: 95))
        #expect(again.width == 161 && again.height == 121)
        #expect(likeness(pixels(again), pixels(image).map { Double($0) }) > 38)
    }

    @Test("no bytes make the reading of images stop the program")
    func mutations() throws {
        var dice = SeededGenerator(seed: 3)
        let small = Array(try DrawnPicture(.yuv420, 40, 30).encoded(.full).data)
        var shown = 0
        for _ in 0..<10_000 {
            var bytes = small
            for _ in 0..<Int.random(in: 1...8, using: &dice) {
                bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            let target = PixelSize(width: Int.random(in: 1...50, using: &dice), height: 20)
            let image = try? bytes.withUnsafeBytes {
                try PhotoImage.read(
                    $0, targetSize: target, contentMode: .aspectFill, exactness: .exact, pixelLimit: 10_000)
            }
            if image != nil { shown += 1 }
            _ = bytes.withUnsafeBytes { PhotoImage.thumbnail(in: $0) }
        }
        #expect(shown > 100 && shown < 10_000)
    }
}

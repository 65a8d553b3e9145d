import Imaging
import Platform

/// A photo file's bytes: what it says about itself, the small picture in it, its pictures, and itself as a thumbnail.
enum PhotoFile {
    /// So few that a picture of many scans does not take long.
    private static let pixelLimit = 1 << 16

    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        readInfo(bytes)
        find(bytes)
        decode(bytes)
        show(bytes)
        embed(bytes)
        return 0
    }

    private static func readInfo(_ bytes: UnsafeRawBufferPointer) {
        guard let info = try? PhotoFileInfo(file: bytes, zone: { _ in 3600 }) else { return }
        Fuzz.expect(info.kind == .unknown || (info.width > 0 && info.height > 0), "a picture without a size: \(info)")
        Fuzz.expect((1...8).contains(info.orientation), "orientation \(info.orientation)")
        _ = info.captureTime?.rfc3339
        _ = info.captureTime?.exifDateTime
    }

    private static func find(_ bytes: UnsafeRawBufferPointer) {
        let file = Array(bytes)
        let found = EmbeddedThumbnail { buffer, offset in
            let part = file.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
        let place = ThumbnailPlace(file: bytes)
        Fuzz.expect((found == nil) == (place == .absent), "where the small picture lies: \(place)")
        guard let found else { return }
        Fuzz.expect(found.width > 0 && found.height > 0 && found.bytes.count <= file.count, "a small picture")
    }

    private static func decode(_ bytes: UnsafeRawBufferPointer) {
        for scale in [JPEGDecoder.Scale.eighth, .full] {
            guard let picture = try? JPEGDecoder.decode(bytes, pixelLimit: pixelLimit, scale: scale) else { continue }
            // Each sample is touched, so that one outside the memory is found.
            let sum = picture.withUnsafeBytes { samples in
                picture.planes.reduce(0) { sum, plane in
                    (0..<plane.height).reduce(sum) { sum, row in
                        let start = plane.offset + row * plane.stride
                        return samples[start..<(start + plane.width)].reduce(sum) { $0 &+ Int($1) }
                    }
                }
            }
            Fuzz.expect(sum >= 0, "a picture's samples")
            _ = picture.layout
        }
    }

    private static func show(_ bytes: UnsafeRawBufferPointer) {
        let target = PixelSize(width: 40, height: 30)
        for mode in [ImageContentMode.aspectFit, .aspectFill] {
            let image = try? PhotoImage.read(
                bytes, targetSize: target, contentMode: mode, exactness: .exact, pixelLimit: pixelLimit)
            guard let image else { continue }
            let fits = image.width <= target.width && image.height <= target.height
            Fuzz.expect(fits || mode == .aspectFill, "\(image.width) × \(image.height) does not fit")
            Fuzz.expect(sum(image) >= 0, "a picture's pixels")
        }
        if let small = PhotoImage.thumbnail(in: bytes) { Fuzz.expect(sum(small.image) >= 0, "a thumbnail's pixels") }
    }

    /// Each pixel is touched, so that one outside the memory is found.
    private static func sum(_ image: PhotoImage) -> Int {
        image.withUnsafeBytes { $0.reduce(0) { $0 &+ Int($1) } }
    }

    private static func embed(_ bytes: UnsafeRawBufferPointer) {
        guard let thumbnail = try? JPEGStructure.withoutJFIF(Array(bytes)) else { return }
        do throws(ImagingError) {
            let head = try ExifSegment.fileHead(
                metadata: nil, orientation: 6, width: 640, height: 480, thumbnail: thumbnail)
            let file = head + thumbnail.dropFirst(2)
            let info = try file.withUnsafeBufferPointer { (file) throws(ImagingError) in
                try PhotoFileInfo(file: UnsafeRawBufferPointer(file)) { _ in 0 }
            }
            Fuzz.expect(info.orientation == 6, "the orientation around a thumbnail is \(info.orientation)")
        } catch {
            let isExpected = error == .metadataTooLarge || error == .tooLarge
            Fuzz.expect(isExpected, "a thumbnail makes a file that is refused: \(error)")
        }
    }
}

import Glibc
import Platform

/// Makes complete JPEG files with Exif and thumbnail from uncompressed pictures.
///
/// - Isolation: one thread at a time; a thread makes its own and keeps it, for the codec's memory is reused.
public final class PhotoEncoder {
    private let compressor: any PictureCompressor
    private let thumbnailCompressor: TurboJPEGCompressor

    /// An encoder with its own codec.
    ///
    /// - Throws: `.outOfMemory`.
    public init() throws(ImagingError) {
        let turbo = try TurboJPEGCompressor()
        compressor = turbo
        thumbnailCompressor = turbo
    }

    /// Encodes a picture, reading its samples in place.
    ///
    /// - Parameters:
    ///   - picture: borrowed for the length of the call.
    ///   - quality: 1…100 on libjpeg's scale; values outside are clamped.
    ///   - thumbnail: whether the Exif segment gets a thumbnail of 160 × 120.
    /// - Throws: `.outOfMemory`, `.tooLarge` above 65,500 pixels a side, `.metadataTooLarge`, `.codec`.
    /// - Blocking: for the whole compression.
    public func encode(
        _ picture: Picture, metadata: PhotoMetadata, quality: Int, thumbnail: Bool
    ) throws(ImagingError) -> EncodedPhoto {
        let layout = picture.layout
        let (head, thumbnail) = try fileHead(picture, metadata: metadata, thumbnail: thumbnail)
        // The head's size is known before the picture is compressed, so both go into one allocation: the codec writes
        // its SOI and JFIF segment over where the head's end will stand.
        let headroom = head.count - Self.prefix.count
        let (capacity, overflow) = compressor.byteLimit(for: layout).addingReportingOverflow(headroom)
        guard !overflow, let memory = malloc(capacity) else { throw .outOfMemory }
        let file = UnsafeMutableRawBufferPointer(start: memory, count: capacity)
        let byteCount: Int
        do throws(ImagingError) {
            let room = UnsafeMutableRawBufferPointer(rebasing: file[headroom...])
            byteCount = headroom + (try compressor.compress(picture, quality: quality, into: room))
            guard byteCount > head.count, room.starts(with: Self.prefix) else {
                throw .codec("the compressed picture does not begin with a JFIF segment")
            }
        } catch {
            free(memory)
            throw error
        }
        file.copyBytes(from: head)
        let trimmed = UnsafeMutableRawBufferPointer(start: realloc(memory, byteCount) ?? memory, count: byteCount)
        return EncodedPhoto(
            adopting: trimmed, exifRange: 2..<head.count, metadata: metadata, orientation: metadata.orientation,
            width: layout.width, height: layout.height, thumbnail: thumbnail)
    }

    /// SOI and the JFIF 1.01 segment as libjpeg writes them.
    private static let prefix: [UInt8] = [
        0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0,
    ]

    private func fileHead(
        _ picture: Picture, metadata: PhotoMetadata, thumbnail: Bool
    ) throws(ImagingError) -> (head: [UInt8], thumbnail: [UInt8]?) {
        func head(_ jpeg: [UInt8]?) throws(ImagingError) -> [UInt8] {
            try ExifSegment.fileHead(
                metadata: metadata, orientation: metadata.orientation, width: picture.layout.width,
                height: picture.layout.height, thumbnail: jpeg)
        }
        guard thumbnail else { return (try head(nil), nil) }
        let small = Thumbnail(of: picture)
        for quality in [85, 70, 50, 25] {
            let jpeg = try compressed(small, quality: quality)
            do throws(ImagingError) {
                return (try head(jpeg), jpeg)
            } catch .metadataTooLarge {
                continue
            }
        }
        throw .metadataTooLarge
    }

    private func compressed(_ thumbnail: Thumbnail, quality: Int) throws(ImagingError) -> [UInt8] {
        var jpeg = [UInt8](repeating: 0, count: thumbnailCompressor.byteLimit(for: Thumbnail.layout))
        let count = try jpeg.withMutableBytes { (room) throws(ImagingError) in
            try thumbnail.withPicture { (picture) throws(ImagingError) in
                try thumbnailCompressor.compress(picture, quality: quality, into: room)
            }
        }
        return try JPEGStructure.withoutJFIF(Array(jpeg.prefix(count)))
    }
}

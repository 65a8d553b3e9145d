import FoundationEssentials
import Glibc

/// A complete JPEG file in memory.
///
/// - Ownership: owns one allocation, freed with the last reference.
public final class EncodedPhoto: Sendable {
    /// What happens to a part of the file when the file is written again.
    public enum Replacement<Part: Sendable>: Sendable {
        /// The part stays as it is.
        case keep
        /// This part is written in its place.
        case replace(Part)
        /// The new file lacks the part.
        case strip
    }

    /// Size of the file in bytes.
    public var byteCount: Int { memory.byteCount }
    /// Width of the picture as stored, before orientation is applied.
    public let width: Int
    /// Height of the picture as stored, before orientation is applied.
    public let height: Int
    /// What the file's Exif says; nil when it was stripped.
    public let metadata: PhotoMetadata?
    /// The thumbnail in the Exif segment, as a JPEG; nil when there is none.
    public let thumbnail: Data?
    /// The whole APP1 segment with its marker.
    package let exifRange: Range<Int>
    private let memory: Allocation
    private let orientation: Int

    /// Takes over a file's allocation, which was made with `malloc`.
    init(
        adopting file: UnsafeMutableRawBufferPointer, exifRange: Range<Int>, metadata: PhotoMetadata?,
        orientation: Int, width: Int, height: Int, thumbnail: [UInt8]?
    ) {
        memory = Allocation(adopting: file)
        self.exifRange = exifRange
        self.metadata = metadata
        self.orientation = orientation
        self.width = width
        self.height = height
        self.thumbnail = thumbnail.map { Data($0) }
    }

    /// Lends the file's bytes for the length of the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withUnsafeBytes(body)
    }

    /// The file as data that shares this photo's memory and keeps it alive.
    public var data: Data {
        memory.data
    }

    /// The same compressed picture with other metadata or another thumbnail.
    ///
    /// Without metadata only what showing the picture needs is written, orientation among it.
    /// - Parameters:
    ///   - metadata: for instance the present metadata without its position.
    ///   - thumbnail: a JPEG; small enough for the segment.
    /// - Throws: `.metadataTooLarge`, `.invalidFile` for a thumbnail that is not a JPEG, `.outOfMemory`.
    public func replacing(
        metadata: Replacement<PhotoMetadata> = .keep, thumbnail: Replacement<Data> = .keep
    ) throws(ImagingError) -> EncodedPhoto {
        let newMetadata: PhotoMetadata? =
            switch metadata {
            case .keep: self.metadata
            case .replace(let replacement): replacement
            case .strip: nil
            }
        let newThumbnail: [UInt8]? =
            switch thumbnail {
            case .keep: self.thumbnail.map { Array($0) }
            case .replace(let replacement): try JPEGStructure.withoutJFIF(Array(replacement))
            case .strip: nil
            }
        let newOrientation = newMetadata?.orientation ?? orientation
        let head = try ExifSegment.fileHead(
            metadata: newMetadata, orientation: newOrientation, width: width, height: height, thumbnail: newThumbnail)
        let rest = byteCount - exifRange.upperBound
        guard let memory = malloc(head.count + rest) else { throw .outOfMemory }
        let file = UnsafeMutableRawBufferPointer(start: memory, count: head.count + rest)
        file.copyBytes(from: head)
        withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: file[head.count...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[exifRange.upperBound...]))
        }
        return EncodedPhoto(
            adopting: file, exifRange: 2..<head.count, metadata: newMetadata, orientation: newOrientation,
            width: width, height: height, thumbnail: newThumbnail)
    }
}

/// A complete raw file (DNG) in memory.
///
/// - Ownership: owns one allocation, freed with the last reference.
package final class EncodedRawPhoto: Sendable {
    /// Size of the file in bytes.
    package var byteCount: Int { memory.byteCount }
    private let memory: Allocation

    /// Takes over a file's allocation, which was made with `malloc`.
    package init(adopting file: UnsafeMutableRawBufferPointer) {
        memory = Allocation(adopting: file)
    }

    /// Lends the file's bytes for the length of the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withUnsafeBytes(body)
    }
}

/// Memory from `malloc` that is not written any more.
///
/// - Ownership: freed with the last reference.
final class Allocation: Sendable {
    /// Its size in bytes.
    let byteCount: Int
    /// The address as a number, so that the class is checked `Sendable`.
    private let address: UInt

    /// Takes over memory that was made with `malloc`.
    init(adopting memory: UnsafeMutableRawBufferPointer) {
        byteCount = memory.count
        address = UInt(bitPattern: memory.baseAddress)
    }

    deinit { free(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Lends the bytes for the length of the call.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: byteCount))
    }

    /// The bytes as data that shares this memory and keeps it alive.
    var data: Data {
        guard let base = UnsafeMutableRawPointer(bitPattern: address) else { return Data() }
        return Data(bytesNoCopy: base, count: byteCount, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}

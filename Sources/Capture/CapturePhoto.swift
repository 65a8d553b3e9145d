import FoundationEssentials
import Imaging
import Platform

/// One photo of a capture, or the place where it would be when the capture failed.
public final class CapturePhoto: Sendable {
    /// An uncompressed picture, copied out of the camera's buffer.
    public struct PixelBuffer: Sendable {
        /// Where the samples lie in `bytes`.
        public let layout: PictureLayout
        /// The samples.
        public let bytes: [UInt8]
    }

    enum Content: Sendable {
        case none
        case encoded(EncodedPhoto, EncodedBudget.Share)
        case pixels(PixelBuffer)
    }

    /// The resolved settings of the capture.
    public let resolvedSettings: CaptureResolvedPhotoSettings
    /// The moment that the picture shows: the middle of the exposure of its middle row. nil without a picture.
    public let timestamp: MonotonicTime?
    /// Counts the frames of the camera. nil without a picture.
    package let frameSequence: UInt64?
    /// What the file's Exif says. nil without a picture.
    public let metadata: PhotoMetadata?
    /// Counts the photos of the capture from 1.
    public let photoCount: Int
    /// True for a photo of raw sensor data.
    public let isRawPhoto = false
    /// Position in a bracket from 1; 0 outside one.
    public let sequenceCount = 0

    private let content: Content

    init(
        resolvedSettings: CaptureResolvedPhotoSettings, frame: Frame?, metadata: PhotoMetadata?, content: Content
    ) {
        self.resolvedSettings = resolvedSettings
        timestamp = frame?.midpoint
        frameSequence = frame?.sequence
        self.metadata = metadata
        photoCount = 1
        self.content = content
    }

    /// The complete file, ready to be saved; nil when there is no compressed picture.
    ///
    /// - Ownership: the bytes are shared, not copied, and stay in memory until every such `Data` is gone.
    public func fileDataRepresentation() -> Data? {
        guard case .encoded(let photo, let share) = content else { return nil }
        return Self.data(photo, share)
    }

    /// The complete file with some of its parts kept, replaced or left out; nil when there is no compressed picture or
    /// the new parts do not fit.
    public func fileDataRepresentation(with customizer: any CapturePhotoFileDataRepresentationCustomizer) -> Data? {
        guard case .encoded(let photo, let share) = content else { return nil }
        var metadata = customizer.replacementMetadata(for: self)
        let position: PhotoMetadata.Position??
        switch customizer.replacementPosition(for: self) {
        case .keep: position = nil
        case .replace(let replacement): position = .some(replacement)
        case .strip: position = .some(nil)
        }
        if let position {
            switch metadata {
            case .keep:
                guard var kept = self.metadata else { break }
                kept.position = position
                metadata = .replace(kept)
            case .replace(var replacement):
                replacement.position = position
                metadata = .replace(replacement)
            case .strip: break
            }
        }
        let thumbnail = customizer.replacementEmbeddedThumbnail(for: self)
        return (try? photo.replacing(metadata: metadata, thumbnail: thumbnail)).map { Self.data($0, share) }
    }

    /// The small JPEG inside the file.
    public var embeddedThumbnail: Data? {
        guard case .encoded(let photo, _) = content else { return nil }
        return photo.thumbnail
    }

    /// The uncompressed picture, when one was asked for.
    public var pixelBuffer: PixelBuffer? {
        guard case .pixels(let buffer) = content else { return nil }
        return buffer
    }

    private static func data(_ photo: EncodedPhoto, _ share: EncodedBudget.Share) -> Data {
        photo.withUnsafeBytes { bytes in
            Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes.baseAddress!), count: bytes.count,
                deallocator: .custom { _, _ in withExtendedLifetime((photo, share)) {} })
        }
    }
}

/// Chooses what a saved file carries besides the picture.
public protocol CapturePhotoFileDataRepresentationCustomizer {
    /// What becomes of all metadata, the position included.
    func replacementMetadata(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata>
    /// What becomes of the position.
    func replacementPosition(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata.Position>
    /// What becomes of the small picture.
    func replacementEmbeddedThumbnail(for photo: CapturePhoto) -> EncodedPhoto.Replacement<Data>
}

extension CapturePhotoFileDataRepresentationCustomizer {
    /// Keeps it.
    public func replacementMetadata(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata> { .keep }
    /// Keeps it.
    public func replacementPosition(
        for photo: CapturePhoto
    ) -> EncodedPhoto.Replacement<PhotoMetadata.Position> { .keep }
    /// Keeps it.
    public func replacementEmbeddedThumbnail(for photo: CapturePhoto) -> EncodedPhoto.Replacement<Data> { .keep }
}

import FoundationEssentials
import Imaging
import Platform

/// One photo of a capture, or the place where it would be when the capture failed.
public final class CapturePhoto: Sendable {
    /// An uncompressed picture, copied out of the camera's buffer.
    public struct PixelBuffer: Sendable {
        /// Where the samples lie in `bytes`.
        public let layout: PictureLayout
        /// The samples of all planes with the padding of their rows: `layout.byteCount` bytes.
        public let bytes: [UInt8]
    }

    enum Content: Sendable {
        case none
        case encoded(EncodedPhoto, EncodedBudget.Share)
        case raw(EncodedRawPhoto, any RawPhotoEncoding, EncodedBudget.Share)
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
    public let isRawPhoto: Bool
    /// Position of its frame in a bracket from 1; 0 outside one.
    public let sequenceCount: Int

    private let content: Content

    init(
        resolvedSettings: CaptureResolvedPhotoSettings, place: PhotoCapture.Place, frame: Frame? = nil,
        metadata: PhotoMetadata? = nil, content: Content = .none
    ) {
        self.resolvedSettings = resolvedSettings
        timestamp = frame?.midpoint
        frameSequence = frame?.sequence
        self.metadata = metadata
        photoCount = place.photoCount
        isRawPhoto = place.kind == .raw
        sequenceCount = place.sequenceCount
        self.content = content
    }

    /// The complete file, ready to be saved; nil when there is no compressed or raw picture.
    ///
    /// - Ownership: the bytes are shared, not copied, and stay in memory until every such `Data` is gone.
    public func fileDataRepresentation() -> Data? {
        switch content {
        case .encoded(let photo, let share): Self.data(photo, share)
        case .raw(let photo, _, let share): Self.data(photo, share)
        case .none, .pixels: nil
        }
    }

    /// The complete file with some of its parts kept, replaced or left out; nil when there is no compressed or raw
    /// picture, or when the new parts do not fit.
    public func fileDataRepresentation(with customizer: any CapturePhotoFileDataRepresentationCustomizer) -> Data? {
        func metadata() -> EncodedPhoto.Replacement<PhotoMetadata> { replacementMetadata(customizer) }
        func thumbnail() -> EncodedPhoto.Replacement<Data> { customizer.replacementEmbeddedThumbnail(for: self) }
        do throws(ImagingError) {
            switch content {
            case .encoded(let photo, let share):
                return Self.data(try photo.replacing(metadata: metadata(), thumbnail: thumbnail()), share)
            case .raw(let photo, let encoding, let share):
                return Self.data(
                    try encoding.replacing(in: photo, metadata: metadata(), thumbnail: thumbnail()), share)
            case .none, .pixels: return nil
            }
        } catch {
            return nil
        }
    }

    /// Joins what a customizer says about the metadata with what it says about the position.
    private func replacementMetadata(
        _ customizer: any CapturePhotoFileDataRepresentationCustomizer
    ) -> EncodedPhoto.Replacement<PhotoMetadata> {
        let metadata = customizer.replacementMetadata(for: self)
        let position: PhotoMetadata.Position?
        switch customizer.replacementPosition(for: self) {
        case .keep: return metadata
        case .replace(let replacement): position = replacement
        case .strip: position = nil
        }
        switch metadata {
        case .keep:
            guard var kept = self.metadata else { return .keep }
            kept.position = position
            return .replace(kept)
        case .replace(var replacement):
            replacement.position = position
            return .replace(replacement)
        case .strip: return .strip
        }
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
        photo.withUnsafeBytes { data($0, holding: (photo, share)) }
    }

    private static func data(_ photo: EncodedRawPhoto, _ share: EncodedBudget.Share) -> Data {
        photo.withUnsafeBytes { data($0, holding: (photo, share)) }
    }

    private static func data(_ bytes: UnsafeRawBufferPointer, holding owner: some Sendable) -> Data {
        guard let base = bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count,
            deallocator: .custom { _, _ in withExtendedLifetime(owner) {} })
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
    /// Keeps the metadata as the file has it.
    public func replacementMetadata(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata> { .keep }
    /// Keeps the position that the metadata has, replaced or not.
    public func replacementPosition(
        for photo: CapturePhoto
    ) -> EncodedPhoto.Replacement<PhotoMetadata.Position> { .keep }
    /// Keeps the thumbnail that the file has, if any.
    public func replacementEmbeddedThumbnail(for photo: CapturePhoto) -> EncodedPhoto.Replacement<Data> { .keep }
}

import Platform
import Synchronization

/// What one photo shall be like. Used for one capture only; `init(from:)` makes another with the same wishes.
///
/// - Isolation: set it up in one place, then hand it over; the output copies it when the capture is accepted.
public final class CapturePhotoSettings {
    /// A compressed format.
    public enum CodecType: String, Sendable {
        /// Baseline JPEG (ISO/IEC 10918-1), 4:2:0.
        case jpeg
    }

    /// How much time quality may cost.
    public enum QualityPrioritization: Int, Comparable, Sendable {
        /// Fastest.
        case speed = 1
        /// Between the two.
        case balanced = 2
        /// Best picture.
        case quality = 3

        /// Orders from speed to quality.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Use of a flash.
    public enum FlashMode: Int, Sendable {
        /// No flash.
        case off = 0
        /// Always.
        case on = 1
        /// When it is dark.
        case auto = 2
    }

    /// Text tags that may be given for one photo.
    public enum MetadataKey: String, CaseIterable, Sendable {
        /// Exif ImageDescription.
        case imageDescription = "ImageDescription"
        /// Exif Artist.
        case artist = "Artist"
        /// Exif Copyright.
        case copyright = "Copyright"
    }

    /// The moment the photo shall show.
    public enum Moment: Hashable, Sendable {
        /// The frame whose exposure midpoint is nearest to it.
        case nearest(MonotonicTime)
        /// The first frame whose exposure starts at or after it.
        case after(MonotonicTime)
    }

    private static let nextUniqueID = Atomic<Int64>(1)

    /// Names the capture in its resolved settings.
    public let uniqueID: Int64
    /// The compressed format; nil when an uncompressed picture is asked for.
    public var codec: CodecType?
    /// The uncompressed format, one of the output's `availablePhotoPixelFormats`; nil for a compressed photo.
    public var pixelFormat: CapturePhotoOutput.PixelFormat?
    /// JPEG quality 1…100; nil for the output's own.
    public var quality: Int?
    /// True when the file shall carry a small picture of itself.
    public var embedsThumbnail = true
    /// How much time quality may cost; at most the output's `maxPhotoQualityPrioritization`.
    public var photoQualityPrioritization = QualityPrioritization.balanced
    /// Use of a flash; must be one of the output's `supportedFlashModes`.
    public var flashMode = FlashMode.off
    /// Text tags by their Exif name; unknown names are refused.
    public var metadata: [String: String] = [:]
    /// The moment the photo shall show; nil for the moment of the call.
    public var moment: Moment?
    /// The identifier of the asset to come, 32 hexadecimal digits, written as Exif ImageUniqueID.
    package var identifier: String?
    /// A frame claimed earlier for this photo.
    package var reservation: FrameReservation?
    /// Overrides `moment` inside a burst: the first frame after this one.
    package var followingSequence: UInt64?
    /// Told which frame was chosen, on the callback thread, before the photo is encoded.
    package var frameChosen: (@Sendable (_ sequence: UInt64) -> Void)?
    /// True once a capture was accepted with these settings.
    var isUsed = false

    /// A JPEG.
    public init() {
        uniqueID = Self.nextUniqueID.add(1, ordering: .relaxed).oldValue
        codec = .jpeg
    }

    /// A photo in the format given.
    public init(codec: CodecType?, pixelFormat: CapturePhotoOutput.PixelFormat? = nil) {
        uniqueID = Self.nextUniqueID.add(1, ordering: .relaxed).oldValue
        self.codec = codec
        self.pixelFormat = pixelFormat
    }

    /// The same wishes under an id of their own.
    public convenience init(from other: CapturePhotoSettings) {
        self.init(codec: other.codec, pixelFormat: other.pixelFormat)
        quality = other.quality
        embedsThumbnail = other.embedsThumbnail
        photoQualityPrioritization = other.photoQualityPrioritization
        flashMode = other.flashMode
        metadata = other.metadata
        moment = other.moment
    }

    /// The rule that chooses the frame.
    func frameRule(now: MonotonicTime) -> FrameRule {
        if let followingSequence { return .following(sequence: followingSequence) }
        return switch moment {
        case .nearest(let moment): .nearest(moment)
        case .after(let moment): .after(moment)
        case nil: .nearest(now)
        }
    }
}

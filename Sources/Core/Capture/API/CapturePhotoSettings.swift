import Platform
import Synchronization

/// The settings of one photo. Used for one capture only; `init(from:)` copies them for another.
///
/// - Isolation: set it up in one place, then hand it over; the output copies it when the capture is accepted.
public class CapturePhotoSettings {
    /// A compressed format, by Apple's name for it. What an output makes is in its `availablePhotoCodecTypes`.
    public struct CodecType: RawRepresentable, Hashable, Sendable {
        /// Apple's name for the format, such as `jpeg` or `hvc1`.
        public let rawValue: String

        /// A format by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Baseline JPEG (ISO/IEC 10918-1), 4:2:0.
        public static let jpeg = CodecType(rawValue: "jpeg")
        /// HEVC still pictures (ISO/IEC 23008-12).
        public static let hevc = CodecType(rawValue: "hvc1")
    }

    /// Whether speed or quality matters more.
    public enum QualityPrioritization: Int, Comparable, Sendable {
        /// Speed matters more than quality.
        case speed = 1
        /// Neither matters more: the default, and the most that an output accepts at first.
        case balanced = 2
        /// Quality matters more; refused unless the output's `maxPhotoQualityPrioritization` allows it.
        case quality = 3

        /// Orders from speed to quality.
        public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Use of a flash.
    public enum FlashMode: Int, Sendable {
        /// The flash stays off: the default, and the only mode while no flash is wired.
        case off = 0
        /// The flash fires for every photo.
        case on = 1
        /// When it is dark.
        case auto = 2
    }

    /// Text tags that may be given for one photo.
    public enum MetadataKey: String, CaseIterable, Sendable {
        /// What the photo shows (Exif ImageDescription).
        case imageDescription = "ImageDescription"
        /// Who took the photo (Exif Artist).
        case artist = "Artist"
        /// The copyright notice (Exif Copyright).
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

    /// In a format dictionary: the codec, a `CodecType`.
    public static let codecKey = "AVVideoCodecKey"
    /// In a format dictionary: a dictionary of compression properties.
    public static let compressionPropertiesKey = "AVVideoCompressionPropertiesKey"
    /// In the compression properties: the quality, from 0 to 1.
    public static let compressionQualityKey = "AVVideoQualityKey"

    /// Names the capture in its resolved settings.
    public let uniqueID: Int64
    var request: PhotoRequest
    /// The identifier of the asset to come, 32 hexadecimal digits, written as Exif ImageUniqueID.
    package var identifier: String?
    /// A frame claimed earlier for this photo; not for a bracket.
    package var reservation: FrameReservation?
    /// Overrides `moment` inside a burst: the first frame after this one.
    package var followingSequence: UInt64?
    /// Receives the number of each chosen frame, on the callback thread, before its photo is encoded.
    package var frameChosen: (@Sendable (_ sequence: UInt64) -> Void)?
    /// True once a capture was accepted with these settings.
    var isUsed = false

    init(request: PhotoRequest) {
        uniqueID = Self.nextUniqueID.add(1, ordering: .relaxed).oldValue
        self.request = request
    }

    /// A processed photo as a JPEG, without raw data.
    public convenience init() {
        self.init(codec: .jpeg)
    }

    /// A photo in the format given.
    public convenience init(codec: CodecType?, pixelFormat: CapturePhotoOutput.PixelFormat? = nil) {
        self.init(request: PhotoRequest(codec: codec, pixelFormat: pixelFormat))
    }

    /// A photo in the format of a dictionary with `codecKey`, and with `compressionPropertiesKey` where wanted; nil for
    /// a JPEG. What the dictionary has besides is refused when the photo is taken.
    public convenience init(format: [String: Any]?) {
        self.init(request: PhotoRequest(format: format, rawPixelFormat: nil))
    }

    /// A raw photo, and of the same frame a processed one when a format for it is given.
    ///
    /// - Parameters:
    ///   - rawPixelFormatType: one of the output's `availableRawPhotoPixelFormatTypes`.
    ///   - processedFormat: as for `init(format:)`; nil for a raw photo alone.
    public convenience init(
        rawPixelFormatType: CapturePhotoOutput.RawPixelFormat, processedFormat: [String: Any]? = nil
    ) {
        self.init(request: PhotoRequest(format: processedFormat, rawPixelFormat: rawPixelFormatType))
    }

    /// A copy with its own id; the copy of a bracket is a bracket.
    public convenience init(from other: CapturePhotoSettings) {
        self.init(request: other.request)
    }

    /// The compressed format; nil when no compressed picture is asked for.
    public var codec: CodecType? {
        get { request.codec }
        set { request.codec = newValue }
    }

    /// The uncompressed format, one of the output's `availablePhotoPixelFormats`; nil for a compressed photo.
    public var pixelFormat: CapturePhotoOutput.PixelFormat? {
        get { request.pixelFormat }
        set { request.pixelFormat = newValue }
    }

    /// The raw format; nil when no raw photo is asked for.
    public var rawPhotoPixelFormatType: CapturePhotoOutput.RawPixelFormat? { request.rawPixelFormat }

    /// JPEG quality 1…100; nil for the output's own.
    public var quality: Int? {
        get { request.quality }
        set { request.quality = newValue }
    }

    /// True when the file shall carry a small picture of itself.
    public var embedsThumbnail: Bool {
        get { request.embedsThumbnail }
        set { request.embedsThumbnail = newValue }
    }

    /// How much time quality may cost; at most the output's `maxPhotoQualityPrioritization`.
    public var photoQualityPrioritization: QualityPrioritization {
        get { request.photoQualityPrioritization }
        set { request.photoQualityPrioritization = newValue }
    }

    /// Use of a flash; must be one of the output's `supportedFlashModes`.
    public var flashMode: FlashMode {
        get { request.flashMode }
        set { request.flashMode = newValue }
    }

    /// Text tags by their Exif name; unknown names are refused.
    public var metadata: [String: String] {
        get { request.metadata }
        set { request.metadata = newValue }
    }

    /// The moment the photo shall show; nil for the moment of the call. A bracket begins at or after it.
    public var moment: Moment? {
        get { request.moment }
        set { request.moment = newValue }
    }
}

/// The actual properties of a capture; each of its callbacks receives the same object.
public final class CaptureResolvedPhotoSettings: Sendable {
    /// A size in pixels.
    public struct Dimensions: Hashable, Sendable {
        /// Width in pixels; 0 when there is no such picture.
        public let width: Int
        /// Height in pixels; 0 when there is no such picture.
        public let height: Int
    }

    /// The id of the settings.
    public let uniqueID: Int64
    /// Size of the processed photo; zero when only raw ones come.
    public let photoDimensions: Dimensions
    /// Size of the raw photo; zero when none comes.
    public let rawPhotoDimensions: Dimensions
    /// Size of the small picture in the file; zero when there is none.
    public let embeddedThumbnailDimensions: Dimensions
    /// How often `didFinishProcessing` comes.
    public let expectedPhotoCount: Int
    /// True when the flash fires.
    public let isFlashEnabled = false

    init(
        uniqueID: Int64, photo: Dimensions? = nil, raw: Dimensions? = nil, hasThumbnail: Bool = false,
        expectedPhotoCount: Int
    ) {
        let none = Dimensions(width: 0, height: 0)
        self.uniqueID = uniqueID
        photoDimensions = photo ?? none
        rawPhotoDimensions = raw ?? none
        embeddedThumbnailDimensions = hasThumbnail ? Dimensions(width: 160, height: 120) : none
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// How an image is wanted.
public final class ImageRequestOptions {
    /// What matters more, an early image or a good one. The numbers are Apple's.
    public enum DeliveryMode: Int, Hashable, Sendable {
        /// The small picture in the photo's Exif first where there is one, then the image asked for. A synchronous
        /// request gets only the image asked for.
        case opportunistic = 0
        /// Only the image asked for.
        case highQualityFormat = 1
        /// One image, as early as possible: the small picture where there is one.
        case fastFormat = 2
    }

    /// How near the image's size comes to the target. A photo is never enlarged, cut or put out of shape. The numbers
    /// are Apple's.
    public enum ResizeMode: Int, Hashable, Sendable {
        /// The photo's own size.
        case none = 0
        /// At least the size that meets the target, whichever costs least.
        case fast = 1
        /// The size that meets the target.
        case exact = 2
    }

    /// True for a request that calls its handler once, on the calling thread, before it returns.
    public var isSynchronous = false
    /// Whether speed or quality is more important.
    public var deliveryMode = DeliveryMode.opportunistic
    /// How near the size comes.
    public var resizeMode = ResizeMode.fast

    /// An image of at least the target's size, with a small one before it.
    public init() {}
}

/// Names a request, to cancel it; above zero.
public typealias ImageRequestID = Int32

/// What a result handler receives besides the image.
public struct ImageRequestInfo: Sendable {
    /// The identifier of the request, for `cancelImageRequest`.
    public let requestID: ImageRequestID
    /// True for an image with fewer pixels than were asked for.
    public var isDegraded = false
    /// True when the request was canceled; there is no image, and no further call.
    public var isCancelled = false
    /// Why there is no image.
    public var error: PhotosError?
}

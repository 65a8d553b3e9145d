/// What a capture turned out to be; the same object comes with each of its callbacks.
public final class CaptureResolvedPhotoSettings: Sendable {
    /// A size in pixels.
    public struct Dimensions: Hashable, Sendable {
        /// Pixels.
        public let width: Int
        /// Pixels.
        public let height: Int
    }

    /// The id of the settings.
    public let uniqueID: Int64
    /// Size of the photo.
    public let photoDimensions: Dimensions
    /// Size of the small picture in the file; zero when there is none.
    public let embeddedThumbnailDimensions: Dimensions
    /// How often `didFinishProcessing` comes.
    public let expectedPhotoCount: Int
    /// True when the flash fires.
    public let isFlashEnabled: Bool

    init(uniqueID: Int64, width: Int, height: Int, hasThumbnail: Bool) {
        self.uniqueID = uniqueID
        photoDimensions = Dimensions(width: width, height: height)
        embeddedThumbnailDimensions =
            hasThumbnail ? Dimensions(width: 160, height: 120) : Dimensions(width: 0, height: 0)
        expectedPhotoCount = 1
        isFlashEnabled = false
    }
}

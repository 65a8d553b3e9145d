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

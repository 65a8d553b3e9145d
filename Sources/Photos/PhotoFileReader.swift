import Platform

/// Reads what a photo's file says about itself; the composition root joins it to Imaging.
package protocol PhotoFileReader: Sendable {
    /// What a whole file says; nil when it is not a photo at all.
    ///
    /// - Isolation: the library's thread.
    func read(_ file: UnsafeRawBufferPointer) -> PhotoFileInfo?
}

/// What a photo's file says about itself.
package struct PhotoFileInfo: Hashable, Sendable {
    /// Width in pixels.
    package var width: Int
    /// Height in pixels.
    package var height: Int
    /// Moment of exposure, where the file has one.
    package var captured: WallTime?
    /// Exif ImageUniqueID, where the file has one.
    package var imageUniqueID: String?
    /// True when the file has its end.
    package var isComplete: Bool

    /// Facts from their parts.
    package init(width: Int, height: Int, captured: WallTime?, imageUniqueID: String?, isComplete: Bool) {
        self.width = width
        self.height = height
        self.captured = captured
        self.imageUniqueID = imageUniqueID
        self.isComplete = isComplete
    }
}

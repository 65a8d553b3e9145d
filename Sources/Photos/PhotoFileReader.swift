import Platform

/// Reads what a photo's file says about itself; the composition root joins it to Imaging.
package protocol PhotoFileReader: Sendable {
    /// What a whole file says. A file is of an unknown kind when its first 4096 bytes are.
    ///
    /// - Throws: a fault for a file that begins like a JPEG or TIFF file and is not whole.
    /// - Isolation: the library's thread.
    func read(_ file: UnsafeRawBufferPointer) throws(PhotoFileFault) -> PhotoFileInfo
}

/// What a photo's file says about itself.
package struct PhotoFileInfo: Hashable, Sendable {
    /// The kinds the library tells apart.
    package enum Kind: Sendable { case jpeg, dng, tiff, unknown }
    /// What the file is by its content.
    package var kind: Kind
    /// Width in pixels as stored, 0 when not known.
    package var width: Int
    /// Height in pixels as stored, 0 when not known.
    package var height: Int
    /// How the pixels are to be turned for looking at (Exif 3.0, Orientation), 1…8.
    package var orientation: Int
    /// Moment of exposure, where the file has one.
    package var captured: WallTime?
    /// Exif ImageUniqueID, where the file has one.
    package var imageUniqueID: String?

    /// Facts from their parts.
    package init(
        kind: Kind, width: Int, height: Int, orientation: Int = 1, captured: WallTime? = nil,
        imageUniqueID: String? = nil
    ) {
        self.kind = kind
        self.width = width
        self.height = height
        self.orientation = orientation
        self.captured = captured
        self.imageUniqueID = imageUniqueID
    }

    /// A file that says nothing.
    package static let unknown = PhotoFileInfo(kind: .unknown, width: 0, height: 0)
}

/// Why a file is no photo, though it claims to be one.
package struct PhotoFileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Half a sentence about the file: `its end is missing`.
    package let description: String

    /// A fault with its half sentence.
    package init(_ description: String) {
        self.description = description
    }
}

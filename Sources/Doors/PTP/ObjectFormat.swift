/// The formats of objects that the store holds or takes (PTP, ISO 15740, clause 6.2; MTP 1.1, appendix A).
package enum ObjectFormat: UInt16, CaseIterable, Sendable {
    /// Anything else.
    case undefined = 0x3000
    /// A folder.
    case association = 0x3001
    /// JPEG with Exif; also that of a photo of which nothing else is known.
    case exifJPEG = 0x3801
    /// JPEG with JFIF; what a thumbnail is said to be.
    case jfif = 0x3808
    /// TIFF.
    case tiff = 0x380d
    /// DNG.
    case dng = 0x3811

    /// True for what an initiator means by all pictures.
    package var isImage: Bool { rawValue >= 0x3800 }
}

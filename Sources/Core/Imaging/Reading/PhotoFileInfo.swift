import Platform

/// What a photo's file says about itself, read without decoding its picture.
public struct PhotoFileInfo: Hashable, Sendable {
    /// What kind of file it is.
    public var kind: PhotoFileKind
    /// Width as stored, before orientation is applied; 0 for an unknown file.
    public var width: Int
    /// Height as stored, before orientation is applied; 0 for an unknown file.
    public var height: Int
    /// The Exif orientation value 1…8; 1 when the file does not say.
    public var orientation: Int
    /// Moment of exposure (DateTimeOriginal, else DateTimeDigitized, else DateTime); nil when the file does not say.
    public var captureTime: WallTime?
    /// Exif ImageUniqueID; nil when the file does not say.
    public var imageUniqueID: String?
    /// Size of the file in bytes.
    public var byteCount: Int
    /// False when a JPEG's end-of-image marker is missing, so that something was cut off.
    public var isComplete: Bool

    /// Reads a whole file in memory. The bytes may be anything.
    ///
    /// - Parameter zone: gives the offset in seconds east for a date without one, from the date's seconds since 1970
    ///   read as if it were UTC.
    /// - Throws: `.invalidFile` naming the fault for a file that begins like a JPEG or TIFF file and is none,
    ///   `.tooLarge`.
    public init(file: UnsafeRawBufferPointer, zone: (_ unixSeconds: Int64) -> Int) throws(ImagingError) {
        self = try PhotoFileReader.info(file, zone: zone)
    }

    /// A file of this kind; width and height are in pixels, 0 when not known.
    package init(
        kind: PhotoFileKind, width: Int, height: Int, orientation: Int = 1, captureTime: WallTime? = nil,
        imageUniqueID: String? = nil, byteCount: Int = 0, isComplete: Bool = true
    ) {
        self.kind = kind
        (self.width, self.height) = (width, height)
        (self.orientation, self.captureTime, self.imageUniqueID) = (orientation, captureTime, imageUniqueID)
        (self.byteCount, self.isComplete) = (byteCount, isComplete)
    }

    /// A file of an unknown kind.
    package static let unknown = PhotoFileInfo(kind: .unknown, width: 0, height: 0)
}

/// The type of a photo file, recognized by its bytes.
public enum PhotoFileKind: String, Hashable, Sendable {
    /// A JPEG file (ISO/IEC 10918-1), with Exif or without it.
    case jpeg
    /// DNG, a TIFF file with DNGVersion.
    case dng
    /// Another TIFF 6.0 file.
    case tiff
    /// Anything else; nothing is known of it.
    case unknown

    /// Its uniform type identifier; nil for an unknown file.
    public var uniformTypeIdentifier: String? {
        switch self {
        case .jpeg: "public.jpeg"
        case .dng: "com.adobe.raw-image"
        case .tiff: "public.tiff"
        case .unknown: nil
        }
    }
}

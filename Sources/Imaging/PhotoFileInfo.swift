import Platform

/// What a JPEG file says about itself, read without decoding its picture.
public struct PhotoFileInfo: Hashable, Sendable {
    /// Width as stored, before orientation is applied.
    public var width: Int
    /// Height as stored, before orientation is applied.
    public var height: Int
    /// The Exif orientation value 1…8; 1 when the file does not say.
    public var orientation: Int
    /// Moment of exposure (DateTimeOriginal); nil when the file does not say.
    public var captureTime: WallTime?
    /// Exif ImageUniqueID; nil when the file does not say.
    public var imageUniqueID: String?
    /// Size of the file in bytes.
    public var byteCount: Int
    /// True when the file ends with an end-of-image marker, so that nothing was cut off.
    public var isComplete: Bool

    /// Reads a whole file in memory. The bytes may be anything.
    ///
    /// - Parameter zone: gives the offset in seconds east for a date without one, from the date's seconds since 1970
    ///   read as if it were UTC.
    /// - Throws: `.invalidFile` naming the fault, `.tooLarge`.
    public init(file: UnsafeRawBufferPointer, zone: (_ unixSeconds: Int64) -> Int) throws(ImagingError) {
        self = try PhotoFileReader.info(
            head: file, byteCount: file.count, isComplete: file.suffix(2).elementsEqual([0xff, 0xd9]), zone: zone)
    }

    init(width: Int, height: Int, byteCount: Int, isComplete: Bool) {
        (self.width, self.height) = (width, height)
        (self.byteCount, self.isComplete) = (byteCount, isComplete)
        orientation = 1
    }
}

import Platform

/// Reads what a JPEG file says about itself from its bytes in pieces, in bounded memory. The bytes may be anything.
public struct PhotoFileReader {
    /// Bytes within which the first scan must begin.
    package static let headLimit = 1 << 20
    /// Most pixels of a picture that is looked at.
    package static let pixelLimit = 1 << 28
    /// Most bytes of a file.
    package static let byteLimit = 1 << 30

    private var head: [UInt8] = []
    private var byteCount = 0
    private var lastBytes: (UInt8, UInt8) = (0, 0)

    /// A reader before the file's first byte.
    public init() {}

    /// Takes the file's next bytes.
    public mutating func read(_ piece: UnsafeRawBufferPointer) {
        head.append(contentsOf: piece.prefix(max(0, Self.headLimit - head.count)))
        byteCount += piece.count
        for byte in piece.suffix(2) { lastBytes = (lastBytes.1, byte) }
    }

    /// What the file says, after its last byte.
    ///
    /// - Parameter zone: gives the offset in seconds east for a date without one, from the date's seconds since 1970
    ///   read as if it were UTC.
    /// - Throws: `.invalidFile` naming the fault, `.tooLarge`.
    public func finish(zone: (_ unixSeconds: Int64) -> Int) throws(ImagingError) -> PhotoFileInfo {
        try head.withBytes { (head) throws(ImagingError) in
            try Self.info(head: head, byteCount: byteCount, isComplete: lastBytes == (0xff, 0xd9), zone: zone)
        }
    }

    /// What the bytes up to the first scan say.
    static func info(
        head: UnsafeRawBufferPointer, byteCount: Int, isComplete: Bool, zone: (_ unixSeconds: Int64) -> Int
    ) throws(ImagingError) -> PhotoFileInfo {
        guard byteCount <= byteLimit else { throw .tooLarge }
        let structure = try JPEGStructure(head)
        guard structure.width * structure.height <= pixelLimit else { throw .tooLarge }
        var info = PhotoFileInfo(
            width: structure.width, height: structure.height, byteCount: byteCount, isComplete: isComplete)
        if let content = structure.exifContent(in: head) {
            try readExif(UnsafeRawBufferPointer(rebasing: head[content]), into: &info, zone: zone)
        }
        return info
    }

    private static func readExif(
        _ segment: UnsafeRawBufferPointer, into info: inout PhotoFileInfo, zone: (Int64) -> Int
    ) throws(ImagingError) {
        let tree = try ExifTree(segment: segment)
        if let orientation = tree.short(.primary, Tag.orientation), (1...8).contains(orientation) {
            info.orientation = orientation
        }
        if let identifier = tree.text(.exif, Tag.imageUniqueID), !identifier.isEmpty {
            info.imageUniqueID = identifier
        }
        guard let text = tree.text(.exif, Tag.dateTimeOriginal) else { return }
        let fraction = tree.text(.exif, Tag.subSecTimeOriginal)
        let offset = tree.text(.exif, Tag.offsetTimeOriginal)
        let isTrusted = tree.bytes(.exif, Tag.userComment) != ExifSegment.untrustedClock
        info.captureTime = time(text, fraction: fraction, offset: offset, zone: zone)
        info.captureTime?.isTrusted = isTrusted
    }

    /// Joins Exif's three parts of a date; a part that cannot be read counts as absent.
    private static func time(
        _ text: String, fraction: String?, offset: String?, zone: (Int64) -> Int
    ) -> WallTime? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let dateTime = parts[0].split(separator: ":").joined(separator: "-") + "T" + parts[1]
        let digits = (fraction ?? "").prefix { $0.isASCII && $0.isNumber }.prefix(9)
        let subsecond = digits.isEmpty ? "" : "." + digits
        return (offset.flatMap { WallTime(rfc3339: dateTime + subsecond + $0, zone: zone) })
            ?? WallTime(rfc3339: dateTime + subsecond, zone: zone)
    }
}

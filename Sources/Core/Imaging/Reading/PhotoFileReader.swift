import Platform

/// Reads what a photo's file says about itself, in bounded memory. The bytes may be anything.
package enum PhotoFileReader {
    /// Most pixels of a picture that is looked at.
    package static let pixelLimit = 1 << 28
    /// Most bytes of a file.
    package static let byteLimit = 1 << 30

    /// What a whole file says.
    static func info(
        _ file: UnsafeRawBufferPointer, zone: (_ unixSeconds: Int64) -> Int
    ) throws(ImagingError) -> PhotoFileInfo {
        guard file.count <= byteLimit else { throw .tooLarge }
        switch kind(file) {
        case .jpeg: return try jpeg(file, zone: zone)
        case .tiff, .dng: return try tiff(file, zone: zone)
        case .unknown:
            return PhotoFileInfo(kind: .unknown, width: 0, height: 0, byteCount: file.count, isComplete: true)
        }
    }

    /// What a file claims to be by its first bytes; a DNG claims to be a TIFF.
    private static func kind(_ file: UnsafeRawBufferPointer) -> PhotoFileKind {
        if file.starts(with: [0xff, 0xd8]) { return .jpeg }
        return TIFFStructure.isClaimed(by: file) ? .tiff : .unknown
    }

    private static func jpeg(
        _ file: UnsafeRawBufferPointer, zone: (Int64) -> Int
    ) throws(ImagingError) -> PhotoFileInfo {
        let structure = try JPEGStructure(file)
        guard structure.width * structure.height <= pixelLimit else { throw .tooLarge }
        var info = PhotoFileInfo(
            kind: .jpeg, width: structure.width, height: structure.height, byteCount: file.count,
            isComplete: structure.hasEnd(in: file))
        guard let content = structure.exifContent(in: file) else { return info }
        let tree = try ExifTree(segment: UnsafeRawBufferPointer(rebasing: file[content]))
        info.orientation = validOrientation(tree.short(.primary, Tag.orientation))
        info.imageUniqueID = tree.text(.exif, Tag.imageUniqueID).flatMap { $0.isEmpty ? nil : $0 }
        let isTrusted = tree.bytes(.exif, Tag.userComment) != ExifSegment.untrustedClock
        info.captureTime = time(isTrusted: isTrusted, zone: zone) { tag in
            tree.text(tag == Tag.dateTime ? .primary : .exif, tag)
        }
        return info
    }

    private static func tiff(
        _ file: UnsafeRawBufferPointer, zone: (Int64) -> Int
    ) throws(ImagingError) -> PhotoFileInfo {
        let structure = try TIFFStructure(file)
        guard structure.width * structure.height <= pixelLimit else { throw .tooLarge }
        var info = PhotoFileInfo(
            kind: structure.isDNG ? .dng : .tiff, width: structure.width, height: structure.height,
            byteCount: file.count, isComplete: true)
        info.orientation = validOrientation(structure.number(Tag.orientation, in: file))
        info.imageUniqueID = structure.text(Tag.imageUniqueID, in: file).flatMap { $0.isEmpty ? nil : $0 }
        let isTrusted = structure.bytes(Tag.userComment, in: file) != ExifSegment.untrustedClock
        info.captureTime = time(isTrusted: isTrusted, zone: zone) { structure.text($0, in: file) }
        return info
    }

    /// The orientation a file gives, or 1 when it gives none that exists.
    static func validOrientation(_ value: Int?) -> Int {
        value.flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
    }

    /// The first date that can be read, the moment of exposure before all others.
    private static func time(
        isTrusted: Bool, zone: (Int64) -> Int, text: (UInt32) -> String?
    ) -> WallTime? {
        let dates = [
            (Tag.dateTimeOriginal, Tag.subSecTimeOriginal, Tag.offsetTimeOriginal),
            (Tag.dateTimeDigitized, Tag.subSecTimeDigitized, Tag.offsetTimeDigitized),
            (Tag.dateTime, Tag.subSecTime, Tag.offsetTime),
        ]
        for (date, fraction, offset) in dates {
            guard let date = text(date) else { continue }
            if var time = time(date, fraction: text(fraction), offset: text(offset), zone: zone) {
                time.isTrusted = isTrusted
                return time
            }
        }
        return nil
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

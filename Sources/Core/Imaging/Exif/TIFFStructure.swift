/// The directories of a TIFF 6.0 or DNG file, as far as they describe the picture. Accepts any bytes.
///
/// Every offset is checked before it is followed, each directory is read once, and only the tags asked for are kept, so
/// that neither time nor memory grow beyond the file.
struct TIFFStructure {
    /// Where one tag's values lie.
    private struct Entry {
        var type: Int
        var count: Int
        var position: Int
    }

    private struct Directory {
        var entries: [UInt32: Entry] = [:]
        var next = 0
    }

    /// Bytes of a value by its type number (TIFF 6.0, section 2; 13 is an offset of a directory); 0 for none.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
    /// Most directories that are looked at.
    private static let directoryLimit = 64
    /// Most pixels a side.
    private static let sideLimit = 1 << 20
    /// Most bytes of a text that is read.
    private static let textLimit = 256
    private static let cutOff = ImagingError.invalidFile("it ends before its picture")

    private static let kept: Set<UInt32> = [
        Tag.newSubfileType, Tag.imageWidth, Tag.imageLength, Tag.bitsPerSample, Tag.compression,
        Tag.photometricInterpretation, Tag.stripOffsets, Tag.orientation, Tag.samplesPerPixel, Tag.stripByteCounts,
        Tag.dateTime, Tag.tileOffsets, Tag.tileByteCounts, Tag.subIFDs, Tag.jpegInterchangeFormat,
        Tag.jpegInterchangeFormatLength, Tag.exifIFD, Tag.dngVersion, Tag.dateTimeOriginal, Tag.dateTimeDigitized,
        Tag.offsetTime, Tag.offsetTimeOriginal, Tag.offsetTimeDigitized, Tag.subSecTime, Tag.subSecTimeOriginal,
        Tag.subSecTimeDigitized, Tag.userComment, Tag.imageUniqueID,
    ]

    /// Width of the main picture in pixels.
    let width: Int
    /// Height of the main picture in pixels.
    let height: Int
    /// True for a file with DNGVersion.
    let isDNG: Bool

    private let isLittleEndian: Bool
    /// The first directory, and the Exif directory where there is one: they describe the photo as a whole.
    private let primary: Directory
    private let exif: Directory?

    /// True when the first bytes are a TIFF file's.
    static func isClaimed(by bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0x49, 0x49, 42, 0]) || bytes.starts(with: [0x4d, 0x4d, 0, 42])
    }

    /// Walks the directories and finds the main picture: the first that is not a reduced one.
    ///
    /// - Throws: `.invalidFile` naming the fault, `.tooLarge` for a side that no camera has.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
        guard Self.isClaimed(by: bytes) else { throw .invalidFile("it does not start like a TIFF file") }
        let isLittle = bytes[0] == 0x49
        isLittleEndian = isLittle
        guard let first = Self.long(bytes, 4, isLittle), let primary = Self.directory(bytes, first, isLittle) else {
            throw Self.cutOff
        }
        self.primary = primary
        exif = Self.value(primary, Tag.exifIFD, 0, bytes, isLittle).flatMap { Self.directory(bytes, $0, isLittle) }
        isDNG = primary.entries[Tag.dngVersion] != nil

        var pictures: [Directory] = []
        var isWhole = true
        var seen: Set<Int> = [first]
        var waiting = [primary]
        while let directory = waiting.popLast() {
            if directory.entries[Tag.imageWidth] != nil { pictures.append(directory) }
            let others = (0..<min(directory.entries[Tag.subIFDs]?.count ?? 0, Self.directoryLimit))
                .compactMap { Self.value(directory, Tag.subIFDs, $0, bytes, isLittle) }
            // The last one waiting is looked at first: a directory's own before the next in the chain.
            for offset in [directory.next] + others.reversed() where offset != 0 && seen.count < Self.directoryLimit {
                guard seen.insert(offset).inserted else { continue }
                if let other = Self.directory(bytes, offset, isLittle) {
                    waiting.append(other)
                } else {
                    isWhole = false
                }
            }
        }
        let main = pictures.first { Self.value($0, Tag.newSubfileType, 0, bytes, isLittle).map { $0 & 1 == 0 } ?? true }
        guard let picture = main ?? (isWhole ? pictures.first : nil) else {
            throw isWhole ? .invalidFile("it has no picture") : Self.cutOff
        }
        guard let width = Self.value(picture, Tag.imageWidth, 0, bytes, isLittle),
            let height = Self.value(picture, Tag.imageLength, 0, bytes, isLittle), width > 0, height > 0
        else { throw .invalidFile("its picture has no size") }
        guard width <= Self.sideLimit, height <= Self.sideLimit else { throw .tooLarge }
        (self.width, self.height) = (width, height)
        try Self.checkData(of: picture, width, height, bytes, isLittle)
    }

    /// A number of the photo as a whole.
    func number(_ tag: UInt32, in bytes: UnsafeRawBufferPointer) -> Int? {
        Self.value(primary, tag, 0, bytes, isLittleEndian)
    }

    /// A text of the photo as a whole, up to its first zero byte; nil when absent or not valid UTF-8.
    func text(_ tag: UInt32, in bytes: UnsafeRawBufferPointer) -> String? {
        guard let entry = exif?.entries[tag] ?? primary.entries[tag], entry.type == 2 else { return nil }
        let end = entry.position + min(entry.count, Self.textLimit)
        return String(validating: bytes[entry.position..<end].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A tag's unstructured bytes, the first of them.
    func bytes(_ tag: UInt32, in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let entry = exif?.entries[tag] ?? primary.entries[tag], entry.type == 7 else { return nil }
        return Array(bytes[entry.position..<(entry.position + min(entry.count, Self.textLimit))])
    }

    // MARK: The picture's data

    /// Checks that all strips or tiles lie inside the file, and that they hold what the size asks for.
    private static func checkData(
        of picture: Directory, _ width: Int, _ height: Int, _ bytes: UnsafeRawBufferPointer, _ isLittle: Bool
    ) throws(ImagingError) {
        let places = [
            (Tag.stripOffsets, Tag.stripByteCounts), (Tag.tileOffsets, Tag.tileByteCounts),
            (Tag.jpegInterchangeFormat, Tag.jpegInterchangeFormatLength),
        ]
        guard let (offsets, counts) = places.first(where: { picture.entries[$0.0] != nil }),
            let pieces = picture.entries[offsets]?.count, pieces > 0
        else { throw .invalidFile("it has no picture") }
        guard picture.entries[counts].map({ $0.count >= pieces }) ?? (pieces == 1) else {
            throw .invalidFile("it does not give the length of its picture")
        }
        var total = 0
        for index in 0..<pieces {
            guard let offset = value(picture, offsets, index, bytes, isLittle) else {
                throw .invalidFile("it does not give the position of its picture")
            }
            // Without a length the only piece goes to the file's end.
            let count = value(picture, counts, index, bytes, isLittle) ?? max(bytes.count - offset, 0)
            guard offset < bytes.count, count <= bytes.count - offset else { throw cutOff }
            total += count
        }
        guard total >= least(picture, width, height, bytes, isLittle) else {
            throw .invalidFile("its picture has too little data for its size")
        }
    }

    /// The fewest bytes that can hold the picture: known for uncompressed samples that are not subsampled.
    private static func least(
        _ picture: Directory, _ width: Int, _ height: Int, _ bytes: UnsafeRawBufferPointer, _ isLittle: Bool
    ) -> Int {
        let isCompressed = value(picture, Tag.compression, 0, bytes, isLittle) ?? 1 != 1
        let isYCbCr = value(picture, Tag.photometricInterpretation, 0, bytes, isLittle) == 6
        if isCompressed || isYCbCr { return 1 }
        let bits = min(max(value(picture, Tag.bitsPerSample, 0, bytes, isLittle) ?? 1, 1), 64)
        let samples = min(max(value(picture, Tag.samplesPerPixel, 0, bytes, isLittle) ?? 1, 1), 64)
        return (width * bits * samples + 7) / 8 * height
    }

    // MARK: Bytes

    private static func short(_ bytes: UnsafeRawBufferPointer, _ position: Int, _ isLittle: Bool) -> Int? {
        guard position >= 0, position <= bytes.count - 2 else { return nil }
        let (first, second) = (Int(bytes[position]), Int(bytes[position + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
    }

    private static func long(_ bytes: UnsafeRawBufferPointer, _ position: Int, _ isLittle: Bool) -> Int? {
        guard let first = short(bytes, position, isLittle), let second = short(bytes, position + 2, isLittle) else {
            return nil
        }
        return isLittle ? second << 16 | first : first << 16 | second
    }

    /// The directory at an offset; nil when it does not lie inside the file. Entries whose values do not are left out.
    private static func directory(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ isLittle: Bool) -> Directory? {
        guard offset >= 8, let count = short(bytes, offset, isLittle), count > 0,
            offset + 2 + 12 * count <= bytes.count
        else { return nil }
        var directory = Directory()
        for place in stride(from: offset + 2, to: offset + 2 + 12 * count, by: 12) {
            guard let tag = short(bytes, place, isLittle), let type = short(bytes, place + 2, isLittle),
                let values = long(bytes, place + 4, isLittle), kept.contains(UInt32(tag)), sizes.indices.contains(type)
            else { continue }
            let length = values * sizes[type]
            guard length > 0, let position = length <= 4 ? place + 8 : long(bytes, place + 8, isLittle),
                position <= bytes.count, length <= bytes.count - position
            else { continue }
            if directory.entries[UInt32(tag)] == nil {
                directory.entries[UInt32(tag)] = Entry(type: type, count: values, position: position)
            }
        }
        directory.next = long(bytes, offset + 2 + 12 * count, isLittle) ?? 0
        return directory
    }

    /// One number of a tag: BYTE, SHORT, LONG or a directory's offset.
    private static func value(
        _ directory: Directory, _ tag: UInt32, _ index: Int, _ bytes: UnsafeRawBufferPointer, _ isLittle: Bool
    ) -> Int? {
        guard let entry = directory.entries[tag], index < entry.count else { return nil }
        return switch entry.type {
        case 1: Int(bytes[entry.position + index])
        case 3: short(bytes, entry.position + 2 * index, isLittle)
        case 4, 13: long(bytes, entry.position + 4 * index, isLittle)
        default: nil
        }
    }
}

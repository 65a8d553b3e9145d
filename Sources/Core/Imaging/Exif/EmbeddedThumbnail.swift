import Platform

/// The small JPEG picture that a photo's file carries, found without decoding anything.
///
/// It is the thumbnail of the Exif segment in a JPEG file (Exif 2.32, 4.5.8), the smallest reduced picture in a TIFF or
/// DNG file. The file may be anything: every place is checked, and little more than the picture is read.
package struct EmbeddedThumbnail: Hashable, Sendable {
    /// The thumbnail as a JPEG file of its own, at most 256 KiB.
    package let bytes: [UInt8]
    /// Width in pixels, from the thumbnail's own frame header.
    package let width: Int
    /// Height in pixels, from the thumbnail's own frame header.
    package let height: Int
    /// Where it begins in the file.
    package let offset: Int

    /// Most bytes of a picture that counts as small.
    static let byteLimit = 256 << 10
    /// Most segments before the Exif segment.
    private static let segmentLimit = 64

    /// Finds the picture; nil when there is none that could be shown.
    ///
    /// - Parameter read: fills the buffer from an offset of the file and gives how many bytes there were.
    /// - Blocking: as `read` does, which is called once or twice for a photo of ours.
    package init?(read: @escaping (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int) {
        let file = FileWindow(read: read)
        let places =
            switch file.head.prefix(4) {
            case [0x49, 0x49, 42, 0], [0x4d, 0x4d, 0, 42]: TIFFWalk(file, start: 0, end: .max).reducedPictures
            default: Self.exif(in: file)?.thumbnail.map { [$0] } ?? []
            }
        for place in places.sorted(by: { $0.count < $1.count }) {
            if let picture = file.bytes(at: place.lowerBound, count: place.count), let found = Self(picture, at: place)
            {
                self = found
                return
            }
        }
        return nil
    }

    /// Finds the picture in a whole file in memory.
    package init?(file: UnsafeRawBufferPointer) {
        self.init { buffer, offset in
            let part = file.dropFirst(offset).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    /// Reads the picture from where it was found before; nil when it is not there, or when that is not all of it.
    ///
    /// - Parameter read: as for finding it.
    /// - Blocking: as `read` does, which is called once.
    package init?(
        at place: ThumbnailPlace, read: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    ) {
        guard case .at(let offset, let byteCount, let width, let height) = place, byteCount <= Self.byteLimit else {
            return nil
        }
        let range = Int(offset)..<(Int(offset) + Int(byteCount))
        let picture = FileWindow.read(read, range.lowerBound, range.count)
        guard picture.suffix(2) == [0xff, 0xd9], let found = Self(picture[...], at: range), found.width == width,
            found.height == height
        else { return nil }
        self = found
    }

    /// A picture that was read; nil when it is no JPEG file with a size, or not all of it.
    private init?(_ picture: ArraySlice<UInt8>, at place: Range<Int>) {
        guard picture.count == place.count, let structure = picture.withBytes({ try? JPEGStructure($0) }) else {
            return nil
        }
        bytes = Array(picture)
        (width, height) = (structure.width, structure.height)
        offset = place.lowerBound
    }

    /// The TIFF structure in the first Exif segment of a JPEG file.
    private static func exif(in file: FileWindow) -> TIFFWalk? {
        guard file.head.starts(with: [0xff, 0xd8]) else { return nil }
        var position = 2
        for _ in 0..<segmentLimit {
            guard let marker = file.bytes(at: position, count: 4).map(Array.init), marker[0] == 0xff else { return nil }
            if marker[1] == 0xff {
                position += 1
                continue
            }
            let length = Int(marker[2]) << 8 | Int(marker[3])
            // A start of scan, or what has no length: the segments are over.
            guard length >= 2, marker[1] != 0xda, marker[1] > 0x01, !(0xd0...0xd9).contains(marker[1]) else {
                return nil
            }
            let name = Array("Exif\0\0".utf8)
            if marker[1] == 0xe1, length >= 2 + name.count,
                file.bytes(at: position + 4, count: name.count)?.elementsEqual(name) ?? false
            {
                return TIFFWalk(file, start: position + 4 + name.count, end: position + 2 + length)
            }
            position += 2 + length
        }
        return nil
    }
}

/// Places of a file, most of which lie in its head.
private struct FileWindow {
    private static let headCount = 16 << 10

    let read: (UnsafeMutableRawBufferPointer, Int) -> Int
    /// The beginning of the file, at most 16 KiB.
    let head: [UInt8]

    init(read: @escaping (UnsafeMutableRawBufferPointer, Int) -> Int) {
        self.read = read
        head = Self.read(read, 0, Self.headCount)
    }

    /// So many bytes; nil when the file has fewer there.
    func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, count <= EmbeddedThumbnail.byteLimit, offset <= .max - count else { return nil }
        if offset + count <= head.count { return head[offset..<(offset + count)] }
        let bytes = Self.read(read, offset, count)
        return bytes.count == count ? bytes[...] : nil
    }

    static func read(
        _ read: (UnsafeMutableRawBufferPointer, Int) -> Int, _ offset: Int, _ count: Int
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = min(max(read(UnsafeMutableRawBufferPointer(buffer), offset), 0), count)
        }
    }
}

/// The directories of a TIFF structure inside a file (TIFF 6.0, section 2), as far as they describe small pictures.
private struct TIFFWalk {
    private struct Entry {
        var type: Int
        var count: Int
        /// Its value, or where that is.
        var field: ArraySlice<UInt8>
    }

    private struct Directory {
        var entries: [UInt32: Entry] = [:]
        var next = 0
    }

    private static let kept: Set<UInt32> = [
        Tag.newSubfileType, Tag.compression, Tag.stripOffsets, Tag.stripByteCounts, Tag.subIFDs,
        Tag.jpegInterchangeFormat, Tag.jpegInterchangeFormatLength,
    ]
    private static let entryLimit = 512
    /// Most directories in a chain, and most below one.
    private static let directoryLimit = 8

    private let file: FileWindow
    /// What offsets count from.
    private let start: Int
    private let end: Int
    private let isLittle: Bool

    init(_ file: FileWindow, start: Int, end: Int) {
        (self.file, self.start, self.end) = (file, start, end)
        isLittle = file.bytes(at: start, count: 1)?.first == 0x49
    }

    /// Where the thumbnail of an Exif structure is: the picture of the second directory.
    var thumbnail: Range<Int>? {
        chain(limit: 2).dropFirst().first.flatMap { interchange($0) }
    }

    /// Where the pictures are that are said to be reduced and are JPEG files in one piece.
    var reducedPictures: [Range<Int>] {
        var directories: [Directory] = []
        for directory in chain(limit: Self.directoryLimit) {
            directories.append(directory)
            directories += offsets(directory, Tag.subIFDs).compactMap { self.directory($0) }
        }
        return directories.compactMap { directory in
            guard let kind = value(directory, Tag.newSubfileType), kind & 1 == 1 else { return nil }
            if let place = interchange(directory) { return place }
            // JPEG as TIFF technical note 2 and DNG have it; the older way leaves tables out.
            guard value(directory, Tag.compression) == 7 else { return nil }
            return place(directory, Tag.stripOffsets, Tag.stripByteCounts)
        }
    }

    private func interchange(_ directory: Directory) -> Range<Int>? {
        place(directory, Tag.jpegInterchangeFormat, Tag.jpegInterchangeFormatLength)
    }

    private func place(_ directory: Directory, _ offset: UInt32, _ count: UInt32) -> Range<Int>? {
        guard let offset = value(directory, offset), let count = value(directory, count), count > 0,
            count <= EmbeddedThumbnail.byteLimit, start + offset <= end - count
        else { return nil }
        return (start + offset)..<(start + offset + count)
    }

    /// The first directories of the chain.
    private func chain(limit: Int) -> [Directory] {
        var directories: [Directory] = []
        var offset = bytes(at: 4, count: 4).map { long($0) } ?? 0
        while directories.count < limit, let next = directory(offset) {
            directories.append(next)
            offset = next.next
        }
        return directories
    }

    private func directory(_ offset: Int) -> Directory? {
        guard offset >= 8, let count = bytes(at: offset, count: 2).map({ short($0) }),
            (1...Self.entryLimit).contains(count), let body = bytes(at: offset + 2, count: 12 * count)
        else { return nil }
        var directory = Directory()
        for place in stride(from: body.startIndex, to: body.endIndex, by: 12) {
            let entry = body[place..<(place + 12)]
            let tag = UInt32(short(entry))
            guard Self.kept.contains(tag), directory.entries[tag] == nil else { continue }
            directory.entries[tag] = Entry(
                type: short(entry.dropFirst(2)), count: long(entry.dropFirst(4)), field: entry.dropFirst(8))
        }
        directory.next = bytes(at: offset + 2 + 12 * count, count: 4).map { long($0) } ?? 0
        return directory
    }

    /// The only number of a tag: SHORT, LONG or a directory's offset.
    private func value(_ directory: Directory, _ tag: UInt32) -> Int? {
        guard let entry = directory.entries[tag], entry.count == 1 else { return nil }
        return switch entry.type {
        case 3: short(entry.field)
        case 4, 13: long(entry.field)
        default: nil
        }
    }

    /// The offsets of a tag, the first of them.
    private func offsets(_ directory: Directory, _ tag: UInt32) -> [Int] {
        guard let entry = directory.entries[tag], [4, 13].contains(entry.type), entry.count > 0 else { return [] }
        if entry.count == 1 { return [long(entry.field)] }
        let count = min(entry.count, Self.directoryLimit)
        guard let values = bytes(at: long(entry.field), count: 4 * count) else { return [] }
        return (0..<count).map { long(values.dropFirst(4 * $0)) }
    }

    private func bytes(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        start + offset <= end - count ? file.bytes(at: start + offset, count: count) : nil
    }

    private func short(_ bytes: ArraySlice<UInt8>) -> Int { number(bytes.prefix(2)) }
    private func long(_ bytes: ArraySlice<UInt8>) -> Int { number(bytes.prefix(4)) }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int {
        isLittle ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The place of the thumbnail in a file, kept so that a listing opens no file.
///
/// A reader of the thumbnail checks it (`EmbeddedThumbnail`), for the file may have become another.
package enum ThumbnailPlace: Hashable, Sendable {
    /// The file has not been searched.
    case unknown
    /// The file has none that could be shown.
    case absent
    /// Where it lies in the file, in bytes, and its size in pixels.
    case at(offset: UInt32, byteCount: UInt32, width: UInt16, height: UInt16)

    /// What there is to remember of a whole file in memory. The bytes may be anything.
    package init(file: UnsafeRawBufferPointer) {
        guard let found = EmbeddedThumbnail(file: file) else {
            self = .absent
            return
        }
        self.init(
            offset: Int64(found.offset), byteCount: Int64(found.bytes.count), width: Int64(found.width),
            height: Int64(found.height), fileSize: Int64(file.count))
    }

    /// A place from numbers that may be anything; all 0 say that there is none. What cannot be is unknown.
    ///
    /// - Parameter fileSize: size of the file in bytes.
    package init(offset: Int64, byteCount: Int64, width: Int64, height: Int64, fileSize: Int64) {
        self = .unknown
        if [offset, byteCount, width, height].allSatisfy({ $0 == 0 }) { self = .absent }
        guard byteCount > 0, byteCount <= EmbeddedThumbnail.byteLimit, byteCount < fileSize,
            offset > 0, offset <= fileSize - byteCount, width > 0, height > 0, let start = UInt32(exactly: offset),
            let width = UInt16(exactly: width), let height = UInt16(exactly: height)
        else { return }
        self = .at(offset: start, byteCount: UInt32(byteCount), width: width, height: height)
    }
}

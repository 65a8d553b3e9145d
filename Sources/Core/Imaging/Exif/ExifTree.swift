import CExif
import Glibc

/// One Exif structure in libexif's memory: every tag is written and read through the raw calls here.
///
/// libexif's own initialization and repair of entries is not used: it gives several tags a wrong format or version.
/// - Isolation: one thread at a time.
/// - Ownership: owns the C structure; entries and the thumbnail belong to it.
final class ExifTree {
    /// The directories of an Exif structure.
    enum Directory {
        case primary, thumbnail, exif, gps, interoperability
    }

    private static let byteOrder = EXIF_BYTE_ORDER_MOTOROLA
    private let data: UnsafeMutablePointer<ExifData>
    private let memory: OpaquePointer

    /// An empty structure, which is written in big-endian byte order.
    init() throws(ImagingError) {
        guard let memory = exif_mem_new_default() else { throw .outOfMemory }
        guard let data = exif_data_new_mem(memory) else {
            exif_mem_unref(memory)
            throw .outOfMemory
        }
        self.memory = memory
        self.data = data
        exif_data_set_byte_order(data, Self.byteOrder)
        exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION)
        exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS)
    }

    /// The structure found in an APP1 segment's content, which begins with `Exif` and two zero bytes.
    convenience init(segment: UnsafeRawBufferPointer) throws(ImagingError) {
        try self.init()
        exif_data_load_data(
            data, segment.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(clamping: segment.count))
    }

    deinit {
        exif_data_unref(data)
        exif_mem_unref(memory)
    }

    /// The segment's content: `Exif`, two zero bytes and the TIFF structure.
    func serialized() throws(ImagingError) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt32 = 0
        exif_data_save_data(data, &bytes, &count)
        guard let bytes, count > 0 else { throw .outOfMemory }
        defer { free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// Sets the thumbnail of IFD1; libexif adds the tags for its offset and length.
    func setThumbnail(_ jpeg: UnsafeRawBufferPointer) throws(ImagingError) {
        guard let source = jpeg.baseAddress, let copy = exif_mem_alloc(memory, UInt32(clamping: jpeg.count)) else {
            throw .outOfMemory
        }
        memcpy(copy, source, jpeg.count)
        exif_mem_free(memory, data.pointee.data)
        data.pointee.data = copy.assumingMemoryBound(to: UInt8.self)
        data.pointee.size = UInt32(clamping: jpeg.count)
    }

    /// The thumbnail of IFD1, a JPEG if the file is right.
    var thumbnail: [UInt8]? {
        guard let bytes = data.pointee.data, data.pointee.size > 0 else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(data.pointee.size)))
    }

    // MARK: Writing

    /// Adds an ASCII tag; nothing is written for an empty text.
    func putText(_ directory: Directory, _ tag: UInt32, _ text: String) throws(ImagingError) {
        guard !text.isEmpty else { return }
        try put(directory, tag, EXIF_FORMAT_ASCII, Array(text.utf8) + [0])
    }

    /// Adds a tag of unstructured bytes.
    func putBytes(_ directory: Directory, _ tag: UInt32, _ bytes: [UInt8]) throws(ImagingError) {
        try put(directory, tag, EXIF_FORMAT_UNDEFINED, bytes)
    }

    /// Adds a tag of numbers of one byte.
    func putByteNumbers(_ directory: Directory, _ tag: UInt32, _ bytes: [UInt8]) throws(ImagingError) {
        try put(directory, tag, EXIF_FORMAT_BYTE, bytes)
    }

    /// Adds a tag of one 16-bit number; larger values are clamped.
    func putShort(_ directory: Directory, _ tag: UInt32, _ value: Int) throws(ImagingError) {
        let place = try put(directory, tag, EXIF_FORMAT_SHORT, count: 1)
        exif_set_short(place, Self.byteOrder, UInt16(clamping: value))
    }

    /// Adds a tag of one 32-bit number; larger values are clamped.
    func putLong(_ directory: Directory, _ tag: UInt32, _ value: Int) throws(ImagingError) {
        let place = try put(directory, tag, EXIF_FORMAT_LONG, count: 1)
        exif_set_long(place, Self.byteOrder, UInt32(clamping: value))
    }

    /// Adds a tag of unsigned fractions.
    func putRationals(_ directory: Directory, _ tag: UInt32, _ values: [ExifRational]) throws(ImagingError) {
        let place = try put(directory, tag, EXIF_FORMAT_RATIONAL, count: values.count)
        for (index, value) in values.enumerated() {
            exif_set_rational(place + 8 * index, Self.byteOrder, value)
        }
    }

    /// Adds a tag of one signed fraction.
    func putSignedRational(_ directory: Directory, _ tag: UInt32, _ value: ExifSRational) throws(ImagingError) {
        let place = try put(directory, tag, EXIF_FORMAT_SRATIONAL, count: 1)
        exif_set_srational(place, Self.byteOrder, value)
    }

    // MARK: Reading

    /// An ASCII tag's text up to its first zero byte; nil when absent, not ASCII by format, or not valid UTF-8.
    func text(_ directory: Directory, _ tag: UInt32) -> String? {
        guard let bytes = bytes(directory, tag, EXIF_FORMAT_ASCII) else { return nil }
        return String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// A tag of unstructured bytes.
    func bytes(_ directory: Directory, _ tag: UInt32) -> [UInt8]? {
        bytes(directory, tag, EXIF_FORMAT_UNDEFINED)
    }

    /// The first 16-bit number of a tag.
    func short(_ directory: Directory, _ tag: UInt32) -> Int? {
        guard let bytes = bytes(directory, tag, EXIF_FORMAT_SHORT), bytes.count >= 2 else { return nil }
        return Int(exif_get_short(bytes, exif_data_get_byte_order(data)))
    }

    // MARK: The raw calls

    private func content(_ directory: Directory) -> UnsafeMutablePointer<ExifContent>? {
        let directories = data.pointee.ifd
        return switch directory {
        case .primary: directories.0
        case .thumbnail: directories.1
        case .exif: directories.2
        case .gps: directories.3
        case .interoperability: directories.4
        }
    }

    private func put(
        _ directory: Directory, _ tag: UInt32, _ format: ExifFormat, _ bytes: [UInt8]
    ) throws(ImagingError) {
        let place = try put(directory, tag, format, count: bytes.count)
        for (index, byte) in bytes.enumerated() { place[index] = byte }
    }

    /// Adds an entry and returns the room for its values.
    private func put(
        _ directory: Directory, _ tag: UInt32, _ format: ExifFormat, count: Int
    ) throws(ImagingError) -> UnsafeMutablePointer<UInt8> {
        let size = UInt32(clamping: count * Int(exif_format_get_size(format)))
        // The entry's allocator must be the one it was made with: libexif frees the values through it.
        guard let content = content(directory), let entry = exif_entry_new_mem(memory) else { throw .outOfMemory }
        defer { exif_entry_unref(entry) }
        guard let values = exif_mem_alloc(memory, size) else { throw .outOfMemory }
        entry.pointee.data = values.assumingMemoryBound(to: UInt8.self)
        entry.pointee.tag = ExifTag(rawValue: tag)
        entry.pointee.format = format
        entry.pointee.components = UInt(count)
        entry.pointee.size = size
        exif_content_add_entry(content, entry)
        return values.assumingMemoryBound(to: UInt8.self)
    }

    private func bytes(_ directory: Directory, _ tag: UInt32, _ format: ExifFormat) -> [UInt8]? {
        guard let content = content(directory),
            let entry = exif_content_get_entry(content, ExifTag(rawValue: tag)),
            entry.pointee.format == format, let values = entry.pointee.data
        else { return nil }
        return Array(UnsafeBufferPointer(start: values, count: Int(entry.pointee.size)))
    }
}

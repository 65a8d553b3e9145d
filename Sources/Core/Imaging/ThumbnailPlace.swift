/// What is remembered of the small picture in a file, so that the file need not be read to tell of it.
///
/// Whoever reads the picture there checks it (`EmbeddedThumbnail`), for the file may have become another.
package enum ThumbnailPlace: Hashable, Sendable {
    /// Nobody has looked.
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

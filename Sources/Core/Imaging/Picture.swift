/// A borrowed look at the samples of one picture.
///
/// - Ownership: whoever lends it keeps the memory alive and unchanged for the length of the call it is passed to; it is
///   never stored.
public struct Picture {
    /// Where the samples lie.
    public let layout: PictureLayout
    /// The buffer that `layout`'s offsets count from; at least `layout.byteCount` bytes.
    public let bytes: UnsafeRawBufferPointer

    /// A look at a buffer.
    public init(layout: PictureLayout, bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= layout.byteCount, "the buffer is shorter than its layout")
        self.layout = layout
        self.bytes = bytes
    }

    /// The first sample of a plane's row.
    public func row(_ row: Int, plane: Int) -> UnsafePointer<UInt8> {
        let place = layout.planes[plane]
        return bytes.baseAddress!.advanced(by: place.offset + row * place.stride).assumingMemoryBound(to: UInt8.self)
    }
}

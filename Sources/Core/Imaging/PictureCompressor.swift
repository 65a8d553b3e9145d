/// Compresses the samples of a picture to a JPEG stream: the one place that knows how the work is divided.
///
/// - Isolation: one thread at a time.
package protocol PictureCompressor: AnyObject {
    /// Bytes that always suffice for a compressed picture.
    func byteLimit(for layout: PictureLayout) -> Int
    /// Writes SOI, a JFIF segment of 18 bytes and the compressed picture to `destination`, without a copy of the whole
    /// picture.
    ///
    /// - Parameter destination: at least `byteLimit(for:)` bytes.
    /// - Returns: the number of bytes written.
    func compress(
        _ picture: Picture, quality: Int, into destination: UnsafeMutableRawBufferPointer
    ) throws(ImagingError) -> Int
}

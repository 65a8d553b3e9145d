import Glibc

/// The samples of a decoded JPEG, each component a plane of its own with the file's own subsampling.
///
/// - Ownership: owns the samples, freed with the last reference.
package final class DecodedPicture: Sendable {
    /// Where the samples of one component lie, one byte each.
    package struct Plane: Hashable, Sendable {
        /// Bytes from the start of the memory to the first sample.
        package var offset: Int
        /// Bytes from one row to the next.
        package var stride: Int
        /// Samples in a row.
        package var width: Int
        /// Rows of samples: the picture's height divided by `pixelsDown`, rounded up.
        package var height: Int
        /// Pixels across that one sample stands for; samples lie in the middle of their pixels.
        package var pixelsAcross: Int
        /// Pixels down that one sample stands for.
        package var pixelsDown: Int
    }

    /// Width in pixels after the decoder's scaling, before orientation is applied.
    package let width: Int
    /// Height in pixels after the decoder's scaling, before orientation is applied.
    package let height: Int
    /// Y, Cb, Cr; only Y for a gray picture.
    package let planes: [Plane]
    private let memory: Allocation

    /// Takes over memory that was made with `malloc`.
    init(width: Int, height: Int, planes: [Plane], adopting memory: UnsafeMutableRawBufferPointer) {
        (self.width, self.height, self.planes) = (width, height, planes)
        self.memory = Allocation(adopting: memory)
    }

    /// Lends the samples for the length of the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withUnsafeBytes(body)
    }

    /// The picture's layout where it is 4:2:0; nil otherwise.
    package var layout: PictureLayout? {
        guard planes.count == 3, planes[1].pixelsAcross == 2, planes[1].pixelsDown == 2 else { return nil }
        return PictureLayout(
            format: .yuv420, width: width, height: height,
            planes: planes.map {
                .init(offset: $0.offset, stride: $0.stride, rowBytes: $0.width, rows: $0.height)
            })
    }

    /// Lends a 4:2:0 picture for the length of the call; nil when it is of another kind.
    package func withPicture<Result>(_ body: (Picture) throws -> Result) rethrows -> Result? {
        guard let layout else { return nil }
        return try withUnsafeBytes { (bytes) throws in try body(Picture(layout: layout, bytes: bytes)) }
    }
}

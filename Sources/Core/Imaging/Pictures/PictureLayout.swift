/// How the samples of one uncompressed picture lie in memory: 4:2:0, 8 bits a sample, full-range BT.601 as JPEG has it.
public struct PictureLayout: Hashable, Sendable {
    /// The arrangement of the chroma samples.
    public enum Format: String, Hashable, Sendable {
        /// Three planes: Y, Cb, Cr; the chroma planes at half the width and height, rounded up.
        case yuv420
        /// Two planes: Y, then Cb and Cr alternating; the second at half the height, rounded up.
        case nv12
    }

    /// One plane's place in the buffer.
    public struct Plane: Hashable, Sendable {
        /// Bytes from the start of the buffer to the first sample.
        public var offset: Int
        /// Bytes from one row to the next.
        public var stride: Int
        /// Bytes of samples in a row; at most the stride.
        public var rowBytes: Int
        /// Rows of samples: of a chroma plane half the picture's height, rounded up.
        public var rows: Int

        /// A plane; offset, stride and row length are in bytes.
        public init(offset: Int, stride: Int, rowBytes: Int, rows: Int) {
            self.offset = offset
            self.stride = stride
            self.rowBytes = rowBytes
            self.rows = rows
        }
    }

    /// Arrangement of the samples.
    public let format: Format
    /// Width in pixels, without the padding of rows; positive.
    public let width: Int
    /// Height in pixels, equal to the rows of the Y plane; positive.
    public let height: Int
    /// Three planes for yuv420, two for nv12.
    public let planes: [Plane]

    /// Bytes from the start of the buffer to the end of the last row of the last plane.
    public var byteCount: Int {
        planes.map { $0.offset + $0.stride * ($0.rows - 1) + $0.rowBytes }.max() ?? 0
    }

    /// A layout with explicit planes, as a sensor reports it.
    ///
    /// - Precondition: plane sizes fit the format and the picture's size.
    public init(format: Format, width: Int, height: Int, planes: [Plane]) {
        let expected = Self.rowSizes(format, width, height)
        precondition(width > 0 && height > 0, "a picture has a positive size")
        precondition(planes.count == expected.count, "\(format) has \(expected.count) planes")
        precondition(
            zip(planes, expected).allSatisfy {
                $0.rowBytes == $1.rowBytes && $0.rows == $1.rows && $0.stride >= $0.rowBytes
            }, "the planes do not fit \(width)×\(height) \(format)")
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
    }

    /// Planes one after another, each row padded to a multiple of `alignment` bytes.
    public init(packed format: Format, width: Int, height: Int, alignment: Int = 1) {
        var offset = 0
        let planes = Self.rowSizes(format, width, height).map { size in
            let stride = (size.rowBytes + alignment - 1) / alignment * alignment
            defer { offset += stride * size.rows }
            return Plane(offset: offset, stride: stride, rowBytes: size.rowBytes, rows: size.rows)
        }
        self.init(format: format, width: width, height: height, planes: planes)
    }

    private static func rowSizes(_ format: Format, _ width: Int, _ height: Int) -> [(rowBytes: Int, rows: Int)] {
        let chromaWidth = (width + 1) / 2
        let chromaHeight = (height + 1) / 2
        return switch format {
        case .yuv420: [(width, height), (chromaWidth, chromaHeight), (chromaWidth, chromaHeight)]
        case .nv12: [(width, height), (2 * chromaWidth, chromaHeight)]
        }
    }
}

/// A borrowed look at the samples of one picture.
///
/// - Ownership: the lender keeps the memory alive and unchanged for the length of the call it is passed to; it is
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
        guard let base = bytes.baseAddress else { preconditionFailure("a picture needs memory") }
        let place = layout.planes[plane]
        return base.advanced(by: place.offset + row * place.stride).assumingMemoryBound(to: UInt8.self)
    }
}

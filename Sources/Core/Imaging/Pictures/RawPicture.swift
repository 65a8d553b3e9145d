/// How the samples of one raw picture lie in memory: one sample a pixel behind a color filter, as the sensor gave it.
public struct RawLayout: Hashable, Sendable {
    /// What a sample is.
    public struct Format: Hashable, Sendable {
        /// The colors of the filter's first two rows, from the left.
        public enum Pattern: String, Hashable, Sendable {
            /// Red, green; green, blue.
            case rggb
            /// Green, red; blue, green.
            case grbg
            /// Green, blue; red, green.
            case gbrg
            /// Blue, green; green, red.
            case bggr
        }

        /// How samples are put into bytes.
        public enum Packing: String, Hashable, Sendable {
            /// One sample in each 16-bit word, low byte first.
            case words
            /// Several samples in a group of bytes (MIPI CSI-2, RAW10 and RAW12).
            case csi2
        }

        /// The colors of the filter, beginning at the picture's first pixel.
        public let pattern: Pattern
        /// Significant bits of a sample.
        public let bitsPerSample: Int
        /// How samples are put into bytes.
        public let packing: Packing

        /// A raw format with this number of significant bits for each sample.
        public init(pattern: Pattern, bitsPerSample: Int, packing: Packing) {
            self.pattern = pattern
            self.bitsPerSample = bitsPerSample
            self.packing = packing
        }
    }

    /// What a sample is.
    public let format: Format
    /// Width in pixels, each of which has one sample; positive.
    public let width: Int
    /// Height in pixels, equal to the number of rows; positive.
    public let height: Int
    /// Bytes from one row to the next.
    public let stride: Int

    /// Bytes of all rows.
    public var byteCount: Int { stride * height }

    /// A layout as a sensor reports it.
    ///
    /// - Precondition: a row fits its stride.
    public init(format: Format, width: Int, height: Int, stride: Int) {
        let rowBytes = format.packing == .words ? 2 * width : (width * format.bitsPerSample + 7) / 8
        precondition(width > 0 && height > 0, "a picture has a positive size")
        precondition(stride >= rowBytes, "a row of \(width) samples does not fit \(stride) bytes")
        self.format = format
        self.width = width
        self.height = height
        self.stride = stride
    }
}

/// A borrowed look at the samples of one raw picture.
///
/// - Ownership: the lender keeps the memory alive and unchanged for the length of the call it is passed to; it is
///   never stored.
public struct RawPicture {
    /// Where the samples lie.
    public let layout: RawLayout
    /// The buffer; at least `layout.byteCount` bytes.
    public let bytes: UnsafeRawBufferPointer

    /// A look at a buffer.
    public init(layout: RawLayout, bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= layout.byteCount, "the buffer is shorter than its layout")
        self.layout = layout
        self.bytes = bytes
    }
}

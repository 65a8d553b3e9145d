import Imaging

/// A picture drawn by a rule, in a buffer of its own whose padding holds values that must never show.
struct DrawnPicture {
    let layout: PictureLayout
    private(set) var bytes: [UInt8]

    /// Draws `luma` and `chroma` (Cb, Cr) at each sample.
    init(
        _ format: PictureLayout.Format, _ width: Int, _ height: Int, alignment: Int = 1,
        luma: (_ x: Int, _ y: Int) -> Int = { ($0 * 3 + $1 * 2) & 255 },
        chroma: (_ x: Int, _ y: Int) -> (Int, Int) = { (96 + ($0 & 63), 160 - ($1 & 63)) }
    ) {
        layout = PictureLayout(packed: format, width: width, height: height, alignment: alignment)
        bytes = [UInt8](repeating: 0xff, count: layout.byteCount)
        for y in 0..<height {
            for x in 0..<width { bytes[layout.planes[0].offset + y * layout.planes[0].stride + x] = UInt8(luma(x, y)) }
        }
        for y in 0..<(height + 1) / 2 {
            for x in 0..<(width + 1) / 2 {
                let (cb, cr) = chroma(x, y)
                switch format {
                case .yuv420:
                    bytes[layout.planes[1].offset + y * layout.planes[1].stride + x] = UInt8(cb)
                    bytes[layout.planes[2].offset + y * layout.planes[2].stride + x] = UInt8(cr)
                case .nv12:
                    let place = layout.planes[1].offset + y * layout.planes[1].stride + 2 * x
                    bytes[place] = UInt8(cb)
                    bytes[place + 1] = UInt8(cr)
                }
            }
        }
    }

    /// Encodes the picture with a fresh encoder.
    func encoded(
        _ metadata: PhotoMetadata = .plain, quality: Int = 93, thumbnail: Bool = true
    ) throws -> EncodedPhoto {
        let encoder = try PhotoEncoder()
        return try withPicture { try encoder.encode($0, metadata: metadata, quality: quality, thumbnail: thumbnail) }
    }

    /// Lends the samples.
    func withPicture<Result>(_ body: (Picture) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(Picture(layout: layout, bytes: $0)) }
    }
}

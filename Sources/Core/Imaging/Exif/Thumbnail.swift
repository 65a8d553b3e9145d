import Platform

/// The small picture inside a photo's Exif: 160 × 120, letterboxed in black (DCF 2.0, 3.3.2).
package struct Thumbnail {
    /// Planes of 4:2:0 samples without padding, in the one size that DCF allows.
    package static let layout = PictureLayout(packed: .yuv420, width: 160, height: 120)
    /// Rows averaged for one row of the thumbnail: bounds the cost for large pictures.
    private static let rowsPerRow = 8

    private var samples: [UInt8]

    /// The picture reduced by averaging samples of its own planes.
    package init(of picture: Picture) {
        let layout = Self.layout
        let luma = layout.planes[0].rows * layout.planes[0].stride
        samples = [UInt8](repeating: 0, count: luma) + [UInt8](repeating: 128, count: layout.byteCount - luma)
        // Even sizes and offsets keep chroma in place.
        let size = Self.fit(width: picture.layout.width, height: picture.layout.height)
        let (left, top) = ((layout.width - size.width) / 4 * 2, (layout.height - size.height) / 4 * 2)
        for component in 0..<3 {
            let isInterleaved = picture.layout.format == .nv12 && component > 0
            let plane = picture.layout.planes[isInterleaved ? 1 : component]
            let source = Source(
                base: picture.row(0, plane: isInterleaved ? 1 : component) + (isInterleaved ? component - 1 : 0),
                stride: plane.stride, step: isInterleaved ? 2 : 1,
                width: isInterleaved ? plane.rowBytes / 2 : plane.rowBytes, height: plane.rows)
            let scale = component == 0 ? 1 : 2
            let place = layout.planes[component]
            average(
                source, width: size.width / scale, height: size.height / scale,
                to: place.offset + top / scale * place.stride + left / scale, stride: place.stride)
        }
    }

    /// Lends the thumbnail's samples.
    package func withPicture<Result>(_ body: (Picture) throws(ImagingError) -> Result) throws(ImagingError) -> Result {
        try samples.withBytes { (bytes) throws(ImagingError) in
            try body(Picture(layout: Self.layout, bytes: bytes))
        }
    }

    /// The largest even size of the picture's shape inside the thumbnail; at least 2 × 2.
    package static func fit(width: Int, height: Int) -> (width: Int, height: Int) {
        let scale = min(Double(layout.width) / Double(width), Double(layout.height) / Double(height))
        func even(_ length: Int, _ limit: Int) -> Int {
            min(max(2 * Int((Double(length) * scale / 2).rounded()), 2), limit)
        }
        return (even(width, layout.width), even(height, layout.height))
    }

    private struct Source {
        let base: UnsafePointer<UInt8>
        let stride: Int
        let step: Int
        let width: Int
        let height: Int
    }

    private mutating func average(_ source: Source, width: Int, height: Int, to offset: Int, stride: Int) {
        let columns = (0...width).map { $0 * source.width / width }
        samples.withUnsafeMutableBufferPointer { samples in
            for row in 0..<height {
                let first = row * source.height / height
                let span = max((row + 1) * source.height / height - first, 1)
                let rows = min(span, Self.rowsPerRow)
                for column in 0..<width {
                    let start = columns[column]
                    let end = max(columns[column + 1], start + 1)
                    var sum = 0
                    for index in 0..<rows {
                        let line = source.base + (first + index * span / rows) * source.stride
                        for position in start..<end { sum += Int(line[position * source.step]) }
                    }
                    let count = rows * (end - start)
                    samples[offset + row * stride + column] = UInt8(truncatingIfNeeded: (sum + count / 2) / count)
                }
            }
        }
    }
}

import Imaging

/// Puts a photograph into a sensor's frame: turned upright, scaled to fit, centered on black.
enum FittedPhotograph {
    /// How an Exif orientation is undone: first the axes are exchanged, then flipped.
    private struct Turn {
        let exchangesAxes: Bool
        let flipsAcross: Bool
        let flipsDown: Bool

        /// The Exif orientation values 1…8 (TIFF 6.0).
        init(orientation: Int) {
            exchangesAxes = (5...8).contains(orientation)
            flipsAcross = [2, 3, 6, 7].contains(orientation)
            flipsDown = [3, 4, 7, 8].contains(orientation)
        }
    }

    /// Draws the photograph into `target`.
    ///
    /// - Parameter orientation: the Exif orientation of `picture`.
    static func draw(_ picture: DecodedPicture, orientation: Int, into target: PictureMemory) {
        let layout = target.layout
        let turn = Turn(orientation: orientation)
        let (width, height) =
            turn.exchangesAxes ? (picture.height, picture.width) : (picture.width, picture.height)
        let scale = min(Double(layout.width) / Double(width), Double(layout.height) / Double(height))
        let fitted = (
            width: min(max(Int((Double(width) * scale).rounded()), 1), layout.width),
            height: min(max(Int((Double(height) * scale).rounded()), 1), layout.height)
        )
        let (left, top) = ((layout.width - fitted.width) / 2, (layout.height - fitted.height) / 2)
        paintBlack(target)
        for component in picture.planes.indices {
            let plane = picture.planes[component]
            let isInterleaved = layout.format == .nv12 && component > 0
            let place = layout.planes[isInterleaved ? 1 : component]
            let pixels = component == 0 ? 1 : 2
            picture.withUnsafeBytes { bytes in
                let source = samples(of: plane, in: bytes, exchanged: turn.exchangesAxes)
                let (pixelsAcross, pixelsDown) =
                    turn.exchangesAxes
                    ? (plane.pixelsDown, plane.pixelsAcross) : (plane.pixelsAcross, plane.pixelsDown)
                let columns = left / pixels..<(left + fitted.width + pixels - 1) / pixels
                let rows = top / pixels..<(top + fitted.height + pixels - 1) / pixels
                let scaler = PlaneScaler(
                    across: axis(
                        columns, pixels: pixels, origin: left, length: fitted.width, sourceLength: width,
                        samples: source.width, samplePixels: pixelsAcross, isFlipped: turn.flipsAcross),
                    down: axis(
                        rows, pixels: pixels, origin: top, length: fitted.height, sourceLength: height,
                        samples: source.height, samplePixels: pixelsDown, isFlipped: turn.flipsDown))
                source.withPlane { plane in
                    scaler.scale(
                        plane,
                        to: PlaneScaler.Destination(
                            base: target.samples(at: place.offset + (isInterleaved ? component - 1 : 0)),
                            stride: place.stride, step: isInterleaved ? 2 : 1, columns: columns, rows: rows))
                }
            }
        }
        withExtendedLifetime(target) {}
    }

    /// The weights along one axis. Samples lie in the middle of their pixels in the source and in the result, as JPEG
    /// places chroma, so everything is computed in pixels of the picture.
    private static func axis(
        _ range: Range<Int>, pixels: Int, origin: Int, length: Int, sourceLength: Int, samples: Int,
        samplePixels: Int, isFlipped: Bool
    ) -> PlaneScaler.Axis {
        let ratio = Double(sourceLength) / Double(length)
        return PlaneScaler.Axis(
            count: range.count, samples: samples, step: ratio * Double(pixels) / Double(samplePixels)
        ) { index in
            let pixel = (Double(range.lowerBound + index) + 0.5) * Double(pixels) - Double(origin)
            let sourcePixel = isFlipped ? Double(sourceLength) - pixel * ratio : pixel * ratio
            return sourcePixel / Double(samplePixels)
        }
    }

    private static func paintBlack(_ target: PictureMemory) {
        let chroma = target.layout.planes[1].offset
        let bytes = target.bytes
        for index in 0..<2 {
            let part = index == 0 ? bytes[..<chroma] : bytes[chroma...]
            UnsafeMutableRawBufferPointer(rebasing: part).initializeMemory(
                as: UInt8.self, repeating: index == 0 ? 0 : 128)
        }
    }

    /// A plane as it is, or a copy with its axes exchanged.
    private struct Samples {
        var width: Int
        var height: Int
        var inPlace: PlaneScaler.Source
        var exchanged: [UInt8]?

        func withPlane(_ body: (PlaneScaler.Source) -> Void) {
            guard let exchanged else { return body(inPlace) }
            exchanged.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                body(PlaneScaler.Source(base: base, stride: width, width: width, height: height))
            }
        }
    }

    private static func samples(
        of plane: DecodedPicture.Plane, in bytes: UnsafeRawBufferPointer, exchanged: Bool
    ) -> Samples {
        guard let base = bytes.baseAddress else { preconditionFailure("a decoded picture needs memory") }
        let source = PlaneScaler.Source(
            base: base.advanced(by: plane.offset).assumingMemoryBound(to: UInt8.self),
            stride: plane.stride, width: plane.width, height: plane.height)
        guard exchanged else {
            return Samples(width: plane.width, height: plane.height, inPlace: source, exchanged: nil)
        }
        let copy = [UInt8](unsafeUninitializedCapacity: plane.width * plane.height) { buffer, count in
            for x in 0..<plane.width {
                for y in 0..<plane.height { buffer[x * plane.height + y] = source.base[y * source.stride + x] }
            }
            count = plane.width * plane.height
        }
        return Samples(width: plane.height, height: plane.width, inPlace: source, exchanged: copy)
    }
}

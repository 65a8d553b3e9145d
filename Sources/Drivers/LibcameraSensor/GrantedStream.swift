import Capture
import Imaging

/// What a camera granted, as it says. The layouts made of it are checked.
struct GrantedStream: Hashable, Sendable {
    /// One plane of a buffer.
    struct Plane: Hashable, Sendable {
        /// Bytes from the buffer's start to the first sample.
        var offset: UInt64
        /// Bytes from one row to the next.
        var stride: UInt32
        /// Bytes from the first sample to the end of the plane.
        var length: UInt64
    }

    /// The raw samples, which have a buffer of their own.
    struct Raw: Hashable, Sendable {
        var format: RawLayout.Format
        var width: UInt32
        var height: UInt32
        var stride: UInt32
        /// Bytes of the buffer.
        var length: UInt64

        /// Where the samples lie; nil when that cannot be.
        ///
        /// - Parameter isAllocated: false before there are buffers, whose length is then not looked at.
        func layout(isAllocated: Bool = true) -> RawLayout? {
            let (width, height, stride) = (Int(width), Int(height), Int(stride))
            guard GrantedStream.sides.contains(width), GrantedStream.sides.contains(height) else { return nil }
            let rowBytes = format.packing == .words ? 2 * width : (width * format.bitsPerSample + 7) / 8
            guard stride >= rowBytes, !isAllocated || UInt64(stride * height) <= length else { return nil }
            return RawLayout(format: format, width: width, height: height, stride: stride)
        }
    }

    /// Widths and heights of a JPEG.
    static let sides = 1...65_500

    var format: PictureLayout.Format
    var width: UInt32
    var height: UInt32
    var bufferCount: UInt32
    var planes: [Plane]
    var raw: Raw?
    /// Shortest time from one frame to the next in this mode; nil when not known.
    var shortestFrame: Duration?

    /// Where the samples lie.
    ///
    /// - Throws: `SensorError.refused` when rows do not fit their stride, or planes the buffer.
    func layout() throws(SensorError) -> PictureLayout {
        let (width, height) = (Int(width), Int(height))
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            throw .refused("the camera delivers pictures of \(width) by \(height) pixels")
        }
        let packed = PictureLayout(packed: format, width: width, height: height)
        guard planes.count == packed.planes.count else {
            throw .refused("the camera delivers \(planes.count) planes of \(format.rawValue)")
        }
        var result: [PictureLayout.Plane] = []
        for (plane, size) in zip(planes, packed.planes) {
            let stride = Int(plane.stride)
            // Buffers end far below 2⁴⁰ bytes, so that sums stay inside an Int.
            guard plane.offset < 1 << 40, stride >= size.rowBytes,
                UInt64(stride * (size.rows - 1) + size.rowBytes) <= plane.length
            else { throw .refused("the camera's planes do not hold \(width) by \(height) pixels") }
            result.append(
                PictureLayout.Plane(
                    offset: Int(plane.offset), stride: stride, rowBytes: size.rowBytes, rows: size.rows))
        }
        return PictureLayout(format: format, width: width, height: height, planes: result)
    }

    /// Time from one frame to the next. libcamera's pipelines give at most 30 frames a second unless asked.
    var frameInterval: Duration { max(shortestFrame ?? .zero, .microseconds(33_333)) }

    /// The configuration for the session.
    ///
    /// A rolling shutter reads for about as long as the mode's shortest frame; libcamera has no better figure.
    func configuration(hasGlobalShutter: Bool) throws(SensorError) -> StreamConfiguration {
        StreamConfiguration(
            layout: try layout(), bufferCount: Int(bufferCount), frameInterval: frameInterval,
            readoutTime: hasGlobalShutter ? .zero : shortestFrame ?? .zero, rawLayout: raw?.layout())
    }
}

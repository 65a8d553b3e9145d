import CTurboJPEG
import Glibc
import Platform

/// Compresses on the calling thread through TurboJPEG, baseline 4:2:0.
///
/// - Isolation: one thread at a time.
/// - Ownership: owns the codec's handle and scratch for planes that TurboJPEG cannot read in place.
package final class TurboJPEGCompressor: PictureCompressor {
    private let handle: tjhandle
    private var scratch: [UInt8] = []

    /// A compressor with its own handle.
    package init() throws(ImagingError) {
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    package func byteLimit(for layout: PictureLayout) -> Int {
        let limit = tjBufSize(Int32(clamping: layout.width), Int32(clamping: layout.height), Int32(TJSAMP_420.rawValue))
        return limit == UInt.max ? Int.max : Int(limit)
    }

    package func compress(
        _ picture: Picture, quality: Int, into destination: UnsafeMutableRawBufferPointer
    ) throws(ImagingError) -> Int {
        let layout = picture.layout
        guard layout.width <= 65_500, layout.height <= 65_500 else { throw .tooLarge }
        guard destination.count >= byteLimit(for: layout) else { throw .outOfMemory }
        let (isOdd, isSplit) = (layout.width % 2 != 0 || layout.height % 2 != 0, layout.format == .nv12)
        // TurboJPEG reads luma up to the next even width and height: with an odd size past the plane's end.
        let (evenWidth, evenHeight) = ((layout.width + 1) / 2 * 2, (layout.height + 1) / 2 * 2)
        let lumaBytes = isOdd ? evenWidth * evenHeight : 0
        let chromaBytes = isSplit ? evenWidth * evenHeight / 4 : 0
        if scratch.count < lumaBytes + 2 * chromaBytes {
            scratch = [UInt8](repeating: 0, count: lumaBytes + 2 * chromaBytes)
        }
        return try scratch.withMutableBytes { (scratch) throws(ImagingError) in
            let scratch = scratch.bindMemory(to: UInt8.self)
            var planes = layout.planes.indices.map { Optional(picture.row(0, plane: $0)) }
            var strides = layout.planes.map { Int32(clamping: $0.stride) }
            if isOdd, let room = scratch.baseAddress {
                padLuma(picture, to: room, width: evenWidth, height: evenHeight)
                (planes[0], strides[0]) = (UnsafePointer(room), Int32(evenWidth))
            }
            if isSplit, let room = scratch.baseAddress?.advanced(by: lumaBytes) {
                splitChroma(picture, cb: room, cr: room + chromaBytes)
                planes = [planes[0], UnsafePointer(room), UnsafePointer(room + chromaBytes)]
                strides = [strides[0], Int32(evenWidth / 2), Int32(evenWidth / 2)]
            }
            var output = destination.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var count = UInt(destination.count)
            let result = tjCompressFromYUVPlanes(
                handle, &planes, Int32(layout.width), strides, Int32(layout.height), Int32(TJSAMP_420.rawValue),
                &output, &count, Int32(min(max(quality, 1), 100)), TJFLAG_NOREALLOC)
            guard result == 0 else { throw .codec(String(cString: tjGetErrorStr2(handle))) }
            return Int(count)
        }
    }

    private func padLuma(_ picture: Picture, to room: UnsafeMutablePointer<UInt8>, width: Int, height: Int) {
        for row in 0..<height {
            let line = room + row * width
            memcpy(line, picture.row(min(row, picture.layout.height - 1), plane: 0), picture.layout.width)
            line[width - 1] = line[picture.layout.width - 1]
        }
    }

    private func splitChroma(_ picture: Picture, cb: UnsafeMutablePointer<UInt8>, cr: UnsafeMutablePointer<UInt8>) {
        let plane = picture.layout.planes[1]
        let width = plane.rowBytes / 2
        for row in 0..<plane.rows {
            let pairs = picture.row(row, plane: 1)
            let (cbLine, crLine) = (cb + row * width, cr + row * width)
            for column in 0..<width {
                cbLine[column] = pairs[2 * column]
                crLine[column] = pairs[2 * column + 1]
            }
        }
    }
}

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

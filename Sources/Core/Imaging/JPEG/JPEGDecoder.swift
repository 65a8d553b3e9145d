import CTurboJPEG
import Glibc

/// Decodes JPEG files to planes. The bytes may be anything.
package enum JPEGDecoder {
    /// Size of the decoded picture: the inverse transform makes it smaller at little cost.
    package enum Scale: Int, Sendable {
        case full = 1, half = 2, quarter = 4, eighth = 8
    }

    /// Decodes a file, sizes first.
    ///
    /// - Parameter pixelLimit: most pixels of the stored picture.
    /// - Throws: `.invalidFile` also for a picture that is damaged or cut off, or not YCbCr or gray; `.tooLarge`;
    ///   `.outOfMemory`.
    /// - Blocking: for the whole decompression.
    package static func decode(
        _ file: UnsafeRawBufferPointer, pixelLimit: Int = PhotoFileReader.pixelLimit, scale: Scale = .full
    ) throws(ImagingError) -> DecodedPicture {
        let codec = try Codec()
        let header = try codec.readHeader(of: file, pixelLimit: pixelLimit)
        let (bytes, subsampling) = (file.baseAddress?.assumingMemoryBound(to: UInt8.self), header.subsampling)
        let isGray = header.colors == Int32(TJCS_GRAY.rawValue)
        guard isGray || header.colors == Int32(TJCS_YCbCr.rawValue) else {
            throw .invalidFile("its colors are neither YCbCr nor gray")
        }
        guard let factors = Self.factors(isGray ? Int32(TJSAMP_GRAY.rawValue) : subsampling) else {
            throw .invalidFile("its chroma is subsampled in an unusual way")
        }
        let width = (header.width + Int32(scale.rawValue) - 1) / Int32(scale.rawValue)
        let height = (header.height + Int32(scale.rawValue) - 1) / Int32(scale.rawValue)
        let (planes, byteCount) = Self.planes(Int(width), Int(height), subsampling, factors, isGray: isGray)
        guard let memory = malloc(byteCount) else { throw .outOfMemory }
        let room = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
        let picture = DecodedPicture(width: Int(width), height: Int(height), planes: planes, adopting: room)
        var destinations = planes.map { Optional(memory.advanced(by: $0.offset).assumingMemoryBound(to: UInt8.self)) }
        var strides = planes.map { Int32(clamping: $0.stride) }
        guard
            tjDecompressToYUVPlanes(
                codec.handle, bytes, UInt(file.count), &destinations, width, &strides, height, TJFLAG_LIMITSCANS) == 0
        else { throw codec.failure }
        return picture
    }

    /// Decodes a file to RGB, made smaller by the inverse transform as far as the size asked for allows.
    ///
    /// - Parameters:
    ///   - pixelLimit: most pixels of the stored picture.
    ///   - size: the least size that is wanted, from the stored one.
    /// - Returns: the picture, and how far it reaches into its last column and row, in eighths of a pixel.
    /// - Throws: as `decode`; `.tooLarge` also when decoding would take more memory than `sampleLimit`.
    /// - Blocking: for the whole decompression.
    static func decodeRGB(
        _ file: UnsafeRawBufferPointer, pixelLimit: Int = PhotoFileReader.pixelLimit,
        size: (_ stored: PixelSize) -> PixelSize
    ) throws(ImagingError) -> (image: PhotoImage, extent: PixelSize) {
        let codec = try Codec()
        let header = try codec.readHeader(of: file, pixelLimit: pixelLimit)
        guard [TJCS_GRAY.rawValue, TJCS_YCbCr.rawValue, TJCS_RGB.rawValue].contains(UInt32(header.colors)) else {
            throw .invalidFile("its colors are neither YCbCr nor RGB nor gray")
        }
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        let coefficients = header.needsCoefficients ? 2 * 3 * stored.width * stored.height : 0
        let eighths = Self.eighths(of: stored, atLeast: size(stored))
        let extent = PixelSize(width: stored.width * eighths, height: stored.height * eighths)
        let decoded = PixelSize(width: (extent.width + 7) / 8, height: (extent.height + 7) / 8)
        guard coefficients + 3 * decoded.width * decoded.height <= sampleLimit else { throw .tooLarge }
        let image = try PhotoImage(width: decoded.width, height: decoded.height) { (room) throws(ImagingError) in
            guard
                tjDecompress2(
                    codec.handle, file.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(file.count),
                    room.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: decoded.width),
                    Int32(clamping: 3 * decoded.width), Int32(clamping: decoded.height), Int32(TJPF_RGB.rawValue),
                    TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT) == 0
            else { throw codec.failure }
        }
        return (image, extent)
    }

    /// Most bytes of samples and coefficients that decoding to RGB may take: the 64 megapixels of the largest sensor.
    static let sampleLimit = 1 << 28

    /// The least the inverse transform can make of a picture that is still as large as asked for, in eighths.
    private static func eighths(of stored: PixelSize, atLeast wanted: PixelSize) -> Int {
        (1..<8).first { eighths in
            (stored.width * eighths + 7) / 8 >= wanted.width && (stored.height * eighths + 7) / 8 >= wanted.height
        } ?? 8
    }

    /// The codec's handle for one file: after a header that could not be read it keeps a broken state.
    ///
    /// - Ownership: owns the handle.
    private final class Codec {
        struct Header {
            var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
            var needsCoefficients = false
        }

        let handle: tjhandle

        init() throws(ImagingError) {
            guard let handle = tjInitDecompress() else { throw .outOfMemory }
            self.handle = handle
        }

        deinit { tjDestroy(handle) }

        var failure: ImagingError { .invalidFile("it is damaged: " + String(cString: tjGetErrorStr2(handle))) }

        func readHeader(of file: UnsafeRawBufferPointer, pixelLimit: Int) throws(ImagingError) -> Header {
            let structure = try JPEGStructure(file)
            guard structure.width * structure.height <= pixelLimit else { throw .tooLarge }
            var header = Header()
            header.needsCoefficients = structure.needsCoefficients
            guard
                tjDecompressHeader3(
                    handle, file.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(file.count), &header.width,
                    &header.height, &header.subsampling, &header.colors) == 0
                    || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
            else { throw failure }
            // The codec reads further than the first frame header; what it found is what it will decode.
            guard header.width > 0, header.height > 0, Int(header.width) * Int(header.height) <= pixelLimit else {
                throw .tooLarge
            }
            return header
        }
    }

    private static func factors(_ subsampling: Int32) -> (across: Int, down: Int)? {
        switch UInt32(bitPattern: subsampling) {
        case TJSAMP_444.rawValue, TJSAMP_GRAY.rawValue: (1, 1)
        case TJSAMP_422.rawValue: (2, 1)
        case TJSAMP_420.rawValue: (2, 2)
        case TJSAMP_440.rawValue: (1, 2)
        case TJSAMP_411.rawValue: (4, 1)
        default: nil
        }
    }

    private static func planes(
        _ width: Int, _ height: Int, _ subsampling: Int32, _ factors: (across: Int, down: Int), isGray: Bool
    ) -> (planes: [DecodedPicture.Plane], byteCount: Int) {
        var byteCount = 0
        let planes = (0..<(isGray ? 1 : 3)).map { component in
            let (across, down) = component == 0 ? (1, 1) : factors
            // The codec writes up to the next whole group of pixels.
            let stride = Int(tjPlaneWidth(Int32(component), Int32(width), subsampling))
            let rows = Int(tjPlaneHeight(Int32(component), Int32(height), subsampling))
            defer { byteCount += stride * rows }
            return DecodedPicture.Plane(
                offset: byteCount, stride: stride, width: (width + across - 1) / across,
                height: (height + down - 1) / down, pixelsAcross: across, pixelsDown: down)
        }
        return (planes, byteCount)
    }
}

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
    /// - Throws: `.invalidFile` also for a picture that is damaged or cut off, or not YCbCr or grey; `.tooLarge`;
    ///   `.outOfMemory`.
    /// - Blocking: for the whole decompression.
    package static func decode(
        _ file: UnsafeRawBufferPointer, pixelLimit: Int = PhotoFileReader.pixelLimit, scale: Scale = .full
    ) throws(ImagingError) -> DecodedPicture {
        let structure = try JPEGStructure(file)
        guard structure.width * structure.height <= pixelLimit else { throw .tooLarge }
        // A handle whose header reading failed once keeps a broken state, so every file gets its own.
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        defer { tjDestroy(handle) }
        let bytes = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var (width, height, subsampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard
            tjDecompressHeader3(handle, bytes, UInt(file.count), &width, &height, &subsampling, &colours) == 0
                || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
        else { throw failure(of: handle) }
        // The codec reads further than the first frame header; what it found is what it will decode.
        guard width > 0, height > 0, Int(width) * Int(height) <= pixelLimit else { throw .tooLarge }
        let isGrey = colours == Int32(TJCS_GRAY.rawValue)
        guard isGrey || colours == Int32(TJCS_YCbCr.rawValue) else {
            throw .invalidFile("its colours are neither YCbCr nor grey")
        }
        guard let factors = Self.factors(isGrey ? Int32(TJSAMP_GRAY.rawValue) : subsampling) else {
            throw .invalidFile("its chroma is subsampled in an unusual way")
        }
        width = (width + Int32(scale.rawValue) - 1) / Int32(scale.rawValue)
        height = (height + Int32(scale.rawValue) - 1) / Int32(scale.rawValue)
        let (planes, byteCount) = Self.planes(Int(width), Int(height), subsampling, factors, isGrey: isGrey)
        guard let memory = malloc(byteCount) else { throw .outOfMemory }
        let room = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
        let picture = DecodedPicture(width: Int(width), height: Int(height), planes: planes, adopting: room)
        var destinations = planes.map { Optional(memory.advanced(by: $0.offset).assumingMemoryBound(to: UInt8.self)) }
        var strides = planes.map { Int32(clamping: $0.stride) }
        guard
            tjDecompressToYUVPlanes(
                handle, bytes, UInt(file.count), &destinations, width, &strides, height, TJFLAG_LIMITSCANS) == 0
        else { throw failure(of: handle) }
        return picture
    }

    private static func failure(of handle: tjhandle) -> ImagingError {
        .invalidFile("it is damaged: " + String(cString: tjGetErrorStr2(handle)))
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
        _ width: Int, _ height: Int, _ subsampling: Int32, _ factors: (across: Int, down: Int), isGrey: Bool
    ) -> (planes: [DecodedPicture.Plane], byteCount: Int) {
        var byteCount = 0
        let planes = (0..<(isGrey ? 1 : 3)).map { component in
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

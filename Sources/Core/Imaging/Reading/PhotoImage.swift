import CTurboJPEG
import FoundationEssentials
import Glibc
import Platform

/// A picture as it is to be shown: upright, its rows from the top, each pixel red, green and blue in one byte each (sRGB).
///
/// Rows follow each other without padding: `bytesPerRow` is three times the width.
/// - Ownership: owns the pixels, freed with the last reference.
public final class PhotoImage: Sendable {
    /// Width in pixels of the picture as it is shown.
    public let width: Int
    /// Height in pixels of the picture as it is shown.
    public let height: Int
    /// Bytes from one row to the next: 3 × width.
    public var bytesPerRow: Int { 3 * width }
    /// Size of the pixels in bytes.
    public var byteCount: Int { memory.byteCount }
    private let memory: Allocation

    /// A picture of a positive size whose pixels are written by `fill`, all of them.
    init(
        width: Int, height: Int, fill: (UnsafeMutableRawBufferPointer) throws(ImagingError) -> Void
    ) throws(ImagingError) {
        let (row, isTooWide) = width.multipliedReportingOverflow(by: 3)
        let (count, isTooHigh) = row.multipliedReportingOverflow(by: height)
        guard !isTooWide, !isTooHigh, count > 0 else { throw .tooLarge }
        guard let memory = malloc(count) else { throw .outOfMemory }
        let pixels = UnsafeMutableRawBufferPointer(start: memory, count: count)
        // Its owner from here on, also when they cannot be filled.
        (self.width, self.height, self.memory) = (width, height, Allocation(adopting: pixels))
        try fill(pixels)
    }

    /// Lends the pixels for the length of the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withUnsafeBytes(body)
    }

    /// The picture as a JPEG file without metadata, 4:2:0.
    ///
    /// - Parameter quality: 1…100 on libjpeg's scale; values outside are clamped.
    /// - Throws: `.outOfMemory`, `.tooLarge` above 65,500 pixels a side, `.codec`.
    /// - Blocking: for the whole compression.
    public func jpegData(quality: Int = 90) throws(ImagingError) -> Data {
        guard width <= 65_500, height <= 65_500 else { throw .tooLarge }
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        defer { tjDestroy(handle) }
        var jpeg: UnsafeMutablePointer<UInt8>?
        defer { tjFree(jpeg) }
        var count: UInt = 0
        let result = withUnsafeBytes { pixels in
            tjCompress2(
                handle, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(width), Int32(bytesPerRow),
                Int32(height), Int32(TJPF_RGB.rawValue), &jpeg, &count, Int32(TJSAMP_420.rawValue),
                Int32(min(max(quality, 1), 100)), 0)
        }
        guard result == 0, let jpeg else { throw .codec(String(cString: tjGetErrorStr2(handle))) }
        return Data(bytes: jpeg, count: Int(count))
    }
}

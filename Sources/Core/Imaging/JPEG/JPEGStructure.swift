import Glibc
import Platform

/// The markers of a JPEG file up to its first scan (ISO/IEC 10918-1, annex B). Accepts any bytes.
package struct JPEGStructure {
    /// One segment between SOI and the first scan.
    package struct Segment {
        /// The second byte of its marker.
        package var marker: UInt8
        /// From the marker's first byte to the end.
        package var range: Range<Int>
        /// After the length field.
        package var content: Range<Int>
    }

    /// Segments in order, the start of scan last.
    package let segments: [Segment]
    /// Width in pixels, as the frame header (SOFn) states it; never 0.
    package let width: Int
    /// Height in pixels, as the frame header (SOFn) states it; never 0.
    package let height: Int
    /// True when decoding needs memory for the whole picture's coefficients: progressive, or in several scans.
    let needsCoefficients: Bool

    /// Walks the markers.
    ///
    /// - Throws: `.invalidFile` naming the fault.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
        guard bytes.count >= 4, bytes[0] == 0xff, bytes[1] == 0xd8 else {
            throw .invalidFile("it does not start like a JPEG file")
        }
        var segments: [Segment] = []
        var size: (width: Int, height: Int)?
        var (isProgressive, components, scanned) = (false, 0, 0)
        var position = 2
        while true {
            let start = position
            guard position < bytes.count, bytes[position] == 0xff else {
                throw .invalidFile("a marker is missing at byte \(position)")
            }
            while position < bytes.count, bytes[position] == 0xff { position += 1 }
            guard position + 2 < bytes.count else { throw .invalidFile("it ends before its picture") }
            let marker = bytes[position]
            guard marker != 0, !(0xd0...0xd9).contains(marker), marker != 0x01 else {
                throw .invalidFile("there is marker \(marker) instead of a segment at byte \(position)")
            }
            let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            let content = position + 3
            let end = position + 1 + length
            guard length >= 2, end <= bytes.count else { throw .invalidFile("it ends before its picture") }
            segments.append(Segment(marker: marker, range: start..<end, content: content..<end))
            if Self.isFrame(marker) {
                guard length >= 8 else { throw .invalidFile("its frame header is too short") }
                let height = Int(bytes[content + 1]) << 8 | Int(bytes[content + 2])
                let width = Int(bytes[content + 3]) << 8 | Int(bytes[content + 4])
                guard width > 0, height > 0 else { throw .invalidFile("its picture has no size") }
                size = (width, height)
                isProgressive = marker == 0xc2
                components = Int(bytes[content + 5])
            }
            if marker == 0xda {
                scanned = length >= 3 ? Int(bytes[content]) : 0
                break
            }
            position = end
        }
        guard let size else { throw .invalidFile("it has no frame header") }
        self.segments = segments
        width = size.width
        height = size.height
        needsCoefficients = isProgressive || scanned < components
    }

    /// True when the end-of-image marker follows the scans; later bytes do not belong to the picture.
    ///
    /// - Parameter bytes: those the structure was read from.
    func hasEnd(in bytes: UnsafeRawBufferPointer) -> Bool {
        var position = segments.last?.range.upperBound ?? bytes.count
        while position < bytes.count - 1 {
            let second = bytes[position + 1]
            if bytes[position] != 0xff || second == 0 || (0xd0...0xd7).contains(second) {
                // Inside a scan: to the next byte that may begin a marker.
                position = Self.index(of: 0xff, in: bytes, from: position + 1)
            } else if second == 0xff {
                position += 1
            } else if second == 0xd9 {
                return true
            } else {
                guard position < bytes.count - 3 else { return false }
                position += 2 + max(2, Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
            }
        }
        return false
    }

    /// Where a byte is next; the end when nowhere. Every photo that is saved is searched, so the C library does it.
    private static func index(of byte: Int32, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, byte, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }

    /// The content of the first Exif segment.
    package func exifContent(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        segments.first { $0.marker == 0xe1 && bytes[$0.content].starts(with: Array("Exif\0\0".utf8)) }?.content
    }

    /// SOF0…SOF15 without DHT, JPG and DAC, which lie between them.
    private static func isFrame(_ marker: UInt8) -> Bool {
        (0xc0...0xcf).contains(marker) && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
    }

    /// A JPEG file without its JFIF segment, as DCF asks of a thumbnail.
    package static func withoutJFIF(_ file: [UInt8]) throws(ImagingError) -> [UInt8] {
        let structure = try file.withBytes { (bytes) throws(ImagingError) in try JPEGStructure(bytes) }
        var result = file
        for segment in structure.segments.reversed() where segment.marker == 0xe0 {
            result.removeSubrange(segment.range)
        }
        return result
    }
}

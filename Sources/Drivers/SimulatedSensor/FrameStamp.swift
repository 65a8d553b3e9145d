import Imaging
import Platform

/// A frame's number and time in its own picture: black and white cells in the bottom 32 rows that survive JPEG.
///
/// Two rows of 80 cells hold 160 bits, most significant first: sequence number, timestamp, and the CRC-32 of both.
package enum FrameStamp {
    /// Rows at the bottom that the stamp covers.
    package static let rows = 32
    /// Smallest width that has room for it: cells of 8 pixels.
    package static let minimumWidth = columns * 8
    private static let columns = 80
    private static let rowsOfCells = 2
    private static let (black, white): (UInt8, UInt8) = (16, 235)

    /// True when a picture has room for the stamp.
    package static func fits(_ layout: PictureLayout) -> Bool {
        layout.width >= minimumWidth && layout.height >= 2 * rows
    }

    /// Paints the stamp over the bottom of a picture.
    ///
    /// - Parameter bytes: the buffer that `layout` describes.
    /// - Precondition: the stamp fits.
    package static func paint(
        sequence: UInt64, timestamp: MonotonicTime, layout: PictureLayout, into bytes: UnsafeMutableRawBufferPointer
    ) {
        precondition(fits(layout) && bytes.count >= layout.byteCount, "the picture has no room for a stamp")
        let payload = message(sequence, UInt64(bitPattern: timestamp.nanoseconds))
        let cell = cellWidth(layout)
        for row in 0..<rows {
            let line = line(layout.height - rows + row, plane: 0, layout, bytes)
            line.update(repeating: black, count: layout.width)
            for column in 0..<columns where payload[row * rowsOfCells / rows * columns + column] {
                (line + column * cell).update(repeating: white, count: cell)
            }
        }
        for plane in layout.planes.indices.dropFirst() {
            for row in (layout.height - rows + 1) / 2..<layout.planes[plane].rows {
                line(row, plane: plane, layout, bytes).update(repeating: 128, count: layout.planes[plane].rowBytes)
            }
        }
    }

    /// Reads the stamp back; nil when there is none that can be believed.
    package static func read(from picture: Picture) -> (sequence: UInt64, timestamp: MonotonicTime)? {
        let layout = picture.layout
        guard fits(layout) else { return nil }
        let cell = cellWidth(layout)
        let height = rows / rowsOfCells
        var payload: [Bool] = []
        for index in 0..<rowsOfCells * columns {
            let left = index % columns * cell
            let top = layout.height - rows + index / columns * height
            var sum = 0
            for row in top + height / 4..<top + height * 3 / 4 {
                let line = picture.row(row, plane: 0)
                for column in left + cell / 4..<left + cell * 3 / 4 { sum += Int(line[column]) }
            }
            payload.append(sum > 126 * (height / 2) * (cell * 3 / 4 - cell / 4))
        }
        let sequence = number(payload[0..<64])
        let timestamp = number(payload[64..<128])
        guard message(sequence, timestamp) == payload else { return nil }
        return (sequence, MonotonicTime(nanoseconds: Int64(bitPattern: timestamp)))
    }

    private static func cellWidth(_ layout: PictureLayout) -> Int {
        // Whole blocks of the transform, so that a cell's edge falls between blocks.
        layout.width / columns / 8 * 8
    }

    private static func line(
        _ row: Int, plane: Int, _ layout: PictureLayout, _ bytes: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutablePointer<UInt8> {
        guard let base = bytes.baseAddress else { preconditionFailure("a frame needs memory") }
        let place = layout.planes[plane]
        return base.advanced(by: place.offset + row * place.stride).assumingMemoryBound(to: UInt8.self)
    }

    private static func message(_ sequence: UInt64, _ timestamp: UInt64) -> [Bool] {
        let numbers = bits(sequence, 64) + bits(timestamp, 64)
        return numbers + bits(UInt64(checksum(numbers)), 32)
    }

    private static func bits(_ number: UInt64, _ count: Int) -> [Bool] {
        (0..<count).map { number >> (count - 1 - $0) & 1 == 1 }
    }

    private static func number(_ bits: ArraySlice<Bool>) -> UInt64 {
        bits.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    /// CRC-32 as in ISO/IEC 8802-3, bit by bit.
    private static func checksum(_ bits: [Bool]) -> UInt32 {
        var remainder = UInt32.max
        for bit in bits {
            let feedback = (remainder >> 31 == 1) != bit
            remainder = remainder << 1 ^ (feedback ? 0x04c1_1db7 : 0)
        }
        return ~remainder
    }
}

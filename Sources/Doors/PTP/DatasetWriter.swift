import Platform

/// Writes the simple types of datasets (PTP, ISO 15740, clause 5; MTP 1.1, 3.2). Numbers are little-endian.
package struct DatasetWriter {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    /// A writer of an empty dataset.
    package init() {}

    /// Writes a number.
    package mutating func write<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
        bytes.append(littleEndian: number)
    }

    /// Writes a text (MTP 1.1, 3.2.3): a count of UTF-16 units with the terminator, then the units. Of a long one the
    /// first 254 units are written, of one with a NUL what stands before it.
    package mutating func write(_ text: String) {
        var units: [UInt16] = []
        for scalar in text.unicodeScalars {
            guard scalar.value != 0, units.count + scalar.utf16.count <= 254 else { break }
            units += scalar.utf16
        }
        guard !units.isEmpty else {
            bytes.append(0)
            return
        }
        bytes.append(UInt8(units.count + 1))
        for unit in units { write(unit) }
        write(UInt16(0))
    }

    /// Writes an array (MTP 1.1, 3.2.2): a count of 32 bits, then the numbers.
    package mutating func write<Number: FixedWidthInteger & UnsignedInteger>(_ numbers: [Number]) {
        bytes.reserveCapacity(bytes.count + 4 + numbers.count * Number.bitWidth / 8)
        write(UInt32(truncatingIfNeeded: numbers.count))
        for number in numbers { write(number) }
    }

    /// Writes the value of a property.
    package mutating func write(_ value: PropertyValue) {
        switch value {
        case .uint8(let number): write(number)
        case .uint16(let number): write(number)
        case .uint32(let number): write(number)
        case .uint64(let number): write(number)
        case .uint128(let high, let low):
            write(low)
            write(high)
        case .text(let text): write(text)
        }
    }
}

import Platform

/// Reads the simple types of datasets from untrusted bytes (PTP, ISO 15740, clause 5; MTP 1.1, 3.2).
///
/// Numbers are little-endian. It never reads past the end, and no number in the dataset decides how much
/// memory it allocates.
package struct DatasetReader {
    private var rest: ArraySlice<UInt8>

    /// A reader at the start of a dataset.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// True when everything was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads an unsigned number as wide as its type.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) throws(DatasetError) -> Number {
        let count = Number.bitWidth / 8
        guard rest.count >= count else { throw .truncated }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return bytes.reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    /// Reads a text (MTP 1.1, 3.2.3): a count of UTF-16 units with the terminator, then the units.
    package mutating func text() throws(DatasetError) -> String {
        let count = Int(try number(UInt8.self))
        guard count > 0 else { return "" }
        guard rest.count >= 2 * count else { throw .truncated }
        var units: [UInt16] = []
        for _ in 0..<count { units.append(try number()) }
        guard units.popLast() == 0, !units.contains(0) else { throw .malformedText }
        guard let text = String(validating: units, as: UTF16.self) else { throw .malformedText }
        return text
    }
}

/// A reason for which received bytes are not a dataset.
package enum DatasetError: Error, Hashable, Sendable {
    /// The bytes end before the dataset does.
    case truncated
    /// A text lacks its terminator, has one in the middle, or has half a surrogate pair.
    case malformedText
}

/// Writes the simple types of datasets (PTP, ISO 15740, clause 5; MTP 1.1, 3.2). Numbers are little-endian.
package struct DatasetWriter {
    /// The dataset so far.
    package private(set) var bytes: [UInt8] = []

    /// A writer of an empty dataset.
    package init() {}

    /// Writes a number as wide as its type.
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

/// The types that property values have here (MTP 1.1, 3.2.1).
package enum DataType: UInt16, Sendable {
    case uint8 = 0x0002
    case uint16 = 0x0004
    case uint32 = 0x0006
    case uint64 = 0x0008
    case uint128 = 0x000a
    case text = 0xffff
}

/// The value of a property, with its type.
package enum PropertyValue: Hashable, Sendable {
    case uint8(UInt8)
    case uint16(UInt16)
    case uint32(UInt32)
    case uint64(UInt64)
    case uint128(high: UInt64, low: UInt64)
    case text(String)

    /// The code that datasets state for the value's type.
    package var type: DataType {
        switch self {
        case .uint8: .uint8
        case .uint16: .uint16
        case .uint32: .uint32
        case .uint64: .uint64
        case .uint128: .uint128
        case .text: .text
        }
    }

    /// The smallest value of a type, which stands for an unknown default.
    package static func zero(_ type: DataType) -> PropertyValue {
        switch type {
        case .uint8: .uint8(0)
        case .uint16: .uint16(0)
        case .uint32: .uint32(0)
        case .uint64: .uint64(0)
        case .uint128: .uint128(high: 0, low: 0)
        case .text: .text("")
        }
    }
}

extension WallTime {
    /// The local date and time in the form of datasets: `YYYYMMDDThhmmss` (MTP 1.1, 3.2.5).
    package var dateTime: String {
        var units = exifDateTime.utf8.filter { $0 != UInt8(ascii: ":") }
        if let space = units.firstIndex(of: UInt8(ascii: " ")) { units[space] = UInt8(ascii: "T") }
        return String(decoding: units, as: UTF8.self)
    }
}

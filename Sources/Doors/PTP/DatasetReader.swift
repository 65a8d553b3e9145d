/// Reads the simple types of datasets from bytes that nobody vouches for (PTP, ISO 15740, clause 5; MTP 1.1, 3.2).
///
/// Numbers are little-endian. Nothing is read past the end, and no memory is asked for by a number from outside.
package struct DatasetReader {
    private var rest: ArraySlice<UInt8>

    /// A reader at the start of a dataset.
    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// True when everything was read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads a number.
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

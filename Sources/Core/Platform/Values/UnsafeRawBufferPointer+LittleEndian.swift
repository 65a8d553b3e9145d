extension [UInt8] {
    /// Adds a number, its lowest byte first.
    package mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads a number, its lowest byte first; nil when the buffer ends before it.
    package func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
        guard offset >= 0, count - offset >= MemoryLayout<Number>.size else { return nil }
        return Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}

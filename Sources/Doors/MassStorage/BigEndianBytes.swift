// SCSI puts the highest byte first.

extension [UInt8] {
    /// Adds a number, its highest byte first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

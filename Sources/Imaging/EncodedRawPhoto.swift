import Glibc

/// A complete raw file (DNG) in memory.
///
/// - Ownership: owns one allocation, freed with the last reference.
package final class EncodedRawPhoto: Sendable {
    /// Size of the file in bytes.
    package let byteCount: Int
    /// The allocation's address as a number, so that the class is checked `Sendable`; nobody writes to it any more.
    private let address: UInt

    /// Takes over a file's allocation, which was made with `malloc`.
    package init(adopting file: UnsafeMutableRawBufferPointer) {
        byteCount = file.count
        address = UInt(bitPattern: file.baseAddress)
    }

    deinit { free(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Lends the file's bytes for the length of the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: byteCount))
    }
}

import FoundationEssentials
import Glibc

/// Memory made with `malloc` that nobody writes to any more.
///
/// - Ownership: freed with the last reference.
final class Allocation: Sendable {
    /// Its size in bytes.
    let byteCount: Int
    /// The address as a number, so that the class is checked `Sendable`.
    private let address: UInt

    /// Takes over memory that was made with `malloc`.
    init(adopting memory: UnsafeMutableRawBufferPointer) {
        byteCount = memory.count
        address = UInt(bitPattern: memory.baseAddress)
    }

    deinit { free(UnsafeMutableRawPointer(bitPattern: address)) }

    /// Lends the bytes for the length of the call.
    func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: byteCount))
    }

    /// The bytes as data that shares this memory and keeps it alive.
    var data: Data {
        guard let base = UnsafeMutableRawPointer(bitPattern: address) else { return Data() }
        return Data(bytesNoCopy: base, count: byteCount, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}

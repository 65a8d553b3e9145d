/// A complete raw file (DNG) in memory.
///
/// - Ownership: owns one allocation, freed with the last reference.
package final class EncodedRawPhoto: Sendable {
    /// Size of the file in bytes.
    package var byteCount: Int { memory.byteCount }
    private let memory: Allocation

    /// Takes over a file's allocation, which was made with `malloc`.
    package init(adopting file: UnsafeMutableRawBufferPointer) {
        memory = Allocation(adopting: file)
    }

    /// Lends the file's bytes for the length of the call.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try memory.withUnsafeBytes(body)
    }
}

import FoundationEssentials

// Up to Swift 6.0 the standard library and Foundation forget the type of the error that such a closure throws.
// These carry it past them.

extension ContiguousBytes {
    /// Lends the bytes for the length of the call, which throws what `body` throws.
    package func withBytes<Success, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        let result = withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }
}

extension [UInt8] {
    /// Lends the bytes for change for the length of the call, which throws what `body` throws.
    package mutating func withMutableBytes<Success, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        let result = withUnsafeMutableBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }
}

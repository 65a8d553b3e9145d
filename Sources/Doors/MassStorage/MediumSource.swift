/// Where the bytes of a volume's files come from.
package protocol MediumSource: Sendable {
    /// Opens a file anew.
    ///
    /// - Parameter index: its place in the volume's list.
    /// - Returns: nil when it is not there any more, or may not be read now.
    /// - Blocking: may, on the thread of `BulkOnlyConnection.run`.
    func open(_ index: Int) -> (any MediumFile)?
}

/// An open file. It is closed when nothing refers to it any more.
package protocol MediumFile: Sendable {
    /// Reads from an offset.
    ///
    /// - Returns: how many bytes were read: fewer than the buffer has only at the end of the file or when it cannot be
    ///   read.
    /// - Blocking: may.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int
}

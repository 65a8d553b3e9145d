/// A file that is read as long as its client may still see it, and ends when that is taken back.
final class RevocableContent: ObjectContent {
    private let content: any ObjectContent
    private let isAllowed: @Sendable () -> Bool

    /// Content of a file that has just been opened.
    ///
    /// - Parameter isAllowed: whether it may be read now; never blocks.
    init(_ content: any ObjectContent, isAllowed: @escaping @Sendable () -> Bool) {
        (self.content, self.isAllowed) = (content, isAllowed)
    }

    var byteCount: UInt64 { content.byteCount }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        isAllowed() ? content.read(into: buffer, at: offset) : 0
    }
}

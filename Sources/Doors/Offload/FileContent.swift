import Glibc
import Platform

/// An open file of the library.
final class FileContent: ObjectContent {
    let byteCount: UInt64
    private let descriptor: Descriptor

    /// Opens an ordinary file; nothing else, and no link, is ever read.
    init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw .last("look up", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL, operation: "read", path: path) }
        byteCount = UInt64(clamping: status.st_size)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        var done = 0
        while done < buffer.count {
            guard let place = Int64(exactly: offset).map({ $0.addingReportingOverflow(Int64(done)) }), !place.overflow,
                let count = try? descriptor.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: place.partialValue),
                count > 0
            else { break }
            done += count
        }
        return done
    }
}

/// A file that can be read as long as its client may see it, and ends when that permission is revoked.
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

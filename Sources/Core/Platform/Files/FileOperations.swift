import CLinuxShim
import Glibc

/// What the library asks of a file system, small enough to be simulated with a memory of what is synced.
///
/// Paths are absolute. Every call blocks until the kernel answers; none is called on Swift's pool.
package protocol FileOperations: Sendable {
    /// Makes one directory; an existing one is an error (EEXIST). The parent is not synced.
    func createDirectory(_ path: String) throws(SystemError)
    /// Names in a directory without `.` and `..`, in no order.
    func list(_ path: String) throws(SystemError) -> [String]
    /// The properties of a path, without following a symbolic link; nil when nothing is there.
    func metadata(_ path: String) throws(SystemError) -> FileMetadata?
    /// Creates a file that must not exist (EEXIST), writes all bytes and syncs it (fsync).
    /// A failure leaves at most a partial file at `path`.
    func writeNew(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError)
    /// Copies a regular file in pieces of at most 1 MiB into one that must not exist (EEXIST), and syncs that (fsync).
    /// A failure leaves at most a partial file at `to`.
    ///
    /// - Parameter body: is lent each piece.
    /// - Returns: the properties of the source, the same before and after.
    /// - Throws: an error whose path is `from` when the source is to blame: ENOENT, EISDIR, ELOOP (a symbolic link),
    ///   EINVAL (a pipe or device), EBUSY (it changed meanwhile).
    func copyNew(
        _ from: String, to: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> FileMetadata
    /// The whole content, refused with EFBIG when longer than `limit` bytes.
    func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]
    /// The first `count` bytes, fewer when the file is shorter.
    func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8]
    /// Reads the file in pieces of at most 1 MiB.
    func readPieces(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError)
    /// Reads the file in pieces of at most 1 MiB, until `body` says false.
    func readWhile(_ path: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws(SystemError)
    /// Renames within one file system; an existing target is an error (EEXIST).
    func renameNew(_ from: String, to: String) throws(SystemError)
    /// Renames within one file system, replacing the target at once.
    func renameReplacing(_ from: String, to: String) throws(SystemError)
    /// Makes a second name for a file.
    func link(_ from: String, to: String) throws(SystemError)
    /// Removes a file's name; an absent one is an error (ENOENT).
    func remove(_ path: String) throws(SystemError)
    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(SystemError)
    /// Makes the directory's entries durable (fsync of the directory).
    func syncDirectory(_ path: String) throws(SystemError)
    /// Free and total bytes of the file system that holds `path`, as an ordinary user may use them.
    func space(_ path: String) throws(SystemError) -> FileSystemSpace
    /// Called right before the database at `path` commits; an error stands for a commit that did not happen.
    ///
    /// The database syncs by itself. A simulation counts its commit as one durable step.
    func willCommit(_ path: String) throws(SystemError)
}

extension FileOperations {
    package func willCommit(_ path: String) throws(SystemError) {}

    package func readWhile(_ path: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws(SystemError) {
        var isWanted = true
        try readPieces(path) { piece in
            if isWanted { isWanted = body(piece) }
        }
    }

    /// Replaces a file's content durably, by way of a file `path.new` in the same directory.
    ///
    /// After a power cut, and after a failure before the last step, `path` has either the old content or the new one.
    package func replace(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let new = path + ".new"
        if try metadata(new) != nil { try remove(new) }
        do throws(SystemError) {
            try writeNew(new, bytes)
            try renameReplacing(new, to: path)
        } catch {
            try? remove(new)
            throw error
        }
        guard let slash = path.lastIndex(of: "/") else { return try syncDirectory(".") }
        try syncDirectory(slash == path.startIndex ? "/" : String(path[..<slash]))
    }

    /// Creates a file that must not exist (EEXIST) with these bytes and syncs it.
    package func writeNew(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        try bytes.withBytes { (bytes) throws(SystemError) in try writeNew(path, bytes) }
    }
}

/// What a path names, how large it is and when it last changed; symbolic links are not followed.
package struct FileMetadata: Hashable, Sendable {
    /// The kinds that the library distinguishes.
    package enum Kind: Sendable { case file, directory, other }
    /// Regular file, directory or anything else (links, devices).
    package var kind: Kind
    /// Size of the content in bytes.
    package var size: Int64
    /// Last change of content, nanoseconds since 1970.
    package var modifiedUnixNanoseconds: Int64

    /// Metadata; the size is in bytes.
    package init(kind: Kind, size: Int64, modifiedUnixNanoseconds: Int64) {
        self.kind = kind
        self.size = size
        self.modifiedUnixNanoseconds = modifiedUnixNanoseconds
    }
}

/// Space of one file system in bytes.
package struct FileSystemSpace: Hashable, Sendable {
    /// Bytes an ordinary user may still write.
    package var free: Int64
    /// Size of the file system.
    package var total: Int64
    /// True when it is mounted read-only.
    package var isReadOnly: Bool

    /// The space of a file system in bytes; `free` is what an unprivileged user can use.
    package init(free: Int64, total: Int64, isReadOnly: Bool) {
        self.free = free
        self.total = total
        self.isReadOnly = isReadOnly
    }
}

/// An exclusive lock on a file, held as long as this object lives or until the process ends in whatever way.
///
/// The file stays behind; only the lock on it means something.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock at once.
    ///
    /// - Throws: EWOULDBLOCK when another process, or another lock in this one, holds it.
    package init(path: String) throws(SystemError) {
        let descriptor = pinhole_open(path, O_RDWR | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw .last("lock", path) }
        while pinhole_lock(descriptor) != 0 {
            guard errno == EINTR else {
                let failure = SystemError.last("lock", path)
                close(descriptor)
                throw failure
            }
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone is not enough: a process that this one is just starting has the descriptor, until it executes.
        _ = pinhole_unlock(descriptor)
        close(descriptor)
    }
}

import CLinuxShim
import Glibc

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

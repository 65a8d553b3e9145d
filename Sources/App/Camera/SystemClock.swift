import Console
import Glibc
import Platform

/// Asks for the system's date to be set: of an installed camera a path unit waits for a file in its run directory.
package struct SystemClock: Sendable {
    /// How long it is waited for the file to be taken, and then for what comes of it.
    private static let limit = Duration.seconds(10)
    private let path: String?

    /// The clock of a camera with this state folder; only an installed one may ask.
    package init(state: String) {
        path = state == ControlSocket.installedState ? "/run/pinhole/clock" : nil
    }

    /// A clock that is asked by a file.
    init(path: String) {
        self.path = path
    }

    /// Requests it, and returns when the request was carried out, or after a while.
    ///
    /// The unit takes the file by renaming it, and removes it when it has set the date, or has not.
    ///
    /// - Parameter unixNanoseconds: the date now, nanoseconds since 1970.
    /// - Returns: false when the request was not accepted; the date is then not set later either.
    /// - Blocking: polls with `wait`.
    package func set(unixNanoseconds: Int64, wait: () -> Void = { usleep(20_000) }) -> Bool {
        guard let path, write("\(unixNanoseconds)\n", to: path) else { return false }
        waitUntilGone(path, wait)
        // What is removed here cannot be taken any more.
        guard unlink(path) != 0 else { return false }
        waitUntilGone(path + ".taken", wait)
        return true
    }

    private func write(_ text: String, to path: String) -> Bool {
        // Replaced at once, so that the unit never reads half of it.
        do throws(SystemError) {
            try PosixFileOperations().replace(path, Array(text.utf8))
            return true
        } catch {
            return false
        }
    }

    private func waitUntilGone(_ path: String, _ wait: () -> Void) {
        let end = MonotonicTime.now() + Self.limit
        while access(path, F_OK) == 0, MonotonicTime.now() < end { wait() }
    }
}

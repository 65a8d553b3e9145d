import Console
import Glibc
import Platform

/// Asks for the power to be switched off: of an installed camera a path unit waits for a file in its run directory.
package struct PowerSwitch: Sendable {
    /// How long the file is waited for to be taken: systemd removes the run directory when the service has ended.
    private static let limit = Duration.seconds(10)
    private let path: String?

    /// The switch of a state folder; only an installed camera has one.
    package init(state: String) {
        path = state == ControlSocket.installedState ? "/run/pinhole/poweroff" : nil
    }

    /// A switch that is a file.
    init(path: String) {
        self.path = path
    }

    /// Requests it, and returns when the request was accepted, or after a while.
    ///
    /// - Returns: false when the request cannot be made, because the file cannot be created.
    package func request(wait: @Sendable () async -> Void = { try? await Task.sleep(for: .milliseconds(50)) }) async
        -> Bool
    {
        guard let path, (try? Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)) != nil else { return false }
        let end = MonotonicTime.now() + Self.limit
        while access(path, F_OK) == 0, MonotonicTime.now() < end { await wait() }
        return true
    }
}

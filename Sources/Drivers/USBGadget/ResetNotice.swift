import Platform

/// Tells that the thread which serves a host has noticed the host's reset.
///
/// The host sends its next command as soon as its reset is answered. One that comes before the reset was noticed would be
/// taken for one from before it.
/// - Isolation: any thread.
package final class ResetNotice: Sendable {
    /// How long a host waits at most: a thread that reads a file notices a reset later.
    private static let patience = Duration.milliseconds(500)

    private let noticed = Semaphore()

    /// No reset yet.
    package init() {}

    /// Does what begins a reset, and waits until that is noticed.
    ///
    /// - Blocking: until then, half a second at most.
    package func wait(for reset: () -> Void) {
        while noticed.wait(until: .now()) {}  // one that came too late
        reset()
        _ = noticed.wait(until: MonotonicTime.now() + Self.patience)
    }

    /// The reset has been noticed.
    package func give() { noticed.signal() }
}

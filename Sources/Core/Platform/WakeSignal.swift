import Glibc

/// Wakes a thread that waits in poll(2); it stays set until it is cleared.
///
/// - Isolation: any thread.
package final class WakeSignal: Sendable {
    private let event: Descriptor

    /// A signal that is not set.
    package init() throws(SystemError) {
        event = try Descriptor.eventCounter()
    }

    /// Becomes readable when it is set. It lives as long as the object.
    package var descriptor: Int32 { event.raw }

    /// Sets it.
    package func set() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) is set as well.
        _ = withUnsafeBytes(of: &one) { Glibc.write(event.raw, $0.baseAddress, $0.count) }
    }

    /// Clears it.
    package func clear() {
        var count: UInt64 = 0
        _ = withUnsafeMutableBytes(of: &count) { Glibc.read(event.raw, $0.baseAddress, $0.count) }
    }

    /// Waits until one of the descriptors can be read or has an error.
    ///
    /// - Returns: for each whether it is so.
    package static func wait(for descriptors: [Int32]) -> [Bool] {
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&polls, nfds_t(polls.count), -1) < 0, errno == EINTR {}
        return polls.map { $0.revents != 0 }
    }
}

import CLinuxShim
import Glibc

/// Signals as events on the loop instead of interruptions.
///
/// Made on the main thread before any other thread starts, because a thread inherits what is blocked.
package final class Signals: Sendable {
    private let descriptor: Descriptor

    /// Blocks the signals for the process and ignores SIGPIPE: a closed pipe is an error of the write.
    package init(_ signals: [Int32] = [SIGTERM, SIGINT, SIGHUP]) throws(SystemError) {
        signal(SIGPIPE, SIG_IGN)
        let raw = pinhole_signalfd(signals, Int32(signals.count))
        guard raw >= 0 else { throw .last("watch for signals") }
        descriptor = Descriptor(owning: raw)
    }

    /// Calls the handler on the loop's thread with each signal's number, until the loop stops.
    package func deliver(on loop: EventLoop, _ handler: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
        _ = try loop.register(descriptor.raw, .read) { [self] _ in
            while let number = next() { handler(number) }
        }
    }

    /// The next waiting signal. signalfd(2): records of 128 bytes that start with the number.
    private func next() -> Int32? {
        guard let record = try? descriptor.read(upTo: 128), record.count == 128 else { return nil }
        return record.withUnsafeBytes { Int32(truncatingIfNeeded: $0.loadUnaligned(as: UInt32.self)) }
    }
}

import Platform

/// The pipes of our function while one host has the device configured.
///
/// - Isolation: one thread calls everything but `interrupt` and `resume`, which may come from any thread, and
///   `beginEvent`, which any thread calls, one at a time.
/// - Blocking: `receive` and the two `send` do, until the bytes have moved, or at least have a place in the kernel.
package protocol USBPipes: Sendable {
    /// Bytes of a full packet of the bulk pipes.
    var packetSize: Int { get }
    /// The bulk pipes' addresses: to the host, from the host.
    var addresses: [UInt8] { get }
    /// The most that is received or sent at once; a multiple of every packet size.
    var transferSize: Int { get }

    /// Receives until so many bytes have come, or a packet that is not full.
    ///
    /// - Parameters:
    ///   - count: a multiple of the packet size, at most the transfer size.
    ///   - body: is lent what has come.
    func receive(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(USBPipeError)
    /// Sends what `fill` puts into a buffer of the transfer size; nothing when that is nothing.
    ///
    /// - Parameter fill: gives how many bytes it has put there.
    func send(_ fill: (UnsafeMutableRawBufferPointer) -> Int) throws(USBPipeError)
    /// Sends a packet without bytes.
    func sendEmptyPacket() throws(USBPipeError)
    /// Takes back what was sent and not yet taken, if anything.
    func abandonSending()
    /// Stalls both bulk pipes until the host clears them.
    func halt()
    /// From now on `receive` and `send` throw `.interrupted`, those that wait too; bytes that have come are still given.
    func interrupt()
    /// Ends what `interrupt` began: `receive` and `send` work again.
    func resume()
    /// Begins to send an event.
    ///
    /// - Returns: false when it cannot be sent, as where there is no pipe for events.
    func beginEvent(_ bytes: [UInt8]) -> Bool
}

/// Why bytes could not be moved.
package enum USBPipeError: Error, Hashable, Sendable {
    /// `interrupt` was called, and `resume` has not been called since.
    case interrupted
    /// The host has sent something instead of taking what is sent; `receive` gives it.
    case overtaken
    /// The host has gone, has reset the device, or the controller failed.
    case gone
}

/// Notes that the thread that serves a host has noticed the host's reset.
///
/// The host sends its next command as soon as its reset is answered. One that comes before the reset was noticed would be
/// taken for one from before it.
/// - Isolation: any thread.
package final class ResetNotice: Sendable {
    /// How long a host waits at most: a thread that reads a file notices a reset later.
    private static let patience = Duration.milliseconds(500)

    private let noticed = Semaphore()

    /// A notice for a thread that has not noticed any reset yet.
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

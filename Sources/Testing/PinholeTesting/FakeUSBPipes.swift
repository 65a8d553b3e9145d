import PTP
import Synchronization
import USBGadget

/// The pipes of a host that does what a test says, packet by packet.
package final class FakeUSBPipes: USBPipes {
    /// What has happened, and what is to.
    package struct State {
        /// Packets from the host that wait.
        package var packets: [[UInt8]] = []
        /// Transfers to the host; an empty one is an empty packet.
        package var sent: [[UInt8]] = []
        /// Events to the host.
        package var events: [[UInt8]] = []
        /// Whether the link is to look up.
        package var isInterrupted = false
        /// Whether the next transfer is overtaken by what the host has sent.
        package var isOvertaken = false
        /// Whether the host has gone.
        package var isGone = false
        /// Whether events can be sent.
        package var takesEvents = true
        /// How often the pipes were stalled.
        package var halts = 0
        /// How often what was sent was taken back.
        package var abandoned = 0
        /// What happens, one at a time, when the link waits and nothing is there.
        package var whenIdle: [@Sendable () -> Void] = []
        /// What happens before the transfer of a number is sent.
        package var beforeSend: [Int: @Sendable () -> Void] = [:]
    }

    package let packetSize: Int
    package let addresses: [UInt8] = [0x81, 0x02]
    package let transferSize = 2048
    /// What a test sets and reads, behind one lock.
    package let state = Mutex(State())

    /// Pipes of a host that has sent nothing.
    package init(packetSize: Int = 64) {
        self.packetSize = packetSize
    }

    /// The host sends bytes in full packets and, unless they end with a full one, a shorter one.
    package func send(_ bytes: [UInt8], emptyPacket: Bool = false) {
        var packets = stride(from: 0, to: bytes.count, by: packetSize).map {
            Array(bytes[$0..<min($0 + packetSize, bytes.count)])
        }
        if emptyPacket { packets.append([]) }
        state.withLock { [packets] in $0.packets += packets }
    }

    /// The host sends an operation.
    package func send(_ request: OperationRequest) {
        send(USBContainer.bytes(request))
    }

    /// What happens when the link waits and nothing is there.
    package func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenIdle.append(body) }
    }

    /// The bytes that were sent, without packets and transfers.
    package var sent: [UInt8] { state.withLock { $0.sent.flatMap { $0 } } }

    package func receive(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(USBPipeError) {
        precondition(count > 0 && count % packetSize == 0 && count <= transferSize)
        var bytes: [UInt8] = []
        while true {
            let packet: [UInt8]? = state.withLock { $0.packets.isEmpty ? nil : $0.packets.removeFirst() }
            guard let packet else {
                if let hook = state.withLock({ $0.whenIdle.isEmpty ? nil : $0.whenIdle.removeFirst() }) {
                    hook()
                    if state.withLock({ $0.isInterrupted && $0.packets.isEmpty }) { throw .interrupted }
                    continue
                }
                throw state.withLock { $0.isInterrupted } ? USBPipeError.interrupted : .gone
            }
            bytes += packet
            if packet.count < packetSize || bytes.count == count { break }
        }
        bytes.withUnsafeBytes { body($0) }
    }

    package func send(_ fill: (UnsafeMutableRawBufferPointer) -> Int) throws(USBPipeError) {
        let number = state.withLock { $0.sent.count }
        state.withLock { $0.beforeSend.removeValue(forKey: number) }?()
        if state.withLock({ $0.isGone }) { throw .gone }
        let isOvertaken = state.withLock { state in
            defer { state.isOvertaken = false }
            return state.isOvertaken
        }
        if isOvertaken { throw .overtaken }
        if state.withLock({ $0.isInterrupted }) { throw .interrupted }
        var bytes = [UInt8](repeating: 0, count: transferSize)
        let count = bytes.withUnsafeMutableBytes { fill($0) }
        if count > 0 { state.withLock { [bytes] in $0.sent.append(Array(bytes.prefix(count))) } }
    }

    package func sendEmptyPacket() throws(USBPipeError) {
        state.withLock { $0.sent.append([]) }
    }

    package func abandonSending() { state.withLock { $0.abandoned += 1 } }
    package func halt() { state.withLock { $0.halts += 1 } }
    package func interrupt() { state.withLock { $0.isInterrupted = true } }
    package func resume() { state.withLock { $0.isInterrupted = false } }

    package func beginEvent(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            if state.takesEvents { state.events.append(bytes) }
            return state.takesEvents
        }
    }
}

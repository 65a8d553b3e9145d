import PTP
import Synchronization

/// The pipes of a host that does what a test says, packet by packet.
final class FakeUSBPipes: USBPipes {
    struct State {
        /// Packets from the host that wait.
        var packets: [[UInt8]] = []
        /// Transfers to the host; an empty one is an empty packet.
        var sent: [[UInt8]] = []
        var events: [[UInt8]] = []
        var isInterrupted = false
        var isGone = false
        var takesEvents = true
        var halts = 0
        var abandoned = 0
        /// What happens before a transfer when nothing waits, or before the next one is sent.
        var whenIdle: [@Sendable () -> Void] = []
        var beforeSend: [Int: @Sendable () -> Void] = [:]
        var receives: [Int] = []
    }

    let packetSize: Int
    let addresses: [UInt8] = [0x81, 0x02]
    let transferSize = 2048
    let state = Mutex(State())

    init(packetSize: Int = 64) {
        self.packetSize = packetSize
    }

    /// The host sends bytes in full packets and, unless they end with a full one, a shorter one.
    func send(_ bytes: [UInt8], emptyPacket: Bool = false) {
        var packets = stride(from: 0, to: bytes.count, by: packetSize).map {
            Array(bytes[$0..<min($0 + packetSize, bytes.count)])
        }
        if emptyPacket { packets.append([]) }
        state.withLock { [packets] in $0.packets += packets }
    }

    func send(_ request: OperationRequest) {
        send(USBContainer.bytes(request))
    }

    /// What happens when the link waits and nothing is there.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenIdle.append(body) }
    }

    /// The bytes that were sent, without packets and transfers.
    var sent: [UInt8] { state.withLock { $0.sent.flatMap { $0 } } }

    func receive(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(USBPipeError) {
        precondition(count > 0 && count % packetSize == 0 && count <= transferSize)
        state.withLock { $0.receives.append(count) }
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

    func send(_ fill: (UnsafeMutableRawBufferPointer) -> Int) throws(USBPipeError) {
        let number = state.withLock { $0.sent.count }
        state.withLock { $0.beforeSend.removeValue(forKey: number) }?()
        if state.withLock({ $0.isGone }) { throw .gone }
        if state.withLock({ $0.isInterrupted }) { throw .interrupted }
        var bytes = [UInt8](repeating: 0, count: transferSize)
        let count = bytes.withUnsafeMutableBytes { fill($0) }
        if count > 0 { state.withLock { [bytes] in $0.sent.append(Array(bytes.prefix(count))) } }
    }

    func sendEmptyPacket() throws(USBPipeError) {
        state.withLock { $0.sent.append([]) }
    }

    func abandonSending() { state.withLock { $0.abandoned += 1 } }
    func halt() { state.withLock { $0.halts += 1 } }
    func interrupt() { state.withLock { $0.isInterrupted = true } }
    func resume() { state.withLock { $0.isInterrupted = false } }

    func beginEvent(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            if state.takesEvents { state.events.append(bytes) }
            return state.takesEvents
        }
    }
}

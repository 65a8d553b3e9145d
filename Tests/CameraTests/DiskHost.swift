import Glibc
import MassStorage
import PinholeTesting
import Platform
import Synchronization
import USBGadget

/// A computer that sees a disk, over pipes in memory: it commands, and reads files as its file system would.
final class DiskHost: USBPipes {
    /// The operation codes of SCSI commands.
    enum Operation {
        static let modeSense6: UInt8 = 0x1a
        static let startStopUnit: UInt8 = 0x1b
        static let read10: UInt8 = 0x28
        static let write10: UInt8 = 0x2a
    }

    /// The result of a command.
    struct Answer {
        var bytes: [UInt8]
        var isPassed: Bool
    }

    /// What is wrong, as REQUEST SENSE reports it.
    struct Sense: Equatable {
        var key: UInt8
        var code: UInt8

        static let noMedium = Sense(key: 2, code: 0x3a)
        static let newMedium = Sense(key: 6, code: 0x28)
        static let unreadable = Sense(key: 3, code: 0x11)
        static let writeProtected = Sense(key: 7, code: 0x27)
    }

    private struct State {
        /// Packets for the disk.
        var packets: [[UInt8]] = []
        /// Transfers from the disk.
        var transfers: [[UInt8]] = []
        var isInterrupted = false
        var isGone = false
        var tag: UInt32 = 0
    }

    let packetSize = 512
    let addresses: [UInt8] = [0x81, 0x02]
    let transferSize = 16 << 10
    private let state = Mutex(State())
    private let forDisk = Semaphore()
    private let forHost = Semaphore()

    // MARK: The pipes

    func receive(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(USBPipeError) {
        while true {
            let (packet, error) = state.withLock { state -> ([UInt8]?, USBPipeError?) in
                if state.isInterrupted { return (nil, .interrupted) }
                if state.isGone { return (nil, .gone) }
                return (state.packets.isEmpty ? nil : state.packets.removeFirst(), nil)
            }
            if let error { throw error }
            if let packet { return packet.withUnsafeBytes { body($0) } }
            forDisk.wait()
        }
    }

    func send(_ fill: (UnsafeMutableRawBufferPointer) -> Int) throws(USBPipeError) {
        if state.withLock({ $0.isInterrupted }) { throw .interrupted }
        var bytes = [UInt8](repeating: 0, count: transferSize)
        let count = bytes.withUnsafeMutableBytes { fill($0) }
        state.withLock { [bytes] in $0.transfers.append(Array(bytes.prefix(count))) }
        forHost.signal()
    }

    func sendEmptyPacket() throws(USBPipeError) {
        state.withLock { $0.transfers.append([]) }
        forHost.signal()
    }

    func abandonSending() {}
    func halt() {}

    func interrupt() {
        state.withLock { $0.isInterrupted = true }
        forDisk.signal()
    }

    func resume() { state.withLock { $0.isInterrupted = false } }
    func beginEvent(_ bytes: [UInt8]) -> Bool { false }

    // MARK: The computer

    /// The cable is pulled.
    func unplug() {
        state.withLock { $0.isGone = true }
        forDisk.signal()
    }

    /// Carries out a command that brings bytes, or none.
    ///
    /// - Blocking: until the disk has answered.
    func command(_ block: [UInt8], byteCount: Int = 0) -> Answer {
        let tag = state.withLock { state in
            state.tag += 1
            return state.tag
        }
        let wrapper = CommandBlockWrapper(
            tag: tag, dataTransferLength: UInt32(byteCount), isToHost: true, command: SCSICommand(block))
        state.withLock { $0.packets.append(wrapper.bytes) }
        forDisk.signal()
        var bytes: [UInt8] = []
        while bytes.count < byteCount {
            let transfer = next()
            bytes += transfer
            if transfer.count % packetSize != 0 || transfer.isEmpty { break }
        }
        let status = next()
        let isPassed = status.count == 13 && Array(status.prefix(4)) == Array("USBS".utf8) && status[12] == 0
        return Answer(bytes: bytes, isPassed: isPassed)
    }

    private func next() -> [UInt8] {
        forHost.wait()
        return state.withLock { $0.transfers.removeFirst() }
    }

    /// TEST UNIT READY; nil when it is.
    func sense() -> Sense? {
        command([0, 0, 0, 0, 0, 0]).isPassed ? nil : lastSense()
    }

    /// Why the last command has failed.
    func lastSense() -> Sense {
        let bytes = command([3, 0, 0, 0, 18, 0], byteCount: 18).bytes
        return Sense(key: bytes.count > 12 ? bytes[2] & 15 : 0, code: bytes.count > 12 ? bytes[12] : 0)
    }

    /// Waits until there is a medium, or none.
    func wait(forMedium isThere: Bool) {
        while (sense() != .noMedium) != isThere { sched_yield() }
        while isThere, sense() != nil { sched_yield() }
    }

    /// READ (10); nil when it has failed.
    func read(_ block: UInt32, count: UInt16 = 1) -> [UInt8]? {
        let number = block.bigEndian
        let address = withUnsafeBytes(of: number) { Array($0) }
        let answer = command(
            [Operation.read10, 0] + address + [0, UInt8(count >> 8), UInt8(count & 255), 0], byteCount: Int(count) * 512
        )
        return answer.isPassed ? answer.bytes : nil
    }
}

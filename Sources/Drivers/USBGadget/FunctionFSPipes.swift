import Glibc
import Platform
import Synchronization

/// The pipes of one plug-in, through the files of FunctionFS and Linux AIO.
final class FunctionFSPipes: USBPipes {
    /// Small enough for the kernel to find it in one piece (it copies each transfer), large enough that four of them
    /// keep a high-speed bus busy.
    private static let bytesAtOnce = 32 << 10
    private static let sendsAtOnce = 4

    let packetSize: Int
    let addresses: [UInt8]
    var transferSize: Int { Self.bytesAtOnce }
    /// Becomes readable when an event was sent.
    let eventDescriptor: Int32
    /// The bulk pipes, which one thread uses.
    private struct Bulk: ~Copyable {
        var sending: TransferQueue
        var receiving: TransferQueue
        /// What was received while something was sent.
        var ahead: TransferQueue.End?
    }

    private let files: FunctionFSFiles
    private let wake: WakeSignal
    private let interrupted = Mutex(false)
    /// Only the thread that serves the host locks it, and holds it while it waits.
    private let bulk: Mutex<Bulk>
    private let events: Mutex<TransferQueue>

    /// Pipes for a host that has just configured the device.
    init(_ files: FunctionFSFiles) throws(SystemError) {
        self.files = files
        let bulkIn = try USBEndpoint(descriptor: files.bulkIn.raw)
        let bulkOut = try USBEndpoint(descriptor: files.bulkOut.raw)
        packetSize = max(1, bulkOut.packetSize)
        addresses = [bulkIn.address, bulkOut.address]
        wake = try WakeSignal()
        let sending = try TransferQueue.make(slots: Self.sendsAtOnce, slotSize: Self.bytesAtOnce)
        bulk = Mutex(
            Bulk(sending: sending, receiving: try TransferQueue.make(slots: 1, slotSize: Self.bytesAtOnce)))
        let events = try TransferQueue.make(slots: 1, slotSize: 64)
        eventDescriptor = events.descriptor
        self.events = Mutex(events)
    }

    func receive(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws(USBPipeError) {
        try bulk.withLock { (bulk) throws(USBPipeError) in
            if isInterrupted { throw .interrupted }
            var ends = bulk.ahead.take().map { [$0] } ?? []
            if ends.isEmpty { try beginReceiving(count, &bulk.receiving) }
            while ends.isEmpty {
                _ = WakeSignal.wait(for: [bulk.receiving.descriptor, wake.descriptor])
                ends = isInterrupted ? bulk.receiving.abandon() : bulk.receiving.collect()
            }
            switch ends[0].result {
            case .success(let received):
                body(UnsafeRawBufferPointer(rebasing: bulk.receiving.buffer(0).prefix(received)))
            case .failure: throw isInterrupted ? USBPipeError.interrupted : .gone
            }
        }
    }

    /// Begins to receive, unless that has begun while something was sent: then with one packet, which is what is
    /// received next in any case.
    private func beginReceiving(_ count: Int, _ queue: inout TransferQueue) throws(USBPipeError) {
        guard queue.underWay.isEmpty else { return }
        do throws(SystemError) {
            try queue.begin(0, on: files.bulkOut.raw, writes: false, count: count)
        } catch {
            throw .gone
        }
    }

    func send(_ fill: (UnsafeMutableRawBufferPointer) -> Int) throws(USBPipeError) {
        try bulk.withLock { (bulk) throws(USBPipeError) in
            let slot = try freeSlot(&bulk)
            let count = fill(bulk.sending.buffer(slot))
            if count > 0 { try begin(slot, count, &bulk.sending) }
        }
    }

    func sendEmptyPacket() throws(USBPipeError) {
        try bulk.withLock { (bulk) throws(USBPipeError) in
            try begin(try freeSlot(&bulk), 0, &bulk.sending)
        }
    }

    func abandonSending() {
        bulk.withLock { bulk in
            if !bulk.sending.underWay.isEmpty { _ = bulk.sending.collect() }
            guard !bulk.sending.underWay.isEmpty else { return }
            _ = bulk.sending.abandon()
            USBEndpoint.flush(descriptor: files.bulkIn.raw)
        }
    }

    func halt() {
        // Moving bytes against the direction of an endpoint stalls it (kernel: f_fs.c), and fails with EBADMSG.
        var byte: UInt8 = 0
        _ = Glibc.read(files.bulkIn.raw, &byte, 1)
        _ = Glibc.write(files.bulkOut.raw, &byte, 1)
    }

    private var isInterrupted: Bool { interrupted.withLock { $0 } }

    func interrupt() {
        interrupted.withLock { isInterrupted in
            isInterrupted = true
            wake.set()
        }
    }

    func resume() {
        // Called before each transfer, nearly always for nothing.
        interrupted.withLock { isInterrupted in
            guard isInterrupted else { return }
            isInterrupted = false
            wake.clear()
        }
    }

    func beginEvent(_ bytes: [UInt8]) -> Bool {
        guard let interrupt = files.interrupt else { return false }
        return events.withLock { queue in
            guard let slot = queue.free.first else { return false }
            queue.buffer(slot).copyBytes(from: bytes.prefix(queue.slotSize))
            do throws(SystemError) {
                try queue.begin(slot, on: interrupt, writes: true, count: min(bytes.count, queue.slotSize))
                return true
            } catch {
                return false
            }
        }
    }

    /// Takes the end of an event.
    ///
    /// - Returns: true when no event is in transfer.
    func collectEvents() -> Bool {
        events.withLock { queue in
            !queue.collect().isEmpty && queue.underWay.isEmpty
        }
    }

    private func freeSlot(_ bulk: inout Bulk) throws(USBPipeError) -> Int {
        while true {
            if isInterrupted { throw .interrupted }
            // Collecting ends only when needed halves the system calls of a short answer.
            if let slot = bulk.sending.free.first { return slot }
            let ends = bulk.sending.collect()
            guard ends.isEmpty else {
                if ends.contains(where: \.hasFailed) { throw .gone }
                continue
            }
            // The host may send something else meanwhile: if the program that reads the data was killed, the next
            // program begins with an operation.
            try beginReceiving(packetSize, &bulk.receiving)
            _ = WakeSignal.wait(for: [bulk.sending.descriptor, wake.descriptor, bulk.receiving.descriptor])
            guard let end = bulk.receiving.collect().first, end.result != .success(0) else { continue }
            bulk.ahead = end
            throw .overtaken
        }
    }

    private func begin(_ slot: Int, _ count: Int, _ queue: inout TransferQueue) throws(USBPipeError) {
        do throws(SystemError) {
            try queue.begin(slot, on: files.bulkIn.raw, writes: true, count: count)
        } catch {
            throw .gone
        }
    }
}

/// The open files of FunctionFS (kernel: Documentation/usb/functionfs.rst). Closed with the object.
final class FunctionFSFiles: Sendable {
    /// The control pipe, which also carries the kernel's events.
    let control: Descriptor
    let bulkIn: Descriptor
    let bulkOut: Descriptor
    /// The descriptor of the pipe for events; nil when the function has none.
    let interrupt: Int32?
    private let events: Descriptor?

    /// Opens the files and writes the descriptors.
    ///
    /// - Parameter folder: where FunctionFS is mounted.
    init(folder: String, descriptors: FunctionFSDescriptors) throws(SystemError) {
        control = try Descriptor.open(folder + "/ep0", O_RDWR | O_NONBLOCK)
        // The kernel takes each whole or not at all.
        try control.writeAll(descriptors.descriptors)
        try control.writeAll(descriptors.strings)
        // O_NONBLOCK: an endpoint that no host has configured refuses at once, and does not wait for one.
        bulkIn = try Self.open(.bulkIn, folder)
        bulkOut = try Self.open(.bulkOut, folder)
        if descriptors.interruptPacketSize == nil {
            interrupt = nil
            events = nil
        } else {
            let events = try Self.open(.interrupt, folder)
            interrupt = events.raw
            self.events = consume events
        }
    }

    private static func open(
        _ endpoint: FunctionFSDescriptors.Endpoint, _ folder: String
    ) throws(SystemError) -> Descriptor {
        try Descriptor.open("\(folder)/ep\(endpoint.rawValue)", O_RDWR | O_NONBLOCK)
    }
}

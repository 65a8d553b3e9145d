import Platform

/// The output of the event connection: answers to probes, and events.
struct PTPIPOutgoing: Sendable {
    /// Bytes of packets gathered for one write.
    private static let gathered = 1024
    /// Answers to probes that are kept for an initiator that does not read them.
    private static let probeLimit = 16

    private var queue = EventQueue()
    private var probes = 0
    /// Packets whose writing has begun.
    private var bytes: [UInt8] = []
    /// True after `close`, when nothing is written.
    private(set) var isClosed = false

    /// True when everything was written.
    var isEmpty: Bool { bytes.isEmpty && probes == 0 && queue.isEmpty }

    /// Appends an event, unless the connection is closed.
    mutating func append(_ event: ResponderEvent) {
        if !isClosed { queue.append(event) }
    }

    /// Adds answers to probes, up to a limit.
    mutating func answer(probes count: Int) {
        if !isClosed { probes = min(probes + count, Self.probeLimit) }
    }

    /// Discards all output, now and later.
    mutating func close() {
        self = PTPIPOutgoing()
        isClosed = true
    }

    /// Writes as much as the socket's buffer takes.
    mutating func flush(to socket: PTPIPSocket) throws(LinkError) {
        while true {
            while bytes.count < Self.gathered, let packet = nextPacket() { bytes += packet.bytes }
            guard !bytes.isEmpty else { return }
            let count = try bytes.withBytes { (bytes) throws(LinkError) in try socket.write(bytes) }
            guard let count else { return }
            bytes.removeFirst(count)
        }
    }

    private mutating func nextPacket() -> PTPIPPacket? {
        if probes > 0 {
            probes -= 1
            return .probeResponse
        }
        return queue.next().map(PTPIPPacket.init)
    }
}

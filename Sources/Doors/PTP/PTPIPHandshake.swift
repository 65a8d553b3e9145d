import Platform

/// A connection whose first packet has not come, or whose event connection has not (CIPA DC-005, section 2.2.3).
struct PTPIPHandshake {
    /// A command connection that waits for the event connection of its number.
    struct Awaited {
        let number: UInt32
        let initiator: PTPIPInitiator
    }

    let socket: PTPIPSocket
    /// Where it comes from. Both connections of an initiator come from one address.
    let address: String
    var registration: EventLoop.Registration?
    var timer: EventLoop.Timer?
    var awaited: Awaited?
    private var decoder = PTPIPDecoder()

    init(_ socket: PTPIPSocket, address: String) {
        self.socket = socket
        self.address = address
    }

    /// Reads the first packet, and not one byte after it.
    ///
    /// - Returns: nil when it is not here yet.
    /// - Throws: `.closed` when it will not come.
    mutating func read() throws(LinkError) -> PTPIPDecoder.Element? {
        while true {
            var bytes = [UInt8](repeating: 0, count: min(decoder.wanted, PTPIPPacket.longestByteCount))
            guard let count = try bytes.withMutableBytes({ (bytes) throws(LinkError) in try socket.read(into: bytes) })
            else { return nil }
            var rest = 0..<count
            do throws(PTPIPDecoder.FramingLost) {
                if let element = try decoder.next(bytes, &rest) { return element }
            } catch {
                return .malformed
            }
        }
    }

    /// Writes one packet, as far as there is room: a first packet always has room.
    func send(_ packet: PTPIPPacket) {
        _ = try? packet.bytes.withBytes { (bytes) throws(LinkError) in try socket.write(bytes) }
    }
}

import Platform

/// A connection whose first packet has not come, or whose event connection has not (CIPA DC-005, section 2.2.3).
struct PTPIPHandshake {
    /// A command connection that waits for the event connection of its number.
    struct Awaited {
        let number: UInt32
        let initiator: PTPIPInitiator
    }

    let socket: PTPIPSocket
    /// The initiator's address, which is the same for both of its connections.
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
    /// - Returns: nil until the packet is complete.
    /// - Throws: `.closed` when the connection has ended.
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

    /// Writes one packet. The socket's buffer always has space for a first packet.
    func send(_ packet: PTPIPPacket) {
        _ = try? packet.bytes.withBytes { (bytes) throws(LinkError) in try socket.write(bytes) }
    }
}

/// The initiator of a PTP/IP connection. Everything but the address is the initiator's own claim.
package struct PTPIPInitiator: Hashable, Sendable {
    /// Its name (CIPA DC-005, 2.3.1), without control characters.
    package var name: String
    /// The initiator's identifier of 16 bytes.
    package var guid: [UInt8]
    /// The literal address it has connected from.
    package var address: String

    init(name: String, guid: [UInt8], address: String) {
        self.name = String(String.UnicodeScalarView(name.unicodeScalars.filter { !Self.isControl($0) }))
        self.guid = guid
        self.address = address
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}

/// Finds the packets in the bytes of one connection, however it is split (CIPA DC-005, section 2.3).
///
/// It keeps the bytes of one packet without payload at most; payload is handed on as it comes.
package struct PTPIPDecoder: Sendable {
    /// A packet, a piece of payload, or an error in the stream.
    package enum Element: Hashable, Sendable {
        /// A packet. A data packet is followed by its payload.
        case packet(PTPIPPacket)
        /// Where in the bytes a piece of the payload lies; the last one of a packet may be empty.
        case payload(Range<Int>, isLast: Bool)
        /// A packet that is an operation by its type but not by its form. One too short to have a transaction has 0.
        case malformedOperation(transaction: UInt32)
        /// Any other packet that does not match its type, or has an unknown type.
        case malformed
    }

    /// The length of a packet is impossible, so the start of the next one is unknown.
    package struct FramingLost: Error, Hashable, Sendable {}

    /// The packet so far, up to its payload.
    private var packet: [UInt8] = []
    /// Bytes of payload still to come.
    private var payload: UInt32?

    /// A decoder at the beginning of a packet.
    package init() {}

    /// True when no packet is incomplete.
    package var isBetweenPackets: Bool { packet.isEmpty && payload == nil }

    /// How many bytes can be taken without touching the next packet.
    package var wanted: Int { payload.map { Int($0) } ?? (byteCountToReach - packet.count) }

    /// Takes bytes up to the end of the next element.
    ///
    /// - Parameters:
    ///   - rest: the part of the bytes that was not taken yet.
    /// - Returns: nil when all were taken and more are needed.
    package mutating func next(_ bytes: [UInt8], _ rest: inout Range<Int>) throws(FramingLost) -> Element? {
        if let left = payload {
            guard left == 0 || !rest.isEmpty else { return nil }
            let piece = Self.take(Int(left), from: &rest)
            payload = left - UInt32(piece.count)
            if payload == 0 { payload = nil }
            return .payload(piece, isLast: payload == nil)
        }
        while true {
            let byteCount = byteCountToReach
            packet.append(contentsOf: bytes[Self.take(byteCount - packet.count, from: &rest)])
            guard packet.count == byteCount else { return nil }
            try checkLength()
            // The header may have announced more bytes.
            guard packet.count == byteCountToReach else { continue }
            defer { packet.removeAll(keepingCapacity: true) }
            return element()
        }
    }

    private var length: UInt32 { number(at: 0) }
    private var kind: PTPIPPacket.Kind? { PTPIPPacket.Kind(rawValue: number(at: 4)) }

    /// The header, then all but payload.
    private var byteCountToReach: Int {
        guard packet.count >= PTPIPPacket.headerByteCount else { return PTPIPPacket.headerByteCount }
        return hasPayload ? PTPIPPacket.dataHeaderByteCount : Int(length)
    }

    private var hasPayload: Bool { kind?.hasPayload == true && length >= PTPIPPacket.dataHeaderByteCount }

    private func checkLength() throws(FramingLost) {
        guard length >= PTPIPPacket.headerByteCount, hasPayload || length <= PTPIPPacket.longestByteCount else {
            throw FramingLost()
        }
    }

    private mutating func element() -> Element {
        guard let kind else { return .malformed }
        let byteCount = hasPayload ? length - UInt32(PTPIPPacket.dataHeaderByteCount) : 0
        if let packet = PTPIPPacket(
            kind, body: packet.dropFirst(PTPIPPacket.headerByteCount), payload: byteCount)
        {
            payload = hasPayload ? byteCount : nil
            return .packet(packet)
        }
        guard kind == .operationRequest else { return .malformed }
        // After header, data phase and code.
        return .malformedOperation(transaction: number(at: 14))
    }

    /// Four bytes of the packet; 0 when it does not reach so far.
    private func number(at offset: Int) -> UInt32 {
        guard packet.count >= offset + 4 else { return 0 }
        return packet[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func take(_ limit: Int, from rest: inout Range<Int>) -> Range<Int> {
        let piece = rest.prefix(max(0, limit))
        rest = piece.upperBound..<rest.upperBound
        return piece
    }
}

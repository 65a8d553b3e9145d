import PTP

/// Bytes of a PTP/IP connection. The first one says in how large pieces they come, which must make no difference.
struct PTPIPStream {
    /// What was found, with the bytes of each payload, whatever pieces it came in.
    private enum Found: Equatable {
        case element(PTPIPDecoder.Element)
        case payload([UInt8], isWhole: Bool)
    }

    private let piece: Int
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        piece = Int(bytes.first ?? 0) + 1
        self.bytes = Array(bytes.dropFirst())
    }

    func run() {
        let (found, isLost) = decode(piece: max(1, bytes.count))
        let inPieces = decode(piece: piece)
        Fuzz.expect(found == inPieces.found && isLost == inPieces.isLost, "pieces of \(piece) bytes make a difference")
        for case .element(.packet(let packet)) in found { check(packet) }
    }

    /// A packet that is read and written again has the same content.
    private func check(_ packet: PTPIPPacket) {
        var decoder = PTPIPDecoder()
        let written = packet.bytes
        var rest = written.indices
        switch packet {
        // A name is cut, and what is no text is repaired.
        case .initCommandRequest, .initCommandAck: break
        default:
            let element = try? decoder.next(written, &rest)
            Fuzz.expect(element == .packet(packet) && rest.isEmpty, "\(packet) is written as another packet")
        }
    }

    private func decode(piece: Int) -> (found: [Found], isLost: Bool) {
        var decoder = PTPIPDecoder()
        var found: [Found] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + piece, bytes.count)
            var rest = start..<end
            do throws(PTPIPDecoder.FramingLost) {
                while let element = try decoder.next(bytes, &rest) { Self.add(element, of: bytes, to: &found) }
            } catch {
                return (found, true)
            }
            Fuzz.expect(rest.isEmpty, "bytes were left although more were wanted")
            Fuzz.expect(decoder.wanted > 0 || bytes.isEmpty, "a decoder wants nothing")
            start = end
        }
        return (found, false)
    }

    private static func add(_ element: PTPIPDecoder.Element, of bytes: [UInt8], to found: inout [Found]) {
        guard case .payload(let piece, let isLast) = element else { return found.append(.element(element)) }
        var payload = Array(bytes[piece])
        if case .payload(let before, false)? = found.last {
            payload = before + payload
            found.removeLast()
        }
        // A piece without a byte says nothing unless it is the last.
        if isLast || !payload.isEmpty { found.append(.payload(payload, isWhole: isLast)) }
    }
}

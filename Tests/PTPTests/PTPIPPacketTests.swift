import PTP
import PinholeTesting
import Platform
import Testing

@Suite("PTP/IP packets") struct PTPIPPacketTests {
    /// Every type with the bytes that the standard gives it.
    static let examples: [(packet: PTPIPPacket, bytes: [UInt8])] = [
        (
            .initCommandRequest(guid: Array(1...16), name: "pc", version: 0x0001_0000),
            [34, 0, 0, 0, 1, 0, 0, 0] + Array(1...16) + [0x70, 0, 0x63, 0, 0, 0, 0, 0, 1, 0]
        ),
        (
            .initCommandAck(connection: 7, guid: Array(1...16), name: "ä", version: 0x0001_0000),
            [36, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0] + Array(1...16) + [0xe4, 0, 0, 0, 0, 0, 1, 0]
        ),
        (.initEventRequest(connection: 0x0102_0304), [12, 0, 0, 0, 3, 0, 0, 0, 4, 3, 2, 1]),
        (.initEventAck, [8, 0, 0, 0, 4, 0, 0, 0]),
        (.initFail(.busy), [12, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0]),
        (
            .operationRequest(OperationRequest(.getObject, transaction: 5, parameters: [0xff]), dataPhase: .noneOrIn),
            [22, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 0x09, 0x10, 5, 0, 0, 0, 0xff, 0, 0, 0]
        ),
        (
            .operationRequest(OperationRequest(.sendObject, transaction: 6), dataPhase: .out),
            [18, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 0x0d, 0x10, 6, 0, 0, 0]
        ),
        (
            .operationResponse(code: ResponseCode.ok.rawValue, transaction: 5, parameters: [1, 2, 3, 4, 5]),
            [34, 0, 0, 0, 7, 0, 0, 0, 0x01, 0x20, 5, 0, 0, 0]
                + [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0]
        ),
        (
            .event(code: EventCode.objectAdded.rawValue, transaction: 0xffff_ffff, parameters: [9]),
            [18, 0, 0, 0, 8, 0, 0, 0, 0x02, 0x40, 255, 255, 255, 255, 9, 0, 0, 0]
        ),
        (
            .startData(transaction: 5, byteCount: 0x1_0000_0002),
            [20, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0]
        ),
        (.data(transaction: 5, byteCount: 3), [15, 0, 0, 0, 10, 0, 0, 0, 5, 0, 0, 0]),
        (.cancel(transaction: 5), [12, 0, 0, 0, 11, 0, 0, 0, 5, 0, 0, 0]),
        (.endData(transaction: 5, byteCount: 0), [12, 0, 0, 0, 12, 0, 0, 0, 5, 0, 0, 0]),
        (.probeRequest, [8, 0, 0, 0, 13, 0, 0, 0]),
        (.probeResponse, [8, 0, 0, 0, 14, 0, 0, 0]),
    ]

    /// What a decoder says of bytes that come all at once; payload is gathered to one element a packet.
    static func decode(
        _ bytes: [UInt8], pieces: [Int] = []
    ) throws(PTPIPDecoder.FramingLost) -> [PTPIPDecoder.Element] {
        var decoder = PTPIPDecoder()
        var elements: [PTPIPDecoder.Element] = []
        var start = 0
        for end in pieces + [bytes.count] {
            var rest = start..<end
            while let element = try decoder.next(bytes, &rest) {
                guard case .payload(let piece, let isLast) = element,
                    case .payload(let before, false)? = elements.last
                else {
                    elements.append(element)
                    continue
                }
                elements[elements.count - 1] = .payload(before.lowerBound..<piece.upperBound, isLast: isLast)
            }
            #expect(rest.isEmpty)
            start = end
        }
        return elements
    }

    @Test("each packet has the bytes of the standard", arguments: examples.indices)
    func encoding(index: Int) throws {
        let example = Self.examples[index]
        #expect(example.packet.bytes == example.bytes)
        #expect(try Self.decode(example.bytes).first == .packet(example.packet))
    }

    @Test("a stream gives the same packets however it is split")
    func splits() throws {
        var random = SeededGenerator(seed: 6)
        var stream: [UInt8] = []
        var expected: [PTPIPDecoder.Element] = []
        for _ in 0..<200 {
            let example = Self.examples.randomElement(using: &random) ?? Self.examples[0]
            var packet = example.packet
            switch packet {
            case .data(let transaction, _):
                packet = .data(transaction: transaction, byteCount: UInt32.random(in: 0...600, using: &random))
            case .endData(let transaction, _):
                packet = .endData(transaction: transaction, byteCount: UInt32.random(in: 0...600, using: &random))
            default: break
            }
            stream += packet.bytes
            expected.append(.packet(packet))
            if case .data(_, let count) = packet { payload(count) }
            if case .endData(_, let count) = packet { payload(count) }
        }
        func payload(_ count: UInt32) {
            expected.append(.payload(stream.count..<stream.count + Int(count), isLast: true))
            stream += (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        #expect(try Self.decode(stream) == expected)
        for _ in 0..<50 {
            let pieces = (0..<Int.random(in: 1...300, using: &random))
                .map { _ in Int.random(in: 0...stream.count, using: &random) }.sorted()
            #expect(try Self.decode(stream, pieces: pieces) == expected)
        }
        #expect(try Self.decode(stream, pieces: Array(0..<stream.count)) == expected)
    }

    @Test("a 32-bit size and a request without a version are accepted, because some initiators send them")
    func oldForms() throws {
        #expect(
            try Self.decode([16, 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0, 255, 255, 255, 255])
                == [.packet(.startData(transaction: 5, byteCount: 0xffff_ffff))])
        let guid = [UInt8](repeating: 7, count: 16)
        #expect(
            try Self.decode([26, 0, 0, 0, 1, 0, 0, 0] + guid + [0, 0])
                == [.packet(.initCommandRequest(guid: guid, name: "", version: 0x0001_0000))])
    }

    @Test(
        "a malformed packet is skipped, and the next one is read",
        arguments: [
            [12, 0, 0, 0, 13, 0, 0, 0, 1, 2, 3, 4],  // a probe with a body
            [11, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3],  // a number of three bytes
            [12, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0],  // a reason that nobody knows
            [11, 0, 0, 0, 10, 0, 0, 0, 1, 2, 3],  // data without a whole transaction
            [8, 0, 0, 0, 12, 0, 0, 0],
            [26, 0, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 18),  // a name without an end
            [8, 0, 0, 0, 0, 0, 0, 0], [8, 0, 0, 0, 15, 0, 0, 0], [9, 0, 0, 0, 255, 255, 255, 255, 1],
            [30, 0, 0, 0, 8, 0, 0, 0] + [UInt8](repeating: 1, count: 22),  // four parameters
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) throws {
        #expect(
            try Self.decode(bytes + PTPIPPacket.probeRequest.bytes) == [.malformed, .packet(.probeRequest)])
    }

    @Test("a malformed operation is reported with its transaction")
    func malformedOperations() throws {
        let request = PTPIPPacket.operationRequest(
            OperationRequest(.getDeviceInfo, transaction: 0x0403_0201, parameters: [1, 2, 3, 4, 5]), dataPhase: .unknown
        ).bytes
        func changed(_ byteCount: Int, dataPhase: UInt8 = 0) -> [UInt8] {
            var bytes = (request + [1, 2, 3, 4, 5, 6, 7, 8]).prefix(byteCount)
            bytes[0] = UInt8(byteCount)
            bytes[8] = dataPhase
            return Array(bytes)
        }
        for bytes in [changed(42), changed(19), changed(37), changed(38, dataPhase: 3)] {
            #expect(try Self.decode(bytes) == [.malformedOperation(transaction: 0x0403_0201)])
        }
        #expect(try Self.decode(changed(17)) == [.malformedOperation(transaction: 0)])
    }

    @Test(
        "an impossible length ends the stream",
        arguments: [
            [0, 0, 0, 0, 6, 0, 0, 0], [7, 0, 0, 0, 6, 0, 0, 0], [7, 0, 0, 0, 10, 0, 0, 0],
            [1, 16, 0, 0, 6, 0, 0, 0], [255, 255, 255, 255, 6, 0, 0, 0], [255, 255, 255, 127, 99, 0, 0, 0],
        ] as [[UInt8]])
    func lost(bytes: [UInt8]) {
        #expect(throws: PTPIPDecoder.FramingLost.self) { try Self.decode(bytes) }
    }

    @Test("a long name is cut at a zero or at the limit, and a short identifier is padded")
    func names() throws {
        let packet = PTPIPPacket.initCommandRequest(
            guid: [1], name: "a\u{0}b" + String(repeating: "x", count: 300), version: 0x0001_0000)
        let name = "ab" + String(repeating: "x", count: 252)
        #expect(
            try Self.decode(packet.bytes) == [
                .packet(
                    .initCommandRequest(
                        guid: [1] + [UInt8](repeating: 0, count: 15), name: name, version: 0x0001_0000))
            ])
    }
}

@Suite("Queue of events") struct EventQueueTests {
    @Test("events come out in order")
    func order() {
        var queue = EventQueue(capacity: 3)
        #expect(queue.isEmpty)
        for handle in 1...3 as ClosedRange<UInt32> { queue.append(ResponderEvent(.objectAdded, [handle])) }
        #expect((1...3).map { _ in queue.next()?.parameters } == [[1], [2], [3]])
        #expect(queue.isEmpty)
        #expect(queue.next() == nil)
    }

    @Test("too many events replace the oldest, and one event reports the loss")
    func overflow() {
        var queue = EventQueue(capacity: 3)
        for handle in 1...10 as ClosedRange<UInt32> { queue.append(ResponderEvent(.objectAdded, [handle])) }
        var received: [ResponderEvent] = []
        while let event = queue.next() { received.append(event) }
        #expect(
            received == [ResponderEvent(.unreportedStatus)]
                + [8, 9, 10].map { ResponderEvent(.objectAdded, [$0]) })
    }
}

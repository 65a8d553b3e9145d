import Foundation
import PinholeTesting
import Platform
import Testing

@testable import PTP

@Suite("PTP/IP link") struct PTPIPLinkTests {
    private static func receive(
        _ request: OperationRequest, _ link: PTPIPLink, takes limit: Int = .max
    ) throws(LinkError) -> [UInt8] {
        var data: [UInt8] = []
        try link.receiveData(of: request) { bytes in
            data += bytes
            return data.count < limit
        }
        return data
    }

    /// Sends zeros, as many as are announced unless they end early.
    private static func sendZeros(
        _ byteCount: UInt64, _ request: OperationRequest, _ link: PTPIPLink, endingAfter limit: Int = .max
    ) throws(LinkError) -> Bool {
        var sent = 0
        return try link.sendData(of: request, byteCount: byteCount) { buffer in
            let count = min(buffer.count, limit - sent)
            buffer.prefix(count).withMemoryRebound(to: UInt8.self) { $0.update(repeating: 0) }
            sent += count
            return count
        }
    }

    @Test("operations are received, and other packets are skipped")
    func operations() async throws {
        let fixture = try PTPIPLinkFixture()
        try fixture.command.send(.data(transaction: 1, byteCount: 3), payload: [1, 2, 3])
        try fixture.command.send(.initCommandRequest(guid: [], name: "again", version: 0))
        try fixture.command.send([8, 0, 0, 0, 77, 0, 0, 0])
        try fixture.command.send(.getObject, 9, [1, 2])
        let request = try fixture.run { (link) throws(LinkError) in try link.receiveOperation() }
        #expect(request == OperationRequest(.getObject, transaction: 9, parameters: [1, 2]))
        await fixture.end()
    }

    @Test("a malformed operation is answered, and the next one is received")
    func malformedOperation() async throws {
        let fixture = try PTPIPLinkFixture()
        try fixture.command.send([19, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 1, 0x10, 5, 0, 0, 0, 9])
        let request = try fixture.begin(.getDeviceInfo, 6)
        #expect(request.transaction == 6)
        #expect(
            try fixture.command.receive()?.packet
                == PTPIPPacket(OperationResponse(.generalError), transaction: 5))
        await fixture.end()
    }

    @Test("a broken packet on either connection ends the link", arguments: [true, false])
    func framing(isCommand: Bool) async throws {
        let fixture = try PTPIPLinkFixture()
        try (isCommand ? fixture.command : fixture.events).send([1, 0, 0, 0, 6, 0, 0, 0])
        #expect(throws: LinkError.closed) {
            try fixture.run { (link) throws(LinkError) in try link.receiveOperation() }
        }
        #expect(try fixture.command.receive() == nil)
        #expect(try fixture.events.receive() == nil)
        await fixture.end()
    }

    @Test(
        "an initiator that disconnects ends the link, whichever connection it closes first", arguments: [true, false])
    func leaving(isCommand: Bool) async throws {
        let fixture = try PTPIPLinkFixture()
        (isCommand ? fixture.command : fixture.events).shutDown()
        #expect(throws: LinkError.closed) {
            try fixture.run { (link) throws(LinkError) in try link.receiveOperation() }
        }
        #expect(throws: LinkError.closed) {
            try fixture.run { (link) throws(LinkError) in
                try link.send(OperationResponse(.ok), for: OperationRequest(.getDeviceInfo, transaction: 1))
            }
        }
        await fixture.end()
    }

    @Test("probes are answered on the connection that they come on")
    func probes() async throws {
        let fixture = try PTPIPLinkFixture()
        let waiting = fixture.start { (link) throws(LinkError) in try link.receiveOperation() }
        try fixture.events.send(.probeRequest)
        #expect(try fixture.events.receive()?.packet == .probeResponse)
        try fixture.command.send(.probeRequest)
        #expect(try fixture.command.receive()?.packet == .probeResponse)
        try fixture.command.send(.getDeviceInfo, 1)
        #expect(try waiting.result().get().transaction == 1)
        await fixture.end()
    }

    @Test("a data phase is announced, sent in pieces, and ended by the last", arguments: [0, 5, 64_512, 700_000])
    func sending(byteCount: Int) async throws {
        let fixture = try PTPIPLinkFixture()
        let data = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        let request = try fixture.begin(.getObject, 3)
        let sending = fixture.start { (link) throws(LinkError) in
            var rest = data[...]
            let isWhole = try link.sendData(of: request, byteCount: UInt64(data.count)) { buffer in
                let piece = rest.prefix(buffer.count)
                buffer.copyBytes(from: piece)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
            try link.send(OperationResponse(.ok, [7]), for: request)
            return isWhole
        }
        #expect(try fixture.command.receive()?.packet == .startData(transaction: 3, byteCount: UInt64(byteCount)))
        var received: [UInt8] = []
        var packets: [Int] = []
        while let next = try fixture.command.receive() {
            received += next.payload
            packets.append(next.payload.count)
            guard case .data = next.packet else {
                #expect(next.packet == .endData(transaction: 3, byteCount: UInt32(next.payload.count)))
                break
            }
        }
        #expect(received == data)
        #expect(packets.count == max(1, (byteCount + 64_511) / 64_512))
        #expect(
            try fixture.command.receive()?.packet
                == PTPIPPacket(OperationResponse(.ok, [7]), transaction: 3))
        #expect(try sending.result().get())
        await fixture.end()
    }

    @Test("a file that is shorter than announced ends the data phase early", arguments: [0, 100, 300_000])
    func endingEarly(limit: Int) async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.getObject, 3)
        let sending = fixture.start { (link) throws(LinkError) in
            let isWhole = try Self.sendZeros(1_000_000, request, link, endingAfter: limit)
            try link.send(OperationResponse(.incompleteTransfer), for: request)
            return isWhole
        }
        let (data, response) = try fixture.command.transaction()
        #expect(data?.count == limit)
        #expect(response == PTPIPPacket(OperationResponse(.incompleteTransfer), transaction: 3))
        #expect(try sending.result().get() == false)
        await fixture.end()
    }

    private static let cancellations: [(isCommand: Bool, packet: PTPIPPacket)] = [
        (true, .cancel(transaction: 3)), (false, .cancel(transaction: 3)),
        (false, PTPIPPacket(ResponderEvent(.cancelTransaction, transaction: 3))),
    ]

    @Test("a cancellation in the middle of sending ends the data phase", arguments: cancellations.indices)
    func cancelledSending(index: Int) async throws {
        let cancellation = Self.cancellations[index]
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.getObject, 3)
        let sending = fixture.start { (link) throws(LinkError) in try Self.sendZeros(1 << 40, request, link) }
        #expect(try fixture.command.receive()?.packet == .startData(transaction: 3, byteCount: 1 << 40))
        #expect(try fixture.command.receive()?.packet == .data(transaction: 3, byteCount: 64_512))
        try (cancellation.isCommand ? fixture.command : fixture.events).send(cancellation.packet)
        // What comes after it waits for its turn.
        try fixture.command.send(.getDeviceInfo, 4)
        while case .data? = try fixture.command.receive()?.packet {}
        #expect(sending.result() == .failure(.cancelled))
        try fixture.run { (link) throws(LinkError) in
            try link.send(OperationResponse(.transactionCancelled), for: request)
        }
        #expect(
            try fixture.command.receive()?.packet
                == PTPIPPacket(OperationResponse(.transactionCancelled), transaction: 3))
        let next = try fixture.run { (link) throws(LinkError) in try link.receiveOperation() }
        #expect(next == OperationRequest(.getDeviceInfo, transaction: 4))
        await fixture.end()
    }

    @Test("a cancellation in the middle of receiving ends the transaction", arguments: cancellations.indices)
    func cancelledReceiving(index: Int) async throws {
        let cancellation = Self.cancellations[index]
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.sendObject, 3)
        let receiving = fixture.start { (link) throws(LinkError) in try Self.receive(request, link) }
        try fixture.command.send(.startData(transaction: 3, byteCount: 100))
        try fixture.command.send(.data(transaction: 3, byteCount: 50), payload: [UInt8](repeating: 1, count: 20))
        if cancellation.isCommand { try fixture.command.send([UInt8](repeating: 1, count: 30)) }
        try (cancellation.isCommand ? fixture.command : fixture.events).send(cancellation.packet)
        #expect(receiving.result() == .failure(.cancelled))
        if !cancellation.isCommand { try fixture.command.send([UInt8](repeating: 1, count: 30)) }
        #expect(try fixture.begin(.getDeviceInfo, 4).transaction == 4)
        await fixture.end()
    }

    @Test("a cancellation that arrives before its operation is effective, one that arrives too late is not")
    func cancellationTimes() async throws {
        let fixture = try PTPIPLinkFixture()
        // The answer to the probe shows that the cancellation was received.
        let waiting = fixture.start { (link) throws(LinkError) in try link.receiveOperation() }
        try fixture.events.send(.cancel(transaction: 3))
        try fixture.events.send(.probeRequest)
        #expect(try fixture.events.receive()?.packet == .probeResponse)
        try fixture.command.send(.getObject, 3)
        let request = try waiting.result().get()
        #expect(throws: LinkError.cancelled) {
            try fixture.run { (link) throws(LinkError) in try Self.sendZeros(10, request, link) }
        }
        try fixture.run { (link) throws(LinkError) in
            try link.send(OperationResponse(.transactionCancelled), for: request)
        }
        #expect(try fixture.command.transaction().data == [])
        // Transaction 3 is over; the next session may use its number again.
        try fixture.command.send(.cancel(transaction: 3))
        let again = try fixture.begin(.getObject, 3)
        #expect(try fixture.run { (link) throws(LinkError) in try Self.sendZeros(10, again, link) })
        await fixture.end()
    }

    @Test("a data phase is received whole, even with other packets in between")
    func receiving() async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.sendObject, 3)
        let receiving = fixture.start { (link) throws(LinkError) in try Self.receive(request, link) }
        try fixture.command.send(.startData(transaction: 3, byteCount: 6))
        try fixture.command.send(.data(transaction: 3, byteCount: 2), payload: [1, 2])
        try fixture.command.send(.data(transaction: 8, byteCount: 2), payload: [66, 66])
        try fixture.command.send(.endData(transaction: 8, byteCount: 2), payload: [66, 66])
        try fixture.command.send(.cancel(transaction: 8))
        try fixture.command.send([9, 0, 0, 0, 13, 0, 0, 0, 1])
        try fixture.command.send(.data(transaction: 3, byteCount: 0))
        try fixture.command.send(.probeRequest)
        #expect(try fixture.command.receive()?.packet == .probeResponse)
        try fixture.command.send(.endData(transaction: 3, byteCount: 4), payload: [3, 4, 5, 6])
        #expect(try receiving.result().get() == [1, 2, 3, 4, 5, 6])
        await fixture.end()
    }

    @Test("data that is no longer wanted is discarded")
    func unwanted() async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.sendObject, 3)
        let receiving = fixture.start { (link) throws(LinkError) in try Self.receive(request, link, takes: 1) }
        for byte in 1...3 as ClosedRange<UInt8> {
            try fixture.command.send(.data(transaction: 3, byteCount: 1), payload: [byte])
        }
        try fixture.command.send(.endData(transaction: 3, byteCount: 0))
        #expect(try receiving.result().get() == [1])
        await fixture.end()
    }

    @Test("an operation in place of data ends the data phase")
    func operationInPlaceOfData() async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.sendObject, 3)
        try fixture.command.send(.data(transaction: 3, byteCount: 1), payload: [1])
        try fixture.command.send(.getDeviceInfo, 4)
        #expect(try fixture.run { (link) throws(LinkError) in try Self.receive(request, link) } == [1])
        let next = try fixture.run { (link) throws(LinkError) in try link.receiveOperation() }
        #expect(next.transaction == 4)
        await fixture.end()
    }

    @Test("an initiator that reads nothing, or stops in the middle of its data, is disconnected")
    func stalled() async throws {
        let fixture = try PTPIPLinkFixture(patience: .milliseconds(20))
        let request = try fixture.begin(.getObject, 3)
        #expect(throws: LinkError.closed) {
            try fixture.run { (link) throws(LinkError) in try Self.sendZeros(1 << 40, request, link) }
        }
        await fixture.end()
        let other = try PTPIPLinkFixture(patience: .milliseconds(20))
        let upload = try other.begin(.sendObject, 3)
        try other.command.send(.startData(transaction: 3, byteCount: 6))
        #expect(throws: LinkError.closed) {
            try other.run { (link) throws(LinkError) in try Self.receive(upload, link) }
        }
        await other.end()
    }

    @Test("closing ends every waiting call", arguments: 0..<3)
    func closing(call: Int) async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.getObject, 3)
        let waiting = fixture.start { (link) throws(LinkError) in
            switch call {
            case 0: _ = try link.receiveOperation()
            case 1: _ = try Self.sendZeros(1 << 40, request, link)
            default: _ = try Self.receive(request, link)
            }
        }
        // Answered by the call that waits, so that it is under way.
        try fixture.events.send(.probeRequest)
        #expect(try fixture.events.receive()?.packet == .probeResponse)
        fixture.link.close()
        guard case .failure(.closed) = waiting.result() else {
            Issue.record("it went on")
            return
        }
        fixture.link.send(ResponderEvent(.objectAdded, [1]))
        #expect(try fixture.events.receive() == nil)
        await fixture.end()
    }

    @Test("events arrive in order, even while data waits for its reader")
    func events() async throws {
        let fixture = try PTPIPLinkFixture()
        let request = try fixture.begin(.getObject, 3)
        let sending = fixture.start { (link) throws(LinkError) in try Self.sendZeros(1 << 40, request, link) }
        for handle in 0..<500 as Range<UInt32> { fixture.link.send(ResponderEvent(.objectAdded, [handle])) }
        for handle in 0..<500 as Range<UInt32> {
            #expect(
                try fixture.events.receive()?.packet
                    == PTPIPPacket(ResponderEvent(.objectAdded, [handle])))
        }
        fixture.link.close()
        #expect(sending.result() == .failure(.closed))
        await fixture.end()
    }

    @Test("an initiator that reads no events gets the first, the newest, and one that reports the loss")
    func tooManyEvents() async throws {
        let fixture = try PTPIPLinkFixture()
        let waiting = fixture.start { (link) throws(LinkError) in try link.receiveOperation() }
        let count: UInt32 = 200_000
        for handle in 0..<count { fixture.link.send(ResponderEvent(.objectAdded, [handle])) }
        var handles: [UInt32] = []
        var gaps: [Int] = []
        while handles.last != count - 1,
            case .event(let code, _, let parameters)? = try fixture.events.receive()?.packet
        {
            if code == EventCode.unreportedStatus.rawValue {
                gaps.append(handles.count)
            } else {
                handles += parameters
            }
        }
        let gap = try #require(gaps.first)
        #expect(gaps.count == 1)
        #expect(handles.prefix(gap).elementsEqual(0..<UInt32(gap)))
        #expect(handles.dropFirst(gap).elementsEqual(count - 1000..<count))
        fixture.link.close()
        _ = waiting.result()
        await fixture.end()
    }
}

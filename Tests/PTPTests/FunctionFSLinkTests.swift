import PTP
import PinholeTesting
import Platform
import Synchronization
import Testing

@Suite("the link of a USB host") struct FunctionFSLinkTests {
    let pipes = FakeUSBPipes()
    let link: FunctionFSLink
    let getObject = OperationRequest(.getObject, transaction: 5, parameters: [1])
    let sendObject = OperationRequest(.sendObject, transaction: 6)

    init() {
        link = FunctionFSLink(pipes: pipes)
    }

    /// A data phase of the host, with its header.
    func data(_ request: OperationRequest, _ payload: [UInt8], length: UInt64? = nil) -> [UInt8] {
        USBContainer.dataHeader(for: request, byteCount: length ?? UInt64(payload.count)) + payload
    }

    func received(_ request: OperationRequest) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try link.receiveData(of: request) { piece in
            bytes += piece
            return true
        }
        return bytes
    }

    /// Sends a file whose bytes count up.
    func sendData(_ count: UInt64) throws(LinkError) -> Bool {
        var next: UInt8 = 0
        return try link.sendData(of: getObject, byteCount: count) { buffer in
            for index in buffer.indices {
                buffer[index] = next
                next &+= 1
            }
            return buffer.count
        }
    }

    static func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    // MARK: Operations

    @Test("an operation is received unchanged")
    func operation() throws {
        pipes.send(getObject)
        #expect(try link.receiveOperation() == getObject)
    }

    @Test(
        "the empty packet after a full one, and a data phase that no call waits for, are skipped",
        arguments: [0, 52, 500, 5000])
    func passedOver(count: Int) throws {
        pipes.send([], emptyPacket: true)
        pipes.send(data(sendObject, Self.counting(count)))
        pipes.send(getObject)
        #expect(try link.receiveOperation() == getObject)
        #expect(pipes.sent.isEmpty)
    }

    @Test(
        "the response to a refused operation is sent after its data phase was skipped",
        arguments: [0, 30, 52, 5000])
    func dataOfRefused(count: Int) throws {
        let setDevicePropValue: UInt16 = 0x1016
        let unknown = OperationRequest(
            setDevicePropValue, transaction: 4, parameters: [.deviceProperty(.deviceFriendlyName)])
        pipes.send(unknown)
        _ = try link.receiveOperation()
        try link.send(OperationResponse(.operationNotSupported), for: unknown)
        let abandoned = pipes.state.withLock { $0.abandoned }
        // Only then does the host read what was answered.
        pipes.send(data(unknown, Self.counting(count)), emptyPacket: (count + 12) % 64 == 0)
        pipes.whenIdle { [pipes, getObject] in
            #expect(pipes.state.withLock { $0.abandoned } == abandoned)
            pipes.send(getObject)
        }
        #expect(try link.receiveOperation() == getObject)
        #expect(pipes.state.withLock { $0.abandoned } == abandoned + 1)
    }

    @Test("an operation in a container with a wrong length is answered, and the next one is received")
    func malformed() throws {
        pipes.send([99, 0, 0, 0, 1, 0, 0x01, 0x10, 7, 0, 0, 0])
        pipes.send([200, 0, 0, 0, 1, 0, 0x01, 0x10, 8, 0, 0, 0] + Self.counting(188))
        pipes.send(getObject)
        #expect(try link.receiveOperation() == getObject)
        let answers = [7, 8].flatMap { USBContainer.bytes(OperationResponse(.generalError), transaction: $0) }
        #expect(pipes.sent == answers)
    }

    @Test("bytes that are not a container stall the pipes until the host has cleared them")
    func nonsense() throws {
        pipes.send(Self.counting(1000))
        pipes.whenIdle { [link, pipes] in
            #expect(link.status == .halted([0x81, 0x02]))
            pipes.send(OperationRequest(.getDeviceInfo, transaction: 0))
        }
        #expect(try link.receiveOperation() == OperationRequest(.getDeviceInfo, transaction: 0))
        #expect(pipes.state.withLock { $0.halts } == 1 && link.status == .ready)
    }

    // MARK: Data to the host

    @Test(
        "a data phase to the host is a header and the bytes, with an empty packet after a full last one",
        arguments: [0, 1, 51, 52, 53, 116, 2036, 2037, 4084, 10_000])
    func sends(count: Int) throws {
        let whole = try sendData(UInt64(count))
        #expect(whole)
        #expect(pipes.sent == data(getObject, Self.counting(count)))
        let transfers = pipes.state.withLock { $0.sent }
        #expect((transfers.last == []) == ((count + 12) % 64 == 0))
        #expect(transfers.filter { $0.isEmpty }.count <= 1)
    }

    @Test(
        "bytes that cannot be read end the data phase early, with a short packet",
        arguments: [0, 10, 52, 3000])
    func endsEarly(count: Int) throws {
        var left = count
        let whole = try link.sendData(of: getObject, byteCount: 5000) { buffer in
            let filled = min(left, buffer.count)
            left -= filled
            for index in 0..<filled { buffer[index] = 1 }
            return filled
        }
        #expect(!whole)
        #expect(pipes.sent == data(getObject, [UInt8](repeating: 1, count: count), length: 5000))
        #expect((pipes.state.withLock { $0.sent.last } == []) == ((count + 12) % 64 == 0))
    }

    @Test("a source that reports an impossible length does no harm")
    func liar() throws {
        let tooMuch = try link.sendData(of: getObject, byteCount: 10) { _ in 999 }
        let tooLittle = try link.sendData(of: getObject, byteCount: 10) { _ in -5 }
        #expect(tooMuch && !tooLittle)
        #expect(pipes.state.withLock { $0.sent.map { $0.count } } == [22, 12])
    }

    // MARK: Data from the host

    @Test(
        "a data phase from the host is received whole, with or without an empty packet at its end",
        arguments: [0, 1, 52, 53, 116, 2000, 2036, 9000], [true, false])
    func receives(count: Int, hasEmptyPacket: Bool) throws {
        pipes.send(data(sendObject, Self.counting(count)), emptyPacket: hasEmptyPacket && (count + 12) % 64 == 0)
        pipes.send(getObject)
        #expect(try received(sendObject) == Self.counting(count))
        #expect(try link.receiveOperation() == getObject)
    }

    @Test("a header can arrive in a packet of its own", arguments: [1, 64, 500])
    func splitHeader(count: Int) throws {
        pipes.send(Array(data(sendObject, Self.counting(count)).prefix(12)))
        pipes.send(Self.counting(count))
        #expect(try received(sendObject) == Self.counting(count))
    }

    @Test("a data phase of unknown length ends with a short packet", arguments: [0, 30, 52, 500, 4084])
    func unknownLength(count: Int) throws {
        pipes.send(data(sendObject, Self.counting(count), length: .max), emptyPacket: (count + 12) % 64 == 0)
        if count == 0 { pipes.send([], emptyPacket: true) }
        pipes.send(getObject)
        #expect(try received(sendObject) == Self.counting(count))
        #expect(try link.receiveOperation() == getObject)
    }

    @Test("a data phase that is shorter than announced ends there, and one that is longer is cut")
    func wrongLength() throws {
        pipes.send(data(sendObject, Self.counting(100), length: 5000))
        #expect(try received(sendObject) == Self.counting(100))
        pipes.send(data(sendObject, Self.counting(60), length: 40))
        #expect(try received(sendObject) == Self.counting(40))
        pipes.send(data(sendObject, Self.counting(300), length: 150))
        #expect(try received(sendObject) == Self.counting(150))
        pipes.send(data(sendObject, Self.counting(20), length: 4))
        #expect(try received(sendObject) == Self.counting(4))
    }

    @Test("after the receiver has stopped, the rest is discarded")
    func enough() throws {
        pipes.send(data(sendObject, Self.counting(5000)))
        pipes.send(getObject)
        var pieces = 0
        try link.receiveData(of: sendObject) { _ in
            pieces += 1
            return false
        }
        #expect(pieces == 1)
        #expect(try link.receiveOperation() == getObject)
    }

    @Test("an operation in place of data abandons the transaction without a response and is received next")
    func operationInsteadOfData() throws {
        pipes.send(getObject)
        #expect(throws: LinkError.cancelled) { try received(sendObject) }
        try link.send(OperationResponse(.ok), for: sendObject)
        #expect(pipes.sent.isEmpty)
        #expect(try link.receiveOperation() == getObject)
        try link.send(OperationResponse(.ok), for: getObject)
        #expect(pipes.sent == USBContainer.bytes(OperationResponse(.ok), transaction: 5))
    }

    @Test(
        "an operation in the middle of a data phase abandons the transaction and is received next",
        arguments: [0, 1, 7])
    func operationInData(packets: Int) throws {
        pipes.send(data(sendObject, Self.counting(52 + 64 * packets), length: 5000))
        pipes.send(getObject)
        #expect(throws: LinkError.cancelled) { try received(sendObject) }
        try link.send(OperationResponse(.transactionCancelled), for: sendObject)
        #expect(try link.receiveOperation() == getObject)
        #expect(pipes.sent.isEmpty && link.status == .ready)
    }

    @Test("invalid data, or data of another transaction, abandons the transaction and stalls the pipes")
    func nonsenseInsteadOfData() throws {
        for bytes in [Self.counting(300), data(getObject, [1, 2, 3])] {
            let pipes = FakeUSBPipes()
            let link = FunctionFSLink(pipes: pipes)
            pipes.send(bytes)
            #expect(throws: LinkError.cancelled) { try link.receiveData(of: sendObject) { _ in true } }
            #expect(pipes.state.withLock { $0.halts } == 1)
            pipes.send(getObject)
            #expect(try link.receiveOperation() == getObject)
        }
    }

    // MARK: Cancel, reset, unplug

    @Test(
        "a canceled data phase to the host ends at once, its pending transfers are canceled, and there is no response",
        arguments: [0, 1, 3])
    func cancelledWhileSending(transfer: Int) throws {
        pipes.send(getObject)
        _ = try link.receiveOperation()
        pipes.state.withLock { [link] state in
            state.beforeSend[transfer] = {
                link.cancel(5)
                #expect(link.status == .busy)
            }
        }
        #expect(throws: LinkError.cancelled) { try sendData(100_000) }
        #expect(pipes.state.withLock { $0.abandoned } >= 2)
        try link.send(OperationResponse(.transactionCancelled), for: getObject)
        #expect(pipes.state.withLock { $0.sent.count } == transfer)
        let next = OperationRequest(.getObjectHandles, transaction: 6)
        pipes.send(next)
        #expect(try link.receiveOperation() == next)
        #expect(link.status == .ready)
    }

    @Test(
        "a canceled data phase from the host ends at once, and the next operation is not lost",
        arguments: [true, false])
    func cancelledWhileReceiving(isNextThere: Bool) throws {
        pipes.send(sendObject)
        _ = try link.receiveOperation()
        pipes.send(data(sendObject, Self.counting(500), length: 100_000))
        let next = OperationRequest(.getObjectHandles, transaction: 7)
        // A whole number of packets, so that more is waited for.
        pipes.state.withLock { $0.packets = Array($0.packets.prefix(4)) }
        pipes.whenIdle { [link, pipes] in
            link.cancel(6)
            if isNextThere { pipes.send(next) }
        }
        #expect(throws: LinkError.cancelled) { try received(sendObject) }
        try link.send(OperationResponse(.transactionCancelled), for: sendObject)
        if !isNextThere { pipes.send(next) }
        #expect(try link.receiveOperation() == next)
        #expect(pipes.sent.isEmpty && link.status == .ready)
    }

    @Test(
        "a cancellation after the response withdraws the response, and the next operation is not lost",
        arguments: [true, false])
    func cancelledAfterResponse(isNextThere: Bool) throws {
        pipes.send(getObject)
        _ = try link.receiveOperation()
        try link.send(OperationResponse(.ok), for: getObject)
        let next = OperationRequest(.getObjectHandles, transaction: 6)
        pipes.whenIdle { [link, pipes] in
            link.cancel(5)
            if isNextThere { pipes.send(next) }
        }
        if !isNextThere { pipes.whenIdle { [pipes] in pipes.send(next) } }
        #expect(try link.receiveOperation() == next)
        #expect(pipes.state.withLock { $0.abandoned } == (isNextThere ? 2 : 3) && link.status == .ready)
    }

    @Test("an operation while data is being sent abandons the transaction and is received next", arguments: [0, 2])
    func operationWhileSending(transfer: Int) throws {
        pipes.send(getObject)
        _ = try link.receiveOperation()
        let next = OperationRequest(.openSession, transaction: 0, parameters: [1])
        pipes.state.withLock { [pipes] state in
            state.beforeSend[transfer] = {
                pipes.send(next)
                pipes.state.withLock { $0.isOvertaken = true }
            }
        }
        #expect(throws: LinkError.cancelled) { try sendData(100_000) }
        try link.send(OperationResponse(.transactionCancelled), for: getObject)
        #expect(pipes.state.withLock { $0.sent.count } == transfer)
        #expect(try link.receiveOperation() == next)
        #expect(pipes.state.withLock { $0.abandoned } >= 2 && link.status == .ready)
    }

    @Test("a cancellation of another transaction changes nothing")
    func cancelledOther() throws {
        pipes.send(getObject)
        _ = try link.receiveOperation()
        link.cancel(4)
        #expect(link.status == .ready)
        let whole = try sendData(100)
        #expect(whole)
    }

    @Test("a reset ends every operation, is reported once, and discards what came before it")
    func reset() throws {
        pipes.send(getObject)
        _ = try link.receiveOperation()
        pipes.state.withLock { [link] in $0.beforeSend[2] = { link.reset() } }
        #expect(throws: LinkError.reset) { try sendData(100_000) }
        pipes.whenIdle { [link, pipes] in
            pipes.send(OperationRequest(.getObjectHandles, transaction: 6))
            link.reset()
        }
        #expect(throws: LinkError.reset) { try link.receiveOperation() }
        pipes.send(OperationRequest(.openSession, transaction: 0, parameters: [1]))
        #expect(try link.receiveOperation().code == OperationCode.openSession.rawValue)
        #expect(link.status == .ready)
    }

    @Test("a reset that no call waits for ends the next call, and the callback receives it")
    func resetIsNoticed() throws {
        let resets = Counter()
        let link = FunctionFSLink(pipes: pipes) { resets.add() }
        link.reset()
        #expect(link.status == .busy && resets.value == 0)
        #expect(throws: LinkError.reset) { try link.send(OperationResponse(.ok), for: getObject) }
        #expect(resets.value == 1 && pipes.sent.isEmpty && link.status == .ready)
    }

    @Test("a host that disconnects closes the link for every later call", arguments: [true, false])
    func gone(isSending: Bool) throws {
        if isSending {
            pipes.state.withLock { [pipes] state in
                state.beforeSend[1] = { pipes.state.withLock { $0.isGone = true } }
            }
            #expect(throws: LinkError.closed) { try sendData(100_000) }
        } else {
            #expect(throws: LinkError.closed) { try link.receiveOperation() }
        }
        #expect(throws: LinkError.closed) { try link.receiveOperation() }
        #expect(throws: LinkError.closed) { try received(sendObject) }
        #expect(throws: LinkError.closed) { try sendData(1) }
        #expect(throws: LinkError.closed) { try link.send(OperationResponse(.ok), for: getObject) }
    }

    @Test("closing ends a waiting call")
    func closing() throws {
        pipes.whenIdle { [link] in link.close() }
        #expect(throws: LinkError.closed) { try link.receiveOperation() }
    }

    @Test("whatever a host sends, the link ends with it, leaves nothing open and sends nothing unrequested")
    func anything() {
        for seed in 0..<3000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let bytes = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                // Words that mean something are more frequent.
                Bool.random(using: &random)
                    ? UInt8.random(in: 0xf0...0xff, using: &random) : .random(in: 0...255, using: &random)
            }
            var conversation = USBConversation(bytes)
            let (open, trespasses) = conversation.run()
            #expect(open == 0 && trespasses == 0, "seed \(seed)")
        }
    }

    final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }
}

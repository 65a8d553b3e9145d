import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import PTP

@Suite("PTP/IP server") struct PTPIPServerTests {
    private static func limits(_ change: (inout PTPIPServer.Limits) -> Void) -> PTPIPServer.Limits {
        var limits = PTPIPServer.Limits()
        change(&limits)
        return limits
    }

    @Test("an initiator is greeted, served, and identified")
    func service() async throws {
        let fixture = try PTPIPServerFixture()
        let handle = try #require(fixture.memory.add(1, files: [.init(.jpeg, byteCount: 600_000)]).first)
        let (command, events) = try fixture.connect()
        try command.send(.openSession, 1, [1])
        #expect(
            try command.transaction().response == PTPIPPacket(OperationResponse(.ok), transaction: 1))
        try command.send(.getObject, 2, [handle])
        #expect(try command.transaction().data == fixture.memory.bytes(of: handle))
        fixture.memory.report(.spaceChanged)
        #expect(
            try events.receive()?.packet
                == PTPIPPacket(ResponderEvent(.storageInfoChanged, [Responder.storage])))
        #expect(
            fixture.initiators == [PTPIPInitiator(name: "test", guid: Array(1...16), address: "127.0.0.1")])
        command.shutDown()
        fixture.ended.wait()
        #expect(try events.receive() == nil)
        await fixture.stop()
    }

    @Test("an upload arrives over the network")
    func upload() async throws {
        let fixture = try PTPIPServerFixture()
        let (command, _) = try fixture.connect()
        try command.send(.openSession, 1, [1])
        _ = try command.transaction()
        let info = Initiator.announcement(200_000)
        try command.send(.sendObjectInfo, 2)
        try command.send(.startData(transaction: 2, byteCount: UInt64(info.count)))
        try command.send(.endData(transaction: 2, byteCount: UInt32(info.count)), payload: info)
        _ = try command.transaction()
        let file = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try command.send(.sendObject, 3)
        try command.send(.startData(transaction: 3, byteCount: 200_000))
        try command.send(.data(transaction: 3, byteCount: 150_000), payload: Array(file.prefix(150_000)))
        try command.send(.endData(transaction: 3, byteCount: 50_000), payload: Array(file.suffix(50_000)))
        #expect(
            try command.transaction().response == PTPIPPacket(OperationResponse(.ok), transaction: 3))
        #expect(fixture.memory.uploaded.map(\.bytes) == [file])
        await fixture.stop()
    }

    @Test("at most the limit of initiators is served at once; one that leaves makes room")
    func initiators() async throws {
        let fixture = try PTPIPServerFixture(limits: Self.limits { $0.initiators = 2 })
        let first = try fixture.connect()
        let second = try fixture.connect()
        func isWelcome() throws -> Bool {
            let third = try PTPIPFarEnd.connect(to: fixture.server.port)
            try third.send(.initCommandRequest(guid: [], name: "", version: PTPIPPacket.version))
            switch try third.receive()?.packet {
            case .initCommandAck: return true
            case let other:
                #expect(other == .initFail(.busy))
                #expect(try third.receive() == nil)
                return false
            }
        }
        #expect(try !isWelcome())
        first.command.shutDown()
        fixture.ended.wait()
        while try !isWelcome() {}
        second.command.shutDown()
        await fixture.stop()
    }

    @Test("a reserved place can be lost before the event connection arrives")
    func lateEvents() async throws {
        let fixture = try PTPIPServerFixture(limits: Self.limits { $0.initiators = 1 })
        let late = try PTPIPFarEnd.connect(to: fixture.server.port)
        let number = try fixture.greet(late)
        let other = try fixture.connect().command
        let events = try PTPIPFarEnd.connect(to: fixture.server.port)
        try events.send(.initEventRequest(connection: number))
        #expect(try events.receive()?.packet == .initFail(.busy))
        #expect(try late.receive() == nil)
        other.shutDown()
        await fixture.stop()
    }

    @Test("an event connection needs the number of a command connection of the same address")
    func pairing() async throws {
        let fixture = try PTPIPServerFixture()
        let command = try PTPIPFarEnd.connect(to: fixture.server.port)
        let number = try fixture.greet(command)
        for (events, claimed) in [
            (try PTPIPFarEnd.connect(to: fixture.server.port), number &+ 1),
            (try PTPIPFarEnd.connect(to: fixture.server.port, from: "127.0.0.2"), number),
        ] {
            try events.send(.initEventRequest(connection: claimed))
            #expect(try events.receive()?.packet == .initFail(.rejectedInitiator))
            #expect(try events.receive() == nil)
        }
        let events = try PTPIPFarEnd.connect(to: fixture.server.port)
        try events.send(.initEventRequest(connection: number))
        #expect(try events.receive()?.packet == .initEventAck)
        await fixture.stop()
    }

    @Test("an operation that comes before the event connection is answered after it")
    func earlyOperation() async throws {
        let fixture = try PTPIPServerFixture()
        let command = try PTPIPFarEnd.connect(to: fixture.server.port)
        try command.send(
            PTPIPPacket.initCommandRequest(guid: [], name: "", version: PTPIPPacket.version).bytes
                + PTPIPPacket.operationRequest(
                    OperationRequest(.openSession, transaction: 0, parameters: [1]), dataPhase: .unknown
                )
                .bytes)
        guard case .initCommandAck(let number, _, _, _)? = try command.receive()?.packet else {
            Issue.record("it was not greeted")
            return
        }
        let events = try PTPIPFarEnd.connect(to: fixture.server.port)
        try events.send(.initEventRequest(connection: number))
        #expect(
            try command.transaction().response == PTPIPPacket(OperationResponse(.ok), transaction: 0))
        await fixture.stop()
    }

    @Test(
        "a connection that does not begin with a greeting is refused",
        arguments: [
            PTPIPPacket.probeRequest.bytes, PTPIPPacket.initEventAck.bytes,
            [18, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 1, 16, 1, 0, 0, 0], Array("GET / HTTP/1.1\r\n\r\n".utf8),
            [255, 255, 255, 255, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0],
            [12, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0], [24, 0, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 16),
        ] as [[UInt8]])
    func wrongGreeting(bytes: [UInt8]) async throws {
        let fixture = try PTPIPServerFixture()
        let other = try PTPIPFarEnd.connect(to: fixture.server.port)
        try other.send(bytes)
        // A reset may overtake the answer when more was sent than was read.
        if let answer = try other.receive() {
            #expect(answer.packet == .initFail(.unspecified))
            #expect(try other.receive() == nil)
        }
        #expect(fixture.initiators.isEmpty)
        _ = try fixture.connect()
        await fixture.stop()
    }

    @Test("a connection without a complete greeting is closed after a time limit")
    func slowGreeting() async throws {
        let fixture = try PTPIPServerFixture(limits: Self.limits { $0.handshake = .milliseconds(50) })
        let silent = try PTPIPFarEnd.connect(to: fixture.server.port)
        let slow = try PTPIPFarEnd.connect(to: fixture.server.port)
        try slow.send([34, 0, 0])
        #expect(try silent.receive() == nil)
        #expect(try slow.receive() == nil)
        let alone = try PTPIPFarEnd.connect(to: fixture.server.port)
        try alone.send(.initCommandRequest(guid: [], name: "", version: PTPIPPacket.version))
        while try alone.receive() != nil {}
        await fixture.stop()
    }

    @Test("too many connections without a greeting close the oldest one")
    func tooManyConnections() async throws {
        let fixture = try PTPIPServerFixture(limits: Self.limits { $0.handshakes = 3 })
        let connections = try (0..<4).map { _ in try PTPIPFarEnd.connect(to: fixture.server.port) }
        #expect(try connections[0].receive() == nil)
        _ = try fixture.greet(connections[3])
        _ = try fixture.greet(connections[1])
        await fixture.stop()
    }

    @Test("many new connections are accepted a few at a time, so that other work does not wait for all of them")
    func crowd() async throws {
        let loop = try EventLoop()
        let server = try PTPIPServer(
            address: "127.0.0.1", port: 0, identity: Initiator.identity, loop: loop,
            limits: Self.limits { $0.handshakes = 3 }
        ) { _, _ in }
        let connections = try (0..<10).map { _ in try PTPIPFarEnd.connect(to: server.port) }
        // Something else that is to be done, and became so after them.
        let other = try WakeSignal()
        let isReached = Platform.Semaphore()
        let dropped = Mutex(0)
        let sockets = connections.map { $0.descriptor.raw }
        let registration = try loop.register(other.descriptor, .read) { _ in
            other.clear()
            var byte: UInt8 = 0
            let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
            dropped.withLock { $0 = sockets.filter { recv($0, &byte, 1, flags) == 0 }.count }
            isReached.signal()
        }
        other.set()
        try loop.start()
        isReached.wait()
        #expect(dropped.withLock { $0 } == 0)
        loop.unregister(registration)
        // All of them are let in, if only to make room again.
        #expect(try connections[6].receive() == nil)
        await server.stop()
        loop.stop()
    }

    @Test("stopping ends all connections, whatever they are doing")
    func stopping() async throws {
        let fixture = try PTPIPServerFixture()
        let handle = try #require(fixture.memory.add(1, files: [.init(.jpeg, byteCount: 4_000_000_000)]).first)
        let idle = try fixture.connect()
        let reading = try fixture.connect()
        try reading.command.send(.openSession, 1, [1])
        _ = try reading.command.transaction()
        try reading.command.send(.getObject, 2, [handle])
        #expect(try reading.command.receive()?.packet == .startData(transaction: 2, byteCount: 4_000_000_000))
        let other = try PTPIPFarEnd.connect(to: fixture.server.port)
        let greeted = try PTPIPFarEnd.connect(to: fixture.server.port)
        _ = try fixture.greet(greeted)
        await fixture.stop()
        for end in [idle.command, idle.events, other, greeted, reading.events] { #expect(try end.receive() == nil) }
        while try reading.command.receive() != nil {}
        #expect(fixture.linkCount == 0)
        #expect(fixture.memory.openCount == 0)
    }

    @Test("a thousand initiators leave nothing behind")
    func thousandConnections() async throws {
        let fixture = try PTPIPServerFixture()
        for turn in 0..<1000 {
            let (command, events) = try fixture.connect()
            try command.send(.openSession, 1, [1])
            if turn.isMultiple(of: 2) { _ = try command.transaction() }
            (turn.isMultiple(of: 3) ? command : events).shutDown()
            fixture.ended.wait()
            while try command.receive() != nil {}
            #expect(try events.receive() == nil)
        }
        #expect(fixture.initiators.count == 1000)
        await fixture.stop()
        #expect(fixture.linkCount == 0)
    }

    @Test("an address must be numeric, and its port free")
    func addresses() async throws {
        for address in ["localhost", "", "127.0.0.1:15740", "[::1]", "1.2.3"] {
            #expect { try PTPIPServerFixture(address: address) } throws: { ($0 as? SystemError)?.code == EINVAL }
        }
        let fixture = try PTPIPServerFixture()
        #expect {
            try PTPIPServer(
                address: "127.0.0.1", port: fixture.server.port, identity: Initiator.identity, loop: try EventLoop()
            ) { _, _ in }
        } throws: {
            ($0 as? SystemError)?.code == EADDRINUSE
        }
        await fixture.stop()
    }

    @Test("IPv6 works if the machine supports it")
    func versionSix() async throws {
        do {
            let fixture = try PTPIPServerFixture(address: "::1")
            #expect(fixture.server.port != 0)
            await fixture.stop()
        } catch let error as SystemError {
            #expect([EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code))
        }
    }

    @Test("a name is reduced to printable text")
    func names() {
        let initiator = PTPIPInitiator(name: "a\u{1b}[2J\n\u{202e}b", guid: [], address: "")
        #expect(initiator.name == "a[2Jb")
    }
}

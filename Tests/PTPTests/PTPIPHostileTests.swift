import Foundation
import PinholeTesting
import Platform
import Testing

@testable import PTP

/// What no honest initiator does. Afterwards the next one must be served as if nothing had been.
@Suite("PTP/IP, hostile initiators") struct PTPIPHostileTests {
    /// A whole session but for its first packet: what an initiator sends on the command connection.
    private static func session(_ handle: UInt32) -> [UInt8] {
        var transaction: UInt32 = 0
        func request(_ code: OperationCode, _ parameters: UInt32...) -> [UInt8] {
            transaction += 1
            return PTPIPPacket.operationRequest(
                OperationRequest(code.rawValue, transaction: transaction, parameters: parameters),
                dataPhase: code.receivesData ? .out : .noneOrIn
            ).bytes
        }
        func data(_ bytes: [UInt8]) -> [UInt8] {
            let half = bytes.count / 2
            return PTPIPPacket.startData(transaction: transaction, byteCount: UInt64(bytes.count)).bytes
                + PTPIPPacket.data(transaction: transaction, byteCount: UInt32(half)).bytes
                + Array(bytes.prefix(half))
                + PTPIPPacket.endData(transaction: transaction, byteCount: UInt32(bytes.count - half)).bytes
                + Array(bytes.dropFirst(half))
        }
        return [
            request(.openSession, 1), request(.getObject, handle), request(.sendObjectInfo),
            data(Initiator.announcement(20)), request(.sendObject), data([UInt8](repeating: 5, count: 20)),
            request(.getThumb, handle), PTPIPPacket.cancel(transaction: transaction).bytes,
            PTPIPPacket.probeRequest.bytes, request(.closeSession),
        ].flatMap { $0 }
    }

    /// A new initiator is served, and nothing of those before it is open any more.
    private static func expectSound(_ fixture: PTPIPServerFixture, _ handle: UInt32) throws {
        let (command, _) = try fixture.connect()
        try command.send(.openSession, 1, [1])
        _ = try command.transaction()
        try command.send(.getObject, 2, [handle])
        #expect(try command.transaction().data == fixture.memory.bytes(of: handle))
        command.shutDown()
        fixture.ended.wait()
        #expect(fixture.memory.openCount == 0)
    }

    @Test("a session that is cut off at any byte leaves nothing behind", arguments: [true, false])
    func cuts(isOrderly: Bool) async throws {
        let fixture = try PTPIPServerFixture()
        let handle = try #require(fixture.memory.add(1, files: [.init(.jpeg, byteCount: 3000)]).first)
        let session = Self.session(handle)
        for count in 0...session.count {
            let (command, events) = try fixture.connect()
            try command.send(Array(session.prefix(count)))
            if isOrderly {
                // Everything before the cut has been done when the end of input is found.
                shutdown(command.descriptor.raw, Int32(SHUT_WR))
                while try command.receive() != nil {}
            } else {
                command.breakOff()
                (count.isMultiple(of: 2) ? command : events).shutDown()
            }
            fixture.ended.wait()
            #expect(fixture.memory.openCount == 0)
        }
        if isOrderly {
            // The cuts behind the last byte of the file keep it, no other does.
            let sizes = Set(fixture.memory.uploaded.map(\.bytes.count))
            #expect(sizes == [20])
            let end = Self.session(handle).count
            #expect((1..<end).contains(fixture.memory.uploaded.count))
        }
        try Self.expectSound(fixture, handle)
        await fixture.stop()
        #expect(fixture.linkCount == 0)
    }

    @Test("a greeting that is cut off at any byte leaves nothing behind")
    func cutGreetings() async throws {
        let fixture = try PTPIPServerFixture()
        let handle = try #require(fixture.memory.add().first)
        let greeting = PTPIPPacket.initCommandRequest(guid: [], name: "test", version: PTPIPPacket.version).bytes
        for count in 0...greeting.count {
            let other = try PTPIPFarEnd.connect(to: fixture.server.port)
            try other.send(Array(greeting.prefix(count)))
            shutdown(other.descriptor.raw, Int32(SHUT_WR))
            while try other.receive() != nil {}
        }
        #expect(fixture.initiators.isEmpty)
        try Self.expectSound(fixture, handle)
        await fixture.stop()
    }

    @Test("random bytes on either connection end it or are skipped", arguments: 1...4 as ClosedRange<UInt64>)
    func noise(seed: UInt64) async throws {
        let fixture = try PTPIPServerFixture()
        let handle = try #require(fixture.memory.add(1, files: [.init(.jpeg, byteCount: 3000)]).first)
        var random = SeededGenerator(seed: seed)
        let session = Self.session(handle)
        for turn in 0..<200 {
            let (command, events) = try fixture.connect()
            var bytes = session
            // Some bytes of a session are others; or there is no sense at all.
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if turn.isMultiple(of: 4) { bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &random) } }
            // It may have been ended in the middle.
            try? (turn.isMultiple(of: 7) ? events : command).send(bytes)
            shutdown(command.descriptor.raw, Int32(SHUT_WR))
            shutdown(events.descriptor.raw, Int32(SHUT_WR))
            fixture.ended.wait()
            #expect(fixture.memory.openCount == 0)
        }
        try Self.expectSound(fixture, handle)
        await fixture.stop()
        #expect(fixture.linkCount == 0)
    }

    @Test("an initiator that never reads is disconnected, and the next one is served")
    func neverReads() async throws {
        var limits = PTPIPServer.Limits()
        limits.patience = .milliseconds(50)
        let fixture = try PTPIPServerFixture(limits: limits)
        let files = fixture.memory.add(
            1, files: [.init(.jpeg, byteCount: 5000), .init(.dng, byteCount: 4_000_000_000)])
        let (command, _) = try fixture.connect()
        try command.send(.openSession, 1, [1])
        _ = try command.transaction()
        try command.send(.getObject, 2, [files[1]])
        fixture.ended.wait()
        try Self.expectSound(fixture, files[0])
        await fixture.stop()
    }
}

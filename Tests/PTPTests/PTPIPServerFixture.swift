import Foundation
import Offload
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import PTP

/// A PTP/IP server on a free port of this machine that serves a store in memory.
final class PTPIPServerFixture: Sendable {
    private struct State {
        var initiators: [PTPIPInitiator] = []
        var links: [WeakLink] = []
    }

    private struct WeakLink: Sendable {
        weak var link: PTPIPLink?
    }

    let server: PTPIPServer
    let memory: MemoryObjectStore
    /// Counts the initiators that are not served any more.
    let ended: Platform.Semaphore
    private let loop: EventLoop
    private let recorded: Recorded

    private final class Recorded: Sendable {
        let state = Mutex(State())
    }

    init(
        _ memory: MemoryObjectStore = MemoryObjectStore(), store: (any ObjectStore)? = nil,
        address: String = "127.0.0.1",
        limits: PTPIPServer.Limits = PTPIPServer.Limits()
    ) throws {
        self.memory = memory
        let (recorded, ended) = (Recorded(), Platform.Semaphore())
        (self.recorded, self.ended) = (recorded, ended)
        loop = try EventLoop()
        try loop.start()
        let served = store ?? memory
        server = try PTPIPServer(
            address: address, port: 0, identity: Initiator.identity, loop: loop, limits: limits
        ) { link, initiator in
            recorded.state.withLock {
                $0.initiators.append(initiator)
                $0.links.append(WeakLink(link: link as? PTPIPLink))
            }
            let responder = Responder(
                identity: Initiator.identity, store: served, properties: FixedDeviceProperties(batteryLevel: 80))
            Connection(link: link, store: served, responder: responder).run()
            ended.signal()
        }
    }

    /// Who was served, in the order of their coming.
    var initiators: [PTPIPInitiator] { recorded.state.withLock { $0.initiators } }
    /// Links that still exist.
    var linkCount: Int { recorded.state.withLock { $0.links.filter { $0.link != nil }.count } }

    /// There is no place for an initiator.
    private struct Busy: Error {}

    /// The two connections of an initiator, whose handshake is done. It comes again while those before it are not quite gone:
    /// they have been served to the end before their places are free.
    func connect() throws -> (command: PTPIPFarEnd, events: PTPIPFarEnd) {
        while true {
            do { return try connectOnce() } catch is Busy { sched_yield() }
        }
    }

    private func connectOnce() throws -> (command: PTPIPFarEnd, events: PTPIPFarEnd) {
        let command = try PTPIPFarEnd.connect(to: server.port)
        let number = try greet(command)
        let events = try PTPIPFarEnd.connect(to: server.port)
        try events.send(.initEventRequest(connection: number))
        let answer = try events.receive()?.packet
        if answer == .initFail(.busy) { throw Busy() }
        try #require(answer == .initEventAck)
        command.companion = events
        return (command, events)
    }

    /// Sends the first packet, and gives the number for the event connection.
    func greet(_ command: PTPIPFarEnd) throws -> UInt32 {
        try command.send(.initCommandRequest(guid: Array(1...16), name: "test", version: PTPIPPacket.version))
        let answer = try command.receive()?.packet
        if answer == .initFail(.busy) { throw Busy() }
        guard case .initCommandAck(let number, _, "Grandma's", PTPIPPacket.version)? = answer else {
            Issue.record("a greeting is answered with \(String(describing: answer))")
            throw CancellationError()
        }
        return number
    }

    func stop() async {
        await server.stop()
        loop.stop()
    }
}

import Foundation
import Glibc
import PinholeTesting
import Platform
import Testing

@testable import Console

// Terminals that go.
extension TerminalConsoleTests {
    @Test("a terminal whose hang-up is seen to by somebody else is closed, and not opened again")
    func seenTo() throws {
        let path = FileManager.default.temporaryDirectory.path + "/pinhole-tty-\(UUID().uuidString)"
        defer { unlink(path) }
        let ended = Semaphore()
        let bench = try Bench(.terminal(path: path), hungUp: { ended.signal() })
        #expect(throws: CommandFailure.self) { try bench.console.start() }
        for _ in 0..<2 {
            try showPrompt(bench, path)
            ended.wait()
            #expect(try isLeftAlone(path, bench.loop))
        }
    }

    /// Opens the console on a terminal that then goes.
    private func showPrompt(_ bench: Bench, _ path: String) throws {
        let terminal = try PseudoTerminal()
        Self.link(terminal.path, path)
        try bench.console.start()
        _ = try terminal.read(until: "pinhole> ")
    }

    /// Whether a terminal at a path is not opened for longer than a console's first attempt takes.
    private func isLeftAlone(_ path: String, _ loop: EventLoop) throws -> Bool {
        let terminal = try PseudoTerminal()
        try terminal.openOnce()
        Self.link(terminal.path, path)
        let passed = Semaphore()
        _ = loop.schedule(at: .now() + .milliseconds(20)) { passed.signal() }
        passed.wait()
        return terminal.isClosed
    }

    @Test("a terminal that hangs up cancels its command, ends nothing, and is opened again when it is back")
    func hangUp() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/pinhole-tty-\(UUID().uuidString)"
        defer { unlink(path) }
        let handler = ScriptedHandler { command, _, reply in
            guard command.follows else { return reply.finish(.done) }
            reply.send(Self.version)
            reply.onCancel { reply.finish(.tryAgain) }
        }
        let bench = try Bench(.terminal(path: path), handler: handler)
        // Not there yet.
        try bench.console.start()
        for _ in 0..<3 {
            let terminal = try PseudoTerminal()
            Self.link(terminal.path, path)
            _ = try terminal.read(until: "pinhole> ")
            try terminal.type("events --follow\r")
            _ = try terminal.read(until: "pinhole 1")
            unlink(path)
        }
        let terminal = try PseudoTerminal()
        Self.link(terminal.path, path)
        _ = try terminal.read(until: "pinhole> ")
        #expect(bench.handler.ends == 0)
        #expect(bench.handler.commands == Array(repeating: .events(follow: true), count: 3))
    }

    @Test("standard input that hangs up stops nothing either")
    func standardHangUp() async throws {
        let cancelled = AsyncStream<Void>.makeStream()
        let terminal = try PseudoTerminal()
        let shell = try Self.open(terminal.path, O_RDWR | O_NOCTTY)
        defer { close(shell) }
        let bench = try Bench(
            .stdio, input: shell, output: shell,
            handler: ScriptedHandler { _, _, reply in
                reply.onCancel { cancelled.continuation.yield() }
                reply.send(Self.version)
            })
        try bench.console.start()
        try terminal.type("events --follow\r")
        _ = try terminal.read(until: "pinhole 1")
        _ = consume terminal
        var iterator = cancelled.stream.makeAsyncIterator()
        await iterator.next()
        await bench.settle()
        #expect(bench.handler.ends == 0)
    }
}

import Foundation
import Glibc
import Platform
import Testing

@testable import Console

// Terminals that go.
extension TerminalConsoleTests {
    @Test("a terminal whose hang-up is seen to by somebody else is closed, and not opened again")
    func seenTo() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/pinhole-tty-\(UUID().uuidString)"
        defer { unlink(path) }
        let ended = Semaphore()
        let bench = try Bench(.terminal(path: path), hungUp: { ended.signal() })
        #expect(throws: CommandFailure.self) { try bench.console.start() }
        for _ in 0..<2 {
            do {
                let terminal = try Terminal()
                Self.link(terminal.path, path)
                try bench.console.start()
                _ = try terminal.read(until: "pinhole> ")
            }
            ended.wait()
            let next = try Terminal()
            // Never opened, a terminal looks as if it were open.
            close(try Self.open(next.path, O_RDWR | O_NOCTTY))
            Self.link(next.path, path)
            // Later than the first attempt would be, on the same loop.
            let passed = Semaphore()
            _ = bench.loop.schedule(at: .now() + .milliseconds(20)) { passed.signal() }
            passed.wait()
            var state = pollfd(fd: next.person.raw, events: 0, revents: 0)
            let isClosed = poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
            #expect(isClosed)
        }
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
            let terminal = try Terminal()
            Self.link(terminal.path, path)
            _ = try terminal.read(until: "pinhole> ")
            try terminal.type("events --follow\r")
            _ = try terminal.read(until: "pinhole 1")
            unlink(path)
        }
        let terminal = try Terminal()
        Self.link(terminal.path, path)
        _ = try terminal.read(until: "pinhole> ")
        #expect(bench.handler.ends == 0)
        #expect(bench.handler.commands == Array(repeating: .events(follow: true), count: 3))
    }

    @Test("standard input that hangs up stops nothing either")
    func standardHangUp() async throws {
        let cancelled = AsyncStream<Void>.makeStream()
        let terminal = try Terminal()
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

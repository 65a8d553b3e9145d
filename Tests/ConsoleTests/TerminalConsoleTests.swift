import Foundation
import Glibc
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Console

@Suite("Console on a terminal or pipe", .timeLimit(.minutes(10)))
struct TerminalConsoleTests {
    /// A console with its loop and camera.
    final class Bench: Sendable {
        let loop: EventLoop
        let handler: ScriptedHandler
        let console: TerminalConsole

        init(
            _ place: TerminalConsole.Place, input: Int32 = -1, output: Int32 = -1,
            handler: ScriptedHandler = ScriptedHandler(), json: Bool = false, startsSilent: Bool = false,
            hungUp: (@Sendable () -> Void)? = nil
        ) throws {
            loop = try EventLoop()
            try loop.start()
            self.handler = handler
            console = TerminalConsole(
                place, standard: (input, output), firstPause: .milliseconds(1), loop: loop, handler: handler,
                json: json,
                startsSilent: startsSilent, hungUp: hungUp)
        }

        deinit {
            console.stop()
            loop.stop()
        }

        /// Until the handler has noted the text.
        func wait(for text: String) async {
            for await note in handler.notes where note == text { return }
        }

        /// Until everything posted so far has run.
        func settle() async {
            await withCheckedContinuation { done in loop.post { done.resume() } }
        }
    }

    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return ends
    }

    /// Opens a descriptor as a number: Swift 6.0's optimizer fails on a `Descriptor` held while a `Bench` is made.
    static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = Glibc.open(path, flags)
        try #require(descriptor >= 0)
        return descriptor
    }

    private static func mode(_ descriptor: Int32) -> [UInt32] {
        var mode = termios()
        tcgetattr(descriptor, &mode)
        return [mode.c_iflag, mode.c_oflag, mode.c_lflag, mode.c_cflag]
    }

    static func link(_ target: String, _ path: String) {
        unlink(path)
        symlink(target, path)
    }

    static let version = Record.version(VersionRecord(version: "1"))

    private static func answering() -> ScriptedHandler {
        ScriptedHandler { command, _, reply in
            if command == .version { reply.send(version) }
            reply.finish(.done)
        }
    }

    @Test("commands from a pipe are answered without prompt or escape codes, and its end comes after the last answer")
    func pipes() async throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        let handler = ScriptedHandler { _, origin, reply in
            #expect(origin == .console("stdio"))
            Thread.detachNewThread {
                reply.send(Self.version)
                reply.finish(.done)
            }
        }
        do {
            let bench = try Bench(.stdio, input: input[0], output: output[1], handler: handler)
            _ = write(input[1], "version\nstatus\nnonsense\nversion", 31)
            close(input[1])
            try bench.console.start()
            await bench.wait(for: "ended")
            bench.console.announce(.saved(Examples.photo, time: "t"))
        }
        #expect(fcntl(input[0], F_GETFL) & O_NONBLOCK == 0)
        #expect(fcntl(output[1], F_GETFL) & O_NONBLOCK == 0)
        close(output[1])
        let shown = String(decoding: try Descriptor(owning: output[0]).read(upTo: 65536), as: UTF8.self)
        let lines = shown.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.first == "pinhole 1")
        #expect(lines.dropFirst(2).first?.hasPrefix("pinhole: usage: There is no command \"nonsense\"") == true)
        #expect(lines.last?.hasPrefix("saved 100-0001") == true)
        #expect(!shown.contains("\u{1B}"))
        #expect(handler.commands == [.version, .status, .version] && handler.ends == 1)
        close(input[0])
    }

    @Test("a file and /dev/null are input as well", arguments: ["version\nversion\n", nil])
    func files(content: String?) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/pinhole-input-\(UUID().uuidString)"
        defer { unlink(path) }
        if let content { try content.write(toFile: path, atomically: false, encoding: .utf8) }
        let input = try Self.open(content == nil ? "/dev/null" : path, O_RDONLY)
        defer { close(input) }
        let output = try Self.open("/dev/null", O_WRONLY)
        defer { close(output) }
        let bench = try Bench(.stdio, input: input, output: output, handler: Self.answering())
        try bench.console.start()
        await bench.wait(for: "ended")
        #expect(bench.handler.commands.count == (content == nil ? 0 : 2))
    }

    @Test("thousands of commands in a pipe wait for each other without piling up")
    func manyCommands() async throws {
        let input = try Self.pipe()
        let output = try Self.open("/dev/null", O_WRONLY)
        defer { close(output) }
        let bench = try Bench(.stdio, input: input[0], output: output, handler: Self.answering())
        try bench.console.start()
        Thread.detachNewThread {
            let line = Array("version\n".utf8)
            for _ in 0..<5000 { _ = write(input[1], line, line.count) }
            close(input[1])
        }
        await bench.wait(for: "ended")
        #expect(bench.handler.commands.count == 5000)
        close(input[0])
    }

    @Test("a pipe without a reader does not stop the camera")
    func pipeWithoutReader() async throws {
        signal(SIGPIPE, SIG_IGN)
        let input = try Self.pipe()
        let output = try Self.pipe()
        close(output[0])
        let bench = try Bench(.stdio, input: input[0], output: output[1], handler: Self.answering())
        try bench.console.start()
        _ = write(input[1], "version\nversion\n", 16)
        close(input[1])
        await bench.wait(for: "ended")
        #expect(bench.handler.commands.count == 2)
        close(output[1])
        close(input[0])
    }

    @Test("on a terminal what is typed is shown once, lines end in CR LF, and the terminal is given back as it was")
    func terminal() throws {
        let terminal = try PseudoTerminal()
        let shell = try Self.open(terminal.path, O_RDWR | O_NOCTTY)
        defer { close(shell) }
        let before = Self.mode(shell)
        do {
            let bench = try Bench(.stdio, input: shell, output: shell, handler: Self.answering())
            try bench.console.start()
            _ = try terminal.read(until: "pinhole> ")
            #expect(Self.mode(shell) != before)
            #expect(fcntl(shell, F_GETFL) & O_NONBLOCK == 0)
            try terminal.type("versoin\u{7F}\u{7F}\u{7F}ion\r")
            let shown = try terminal.read(until: "pinhole 1\r\n")
            #expect(shown.contains("pinhole> version\r\npinhole 1\r\n"))
        }
        #expect(Self.mode(shell) == before)
        #expect(fcntl(shell, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test("^D on a terminal ends the input; what is saved afterwards is still shown")
    func endOfInput() async throws {
        let terminal = try PseudoTerminal()
        let shell = try Self.open(terminal.path, O_RDWR | O_NOCTTY)
        defer { close(shell) }
        let bench = try Bench(.stdio, input: shell, output: shell)
        try bench.console.start()
        try terminal.type("\u{4}")
        await bench.wait(for: "ended")
        bench.console.announce(.saved(Examples.photo, time: "t"))
        #expect(try terminal.read(until: "412.5 ms\r\n").contains("saved 100-0001"))
    }

    @Test("^C cancels a command that follows, and the prompt comes back")
    func interrupt() throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(
            .terminal(path: terminal.path),
            handler: ScriptedHandler { command, _, reply in
                guard command.follows else { return reply.finish(.done) }
                reply.offer(.event(EventRecord(.ready, time: "t")))
                reply.onCancel { reply.finish(.done) }
            })
        try bench.console.start()
        _ = try terminal.read(until: "pinhole> ")
        try terminal.type("events --follow\r")
        _ = try terminal.read(until: "ready")
        try terminal.type("\u{3}")
        let shown = try terminal.read(until: "pinhole> ")
        #expect(shown.contains("^C\r\n"))
        #expect(bench.handler.ends == 0)
    }

    @Test("an event appears above the line being typed, which is shown again")
    func announcement() throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(.terminal(path: terminal.path))
        try bench.console.start()
        _ = try terminal.read(until: "pinhole> ")
        try terminal.type("list --li")
        _ = try terminal.read(until: "--li")
        bench.console.announce(.saved(Examples.photo, time: "t"))
        bench.console.announce(EventRecord(.pressed, time: "t"))
        let shown = try terminal.read(until: "pinhole> list --li")
        #expect(shown.hasPrefix("\r\u{1B}[Ksaved 100-0001"))
        #expect(!shown.contains("pressed"))
        try terminal.type("mit 1\r")
        _ = try terminal.read(until: "pinhole> ")
        #expect(bench.handler.commands == [.list(filter: nil, limit: 1)])
    }

    @Test("a console that starts silent shows nothing, not even news, until something is typed")
    func silent() throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(.terminal(path: terminal.path), handler: Self.answering(), startsSilent: true)
        try bench.console.start()
        bench.console.announce(.saved(Examples.photo, time: "t"))
        try terminal.type("\r")
        let shown = try terminal.read(until: "pinhole> ")
        #expect(!shown.contains("100-0001"))
        try terminal.type("version\r")
        _ = try terminal.read(until: "pinhole 1\r\n")
    }

    @Test("`exit` on a terminal device starts a new session and ends nothing")
    func exitOnDevice() throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(.terminal(path: terminal.path))
        try bench.console.start()
        _ = try terminal.read(until: "pinhole> ")
        try terminal.type("exit\r")
        _ = try terminal.read(until: "Pinhole console")
        #expect(bench.handler.ends == 0)
    }

    @Test("a terminal without a reader blocks nothing, and its unread output is dropped beyond the limit")
    func unreadTerminal() async throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(.terminal(path: terminal.path))
        try bench.console.start()
        for _ in 0..<20_000 { bench.console.announce(.saved(Examples.photo, time: "t")) }
        await bench.settle()
        try terminal.type("\u{3}status\r")
        var seen = 0
        while bench.handler.commands.isEmpty { seen += try terminal.person.read(upTo: 4096).count }
        #expect(seen < 1 << 20)
    }

    @Test("commands behind one whose answer was too long for a reader that does not read are still carried out")
    func unreadAnswer() async throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        let long = Record.version(VersionRecord(version: String(repeating: "1", count: 1 << 20)))
        let handler = ScriptedHandler { command, _, reply in
            if command == .version { for _ in 0..<9 { reply.send(long) } }
            reply.finish(.done)
        }
        let bench = try Bench(.stdio, input: input[0], output: output[1], handler: handler)
        _ = write(input[1], "version\nstatus\n", 15)
        close(input[1])
        try bench.console.start()
        await bench.wait(for: "ended")
        #expect(handler.commands == [.version, .status])
        bench.console.stop()
        for descriptor in [input[0], output[0], output[1]] { close(descriptor) }
    }

    @Test("what is no terminal is refused with 78, and nothing is written to it")
    func noTerminal() throws {
        let path = FileManager.default.temporaryDirectory.path + "/pinhole-file-\(UUID().uuidString)"
        defer { unlink(path) }
        try "precious".write(toFile: path, atomically: false, encoding: .utf8)
        let bench = try Bench(.terminal(path: path))
        let failure = failureOf { () throws(CommandFailure) in try bench.console.start() }
        #expect(failure?.exit == .configuration)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test("a console in JSON writes nothing but JSON")
    func json() async throws {
        let input = try Self.pipe()
        let output = try Self.pipe()
        do {
            let bench = try Bench(.stdio, input: input[0], output: output[1], handler: Self.answering(), json: true)
            _ = write(input[1], "version\nfrob\n", 13)
            close(input[1])
            try bench.console.start()
            await bench.wait(for: "ended")
            bench.console.announce(.saved(Examples.photo, time: "t"))
        }
        close(output[1])
        let shown = String(decoding: try Descriptor(owning: output[0]).read(upTo: 65536), as: UTF8.self)
        #expect(shown.split(separator: "\n").map { Record(json: String($0)) != nil } == [true, true, true])
        close(input[0])
    }
}

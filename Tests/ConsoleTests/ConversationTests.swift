import Foundation
import Glibc
import Platform
import Testing

@testable import Console

/// Commands that ask for lines, on a console and over the socket.
@Suite("Lines that a command asks for", .timeLimit(.minutes(10)))
struct ConversationTests {
    private static func photos(_ count: Int) -> [PhotoRecord] { (0..<count).map { PickMachineTests.photo($0 + 1) } }

    /// A camera with five photos, three on a page.
    private static func picking() -> ScriptedHandler {
        ScriptedHandler { command, _, reply in
            guard case .pick(_, let limit, let ordered) = command else {
                reply.send(.version(VersionRecord(version: "1")))
                return reply.finish(.done)
            }
            Task {
                var rest = photos(5)[...]
                do throws(CommandFailure) {
                    let picked = try await PickMachine.converse(
                        PickMachine(limit: limit, ordered: ordered), reply: reply
                    ) { () throws(CommandFailure) in
                        let page = Array(rest.prefix(3))
                        rest = rest.dropFirst(3)
                        return (page, !rest.isEmpty)
                    }
                    guard let picked else { throw CommandFailure(.userCancelled, "nothing was picked", apple: 3072) }
                    for photo in photos(5) where picked.contains(photo.id) { reply.send(.photo(photo)) }
                    reply.finish(.done)
                } catch {
                    reply.fail(error)
                }
            }
        }
    }

    // MARK: Socket

    private final class Bench: Sendable {
        let directory: String
        let loop: EventLoop
        let server: ControlServer

        init(_ handler: ScriptedHandler) throws {
            directory = FileManager.default.temporaryDirectory.path + "/pinhole-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            loop = try EventLoop()
            try loop.start()
            server = try ControlServer(path: directory + "/console.sock", loop: loop, handler: handler)
        }

        deinit {
            loop.post { [server] in _ = server.close() }
            loop.stop()
            try? FileManager.default.removeItem(atPath: directory)
        }

        var path: String { directory + "/console.sock" }

        /// Does what blocks on a thread of its own: the camera's side needs the pool's few threads.
        static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await withCheckedThrowingContinuation { done in
                Thread.detachNewThread { done.resume(with: Result { try body() }) }
            }
        }

        /// Holds a conversation as the shell's command does: a line for each that is asked for.
        func converse(
            _ words: [String], _ lines: [String]
        ) async throws -> (records: [Record], exit: Int32, left: Int) {
            try await Self.onThread { [path, directory] in
                try Self.converse(path, directory, words, lines)
            }
        }

        private static func converse(
            _ path: String, _ directory: String, _ words: [String], _ lines: [String]
        ) throws -> (records: [Record], exit: Int32, left: Int) {
            let client = try ControlClient.connect(path: path, state: directory)
            try client.send(words)
            var rest = lines[...]
            var records: [Record] = []
            while true {
                switch try client.next() {
                case .exit(let status): return (records, status, rest.count)
                case .record(_, let record):
                    if case .input = record { try client.answer(rest.popFirst()) }
                    if let record { records.append(record) }
                }
            }
        }

        /// Sends bytes as they are and returns all lines up to the end.
        func raw(_ bytes: String, halfClose: Bool = true) async throws -> [String] {
            try await Self.onThread { [path] in try Self.raw(path, bytes, halfClose: halfClose) }
        }

        private static func raw(_ path: String, _ bytes: String, halfClose: Bool) throws -> [String] {
            let descriptor = try ControlSocket.connect(path)
            try descriptor.writeAll(Array(bytes.utf8))
            if halfClose { shutdown(descriptor.raw, Int32(SHUT_WR)) }
            var received: [UInt8] = []
            while let part = try? descriptor.read(upTo: 65536), !part.isEmpty { received += part }
            return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private static func picked(_ records: [Record]) -> [String] {
        records.compactMap { if case .photo(let photo) = $0 { photo.id } else { nil } }
    }

    @Test("over the socket each line is asked for, and the photos picked come last")
    func socket() async throws {
        let bench = try Bench(Self.picking())
        let (records, exit, left) = try await bench.converse(
            ["pick", "--limit", "0"], ["1 5", "n", "5 x", "5", "", "spare"])
        #expect(exit == 0 && left == 1)
        #expect(Self.picked(records) == ["id5"])
        #expect(records.count { if case .input = $0 { true } else { false } } == 5)
        #expect(records.count { if case .choice = $0 { true } else { false } } == 5)
    }

    @Test("the end of what the client sends cancels with 77")
    func socketEnd() async throws {
        let bench = try Bench(Self.picking())
        let (records, exit, _) = try await bench.converse(["pick"], ["1"])
        #expect(exit == 77)
        guard case .error(let error)? = records.last else {
            Issue.record("no error")
            return
        }
        #expect(error.error.code == "user-cancelled" && error.error.apple == 3072)
    }

    @Test("lines sent ahead are taken as asked for, and what follows them is the next command")
    func socketAhead() async throws {
        let bench = try Bench(Self.picking())
        let lines = try await bench.raw("version\npick\n2\r\n\nversion\npick\n3")
        let ends = lines.filter { $0.hasPrefix("{\"exit\"") }
        #expect(ends == ["{\"exit\":0}", "{\"exit\":0}", "{\"exit\":0}", "{\"exit\":77}"])
        #expect(Self.picked(lines.compactMap { Record(json: $0) }) == ["id2"])
    }

    @Test("a line that is too long is the end of the input, and of the connection")
    func socketTooLong() async throws {
        let bench = try Bench(Self.picking())
        let lines = try await bench.raw("pick\n" + String(repeating: "1 ", count: 4000), halfClose: false)
        #expect(lines.filter { $0.hasPrefix("{\"exit\"") } == ["{\"exit\":77}", "{\"exit\":64}"])
    }

    @Test("when the client disconnects while a line is awaited, the command is notified once and canceled")
    func socketGone() async throws {
        let answers = AsyncStream<String>.makeStream()
        let asking = ScriptedHandler { _, _, reply in
            reply.readLine(prompt: "> ") { line in
                answers.continuation.yield("\(line ?? "nil") \(reply.isCancelled)")
                // The client is gone: the callback comes at once.
                reply.readLine(prompt: "> ") { answers.continuation.yield($0 ?? "nil") }
                answers.continuation.finish()
            }
        }
        let bench = try Bench(asking)
        do {
            let client = try ControlClient.connect(path: bench.path, state: bench.directory)
            try client.send(["pick"])
            _ = try client.next()
        }
        var received: [String] = []
        for await answer in answers.stream { received.append(answer) }
        #expect(received == ["nil true", "nil"])
    }

    @Test("a command that ends while it waits for a line gets nil")
    func finishedWhileWaiting() async throws {
        let answers = AsyncStream<String>.makeStream()
        let bench = try Bench(
            ScriptedHandler { _, _, reply in
                reply.readLine(prompt: "> ") { answers.continuation.yield($0 ?? "nil") }
                reply.finish(.done)
                reply.readLine(prompt: "> ") { answers.continuation.yield($0 ?? "nil") }
                answers.continuation.finish()
            })
        #expect(try await bench.converse(["pick"], []).exit == 0)
        var received: [String] = []
        for await answer in answers.stream { received.append(answer) }
        #expect(received == ["nil", "nil"])
    }

    // MARK: Console

    /// What a console on a pipe shows for an input.
    private static func show(_ input: String, json: Bool = false) async throws -> (shown: String, commands: [Command]) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        var outputs: [Int32] = [0, 0]
        try #require(Glibc.pipe(&outputs) == 0)
        let handler = picking()
        do {
            let loop = try EventLoop()
            try loop.start()
            defer { loop.stop() }
            let console = TerminalConsole(
                .stdio, standard: (ends[0], outputs[1]), firstPause: .milliseconds(1), loop: loop, handler: handler,
                json: json)
            _ = write(ends[1], input, input.utf8.count)
            close(ends[1])
            try console.start()
            for await note in handler.notes where note == "ended" { break }
            console.stop()
        }
        close(outputs[1])
        close(ends[0])
        var shown: [UInt8] = []
        let output = Descriptor(owning: outputs[0])
        while case let part = try output.read(upTo: 65536), !part.isEmpty { shown += part }
        return (String(decoding: shown, as: UTF8.self), handler.commands)
    }

    @Test("from a pipe the lines after the command are its own, and then come commands again")
    func pipe() async throws {
        let (shown, commands) = try await Self.show("pick --limit 2 --ordered\nn\n5 1\n\nversion\n")
        #expect(commands == [.pick(filter: nil, limit: 2, ordered: true), .version])
        #expect(shown.contains("\n5     [ ]    100-1005"))
        #expect(shown.contains("\n2 of at most 2 picked: 100-1005 100-1001.\n"))
        #expect(shown.hasSuffix("picked 100-1005  /state/library/DCIM/100PINHL/PINH0001.JPG\npinhole 1\n"))
        #expect(!shown.contains("\u{1B}") && !shown.contains("pick> "))
    }

    @Test("the end of a pipe gives the last line, then cancels")
    func pipeEnd() async throws {
        let (shown, commands) = try await Self.show("pick\n2")
        #expect(commands.count == 1)
        #expect(shown.contains("1 picked: 100-1002."))
        #expect(shown.hasSuffix("pinhole: user-cancelled: nothing was picked\n"))
    }

    @Test("in JSON each line is asked for with a record, and there is nothing else")
    func pipeJSON() async throws {
        let (shown, _) = try await Self.show("pick\n2\n\n", json: true)
        let records = shown.split(separator: "\n").map { Record(json: String($0)) }
        #expect(records.allSatisfy { $0 != nil })
        #expect(records.count { if case .input? = $0 { true } else { false } } == 2)
        #expect(Self.picked(records.compactMap { $0 }) == ["id2"])
    }

    @Test("hundreds of lines in a pipe are taken one after another")
    func manyLines() async throws {
        let (shown, _) = try await Self.show("pick --limit 0\n" + String(repeating: "1\n", count: 999) + "\nversion\n")
        #expect(shown.split(separator: "\n").suffix(2).map(String.init).last == "pinhole 1")
        #expect(shown.components(separatedBy: "Nothing is picked.").count == 500)
        #expect(shown.contains("picked 100-1001"))
    }
}

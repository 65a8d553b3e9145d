import Foundation
import Glibc
import Platform
import Synchronization
import Testing

@testable import Console

@Suite("Control socket", .timeLimit(.minutes(10)))
struct ControlServerTests {
    /// A server on a folder of its own, with its loop.
    private final class Bench: Sendable {
        let directory: String
        let loop: EventLoop
        let server: ControlServer
        let handler: ScriptedHandler

        var path: String { directory + "/console.sock" }

        init(
            limits: ControlServer.Limits = .init(), handler: ScriptedHandler = ScriptedHandler(),
            before: (String) throws -> Void = { _ in },
            accept: @escaping @Sendable (borrowing Descriptor) throws(SystemError) -> Descriptor = Descriptor.accept
        ) throws {
            directory = FileManager.default.temporaryDirectory.path + "/pinhole-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            try before(directory + "/console.sock")
            loop = try EventLoop()
            try loop.start()
            self.handler = handler
            server = try ControlServer(
                path: directory + "/console.sock", loop: loop, handler: handler, limits: limits, accept: accept)
        }

        deinit {
            loop.post { [server] in _ = server.close() }
            loop.stop()
            try? FileManager.default.removeItem(atPath: directory)
        }

        func client() throws(CommandFailure) -> ControlClient { try .connect(path: path, state: directory) }

        /// One command's whole answer.
        func ask(_ words: [String]) throws -> (records: [Record?], exit: Int32) {
            let client = try client()
            try client.send(words)
            return try Self.answer(client)
        }

        static func answer(_ client: ControlClient) throws -> (records: [Record?], exit: Int32) {
            var records: [Record?] = []
            while true {
                switch try client.next() {
                case .record(_, let record): records.append(record)
                case .exit(let status): return (records, status)
                }
            }
        }

        /// Sends bytes as they are, half-closes, and returns all lines up to the end.
        func raw(_ bytes: [UInt8], halfClose: Bool = true) throws -> [String] {
            let descriptor = try ControlSocket.connect(path)
            var rest = bytes
            while !rest.isEmpty, let count = try? descriptor.send(rest) { rest.removeFirst(count) }
            if halfClose { shutdown(descriptor.raw, Int32(SHUT_WR)) }
            var received: [UInt8] = []
            while let part = try? descriptor.read(upTo: 65536), !part.isEmpty { received += part }
            return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private static let version = Record.version(VersionRecord(version: "1"))

    @Test("a command is answered with its records and its exit status")
    func answer() throws {
        let bench = try Bench(
            handler: ScriptedHandler { command, origin, reply in
                #expect(origin == .socket)
                reply.send(Self.version)
                reply.send(.photo(Examples.photo))
                reply.finish(.noSuchPhoto)
            })
        let (records, exit) = try bench.ask(["list", "--filter", "since:2026-11-30T09:15"])
        #expect(records == [Self.version, .photo(Examples.photo)])
        #expect(exit == 66)
        let time = try TimeArgument("2026-11-30T09:15")
        #expect(bench.handler.commands == [.list(filter: .since(time), limit: nil)])
    }

    @Test("a failure is an error record with its status; what comes after the end is not sent")
    func failure() throws {
        let bench = try Bench(
            handler: ScriptedHandler { _, _, reply in
                reply.fail(Examples.failure)
                reply.send(Self.version)
                reply.finish(.done)
            })
        let (records, exit) = try bench.ask(["status"])
        #expect(records == [.error(ErrorRecord(Examples.failure))])
        #expect(exit == 66)
        #expect(try bench.ask(["status"]).exit == 66)
    }

    @Test("help is answered without the camera; run and nonsense are refused with 64")
    func withoutCamera() throws {
        let bench = try Bench()
        #expect(try bench.ask(["help", "list"]).exit == 0)
        #expect(try bench.ask(["run"]).exit == 64)
        #expect(try bench.ask(["frobnicate"]).exit == 64)
        #expect(bench.handler.commands.isEmpty)
    }

    @Test("answers may come later and from another thread")
    func later() throws {
        let bench = try Bench(
            handler: ScriptedHandler { _, _, reply in
                Thread.detachNewThread {
                    reply.send(Self.version)
                    reply.finish(.done)
                }
            })
        #expect(try bench.ask(["status"]).records == [Self.version])
    }

    @Test("several commands on one connection are answered one after another, the last without its line's end")
    func several() throws {
        let bench = try Bench(
            handler: ScriptedHandler { command, _, reply in
                if command == .version { reply.send(Self.version) }
                reply.finish(.done)
            })
        let lines = try bench.raw(Array("status\r\nversion\n\nstatus".utf8))
        #expect(lines.count == 6)
        #expect(lines.first == "{\"exit\":0}")
        #expect(lines.dropFirst().first == Self.version.json)
        #expect(lines.dropFirst(3).first?.contains("usage") == true)
        #expect(bench.handler.commands == [.status, .version, .status])
    }

    @Test("a line over 4 KiB is refused and the connection ended, with or without its end")
    func tooLong() throws {
        let bench = try Bench()
        for end in ["", "\nstatus\n"] {
            let lines = try bench.raw(Array((String(repeating: "a", count: 5000) + end).utf8), halfClose: false)
            #expect(lines.count == 2)
            #expect(lines.last == "{\"exit\":64}")
        }
        #expect(bench.handler.commands.isEmpty)
        #expect(try bench.ask(["status"]).exit == 0)
    }

    @Test("bytes that are no text are a usage error")
    func noText() throws {
        let bench = try Bench()
        let lines = try bench.raw([0xFF, 0x00, 0x1B, 0x80, 0x0A, 0x00, 0x0A])
        #expect(lines.filter { $0 == "{\"exit\":64}" }.count == 2)
        #expect(lines.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 0x20 } })
    }

    @Test("clients that come and go without a word harm nothing")
    func silentClients() throws {
        let bench = try Bench()
        for index in 0..<200 {
            let descriptor = try ControlSocket.connect(bench.path)
            if index % 2 == 0 { _ = try descriptor.send(Array("stat".utf8)) }
        }
        #expect(try bench.ask(["status"]).exit == 0)
    }

    @Test("a client that vanishes cancels its command, and others are answered")
    func vanishes() async throws {
        let cancelled = AsyncStream<Bool>.makeStream()
        let bench = try Bench(
            handler: ScriptedHandler { command, _, reply in
                guard command.follows else { return reply.finish(.done) }
                reply.send(Self.version)
                reply.onCancel { cancelled.continuation.yield(reply.isCancelled) }
            })
        do {
            let client = try bench.client()
            try client.send(["events", "--follow"])
            _ = try client.next()
        }
        var iterator = cancelled.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect(try bench.ask(["status"]).exit == 0)
    }

    @Test("a client that never reads is cut off at the limit of its queue, and its command is canceled")
    func neverReads() async throws {
        var limits = ControlServer.Limits()
        limits.queueBytes = 1 << 20
        let cancelled = AsyncStream<Int>.makeStream()
        let bench = try Bench(
            limits: limits,
            handler: ScriptedHandler { command, _, reply in
                guard command == .list(filter: nil, limit: nil) else { return reply.finish(.done) }
                Thread.detachNewThread {
                    var sent = 0
                    while !reply.isCancelled, sent < 100_000 {
                        reply.send(.photo(Examples.photo))
                        sent += 1
                    }
                    cancelled.continuation.yield(sent)
                }
            })
        let descriptor = try ControlSocket.connect(bench.path)
        _ = try descriptor.send(Array("list\n".utf8))
        var iterator = cancelled.stream.makeAsyncIterator()
        let sent = await iterator.next() ?? 0
        #expect(sent > 1000 && sent < 100_000)
        #expect(try bench.ask(["status"]).exit == 0)
    }

    @Test("a slow follower keeps its connection and gets the number of events it missed")
    func slowFollower() throws {
        let bench = try Bench(
            handler: ScriptedHandler { command, _, reply in
                for index in 0..<50_000 {
                    reply.offer(.event(EventRecord(.saved, time: "t", fields: ["id": .integer(Int64(index))])))
                }
                reply.finish(.done)
            })
        let (records, exit) = try bench.ask(["events", "--follow"])
        #expect(exit == 0)
        var missed: Int64 = 0
        for case .event(let event)? in records {
            if event.name == .dropped, case .integer(let count) = event.fields["count"] { missed += count }
        }
        let seen = records.count { if case .event(let event)? = $0 { event.name == .saved } else { false } }
        #expect(missed > 0)
        #expect(seen + Int(missed) == 50_000)
        #expect(records.last == .event(EventRecord(.saved, time: "t", fields: ["id": .integer(49_999)])))
    }

    @Test("one client too many gets a request to try again, and the place of a client that left is free")
    func tooMany() throws {
        var limits = ControlServer.Limits()
        limits.connections = 2
        let bench = try Bench(limits: limits)
        do {
            let first = try bench.client()
            let second = try bench.client()
            for _ in 0..<2 {
                try first.send(["status"])
                try second.send(["status"])
                #expect(try Bench.answer(first).exit == 0)
                #expect(try Bench.answer(second).exit == 0)
            }
            let (records, exit) = try bench.ask(["status"])
            #expect(exit == 75)
            guard case .error(let error)? = records.first ?? nil else {
                Issue.record("no error")
                return
            }
            #expect(error.error.code == "busy" && error.error.retry)
        }
        // The loop notices the two that left before it notices a new one.
        #expect(try bench.ask(["status"]).exit == 0)
    }

    @Test("many clients at once are all answered")
    func many() async throws {
        let bench = try Bench(
            handler: ScriptedHandler { command, _, reply in
                if case .get(let key) = command {
                    reply.send(.setting(SettingRecord(key: key ?? "", value: .null, source: "set")))
                }
                reply.finish(.done)
            })
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for client in 0..<16 {
                group.addTask {
                    let connection = try bench.client()
                    for request in 0..<50 {
                        let key = "\(client).\(request)"
                        try connection.send(["get", key])
                        let (records, _) = try Bench.answer(connection)
                        guard records == [.setting(SettingRecord(key: key, value: .null, source: "set"))] else {
                            return false
                        }
                    }
                    return true
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(bench.handler.commands.count == 800)
    }

    @Test("a connection without a command is closed after a while")
    func idle() throws {
        var limits = ControlServer.Limits()
        limits.idle = .milliseconds(1)
        let bench = try Bench(limits: limits)
        #expect(try bench.raw([], halfClose: false).isEmpty)
    }

    @Test("running out of descriptors stops accepting for a while, and no longer")
    func noDescriptors() throws {
        var limits = ControlServer.Limits()
        limits.acceptPause = .milliseconds(1)
        let remaining = Failures()
        let bench = try Bench(
            limits: limits,
            accept: { (listener) throws(SystemError) in
                if remaining.next() { throw SystemError(code: EMFILE, operation: "accept a connection") }
                return try Descriptor.accept(listener)
            })
        #expect(try bench.ask(["status"]).exit == 0)
        #expect(!remaining.next())
    }

    private final class Failures: Sendable {
        private let left = Mutex(3)
        func next() -> Bool {
            left.withLock { left in
                guard left > 0 else { return false }
                left -= 1
                return true
            }
        }
    }

    @Test("the socket is open to user and group only, and gone when the server stops")
    func file() async throws {
        let bench = try Bench()
        var information = stat()
        #expect(lstat(bench.path, &information) == 0)
        #expect(information.st_mode & 0o777 == 0o660)
        await bench.server.stop()
        #expect(lstat(bench.path, &information) != 0)
    }

    @Test("a socket that a dead camera left is replaced; one that answers, or another file, is not")
    func inTheWay() throws {
        let stale = try Bench(before: { _ = try ControlSocket.listen($0) })
        #expect(try stale.ask(["status"]).exit == 0)

        let failure = failureOf { () throws(CommandFailure) in
            try ControlServer(path: stale.path, loop: stale.loop, handler: stale.handler)
        }
        #expect(failure?.code == "in-use" && failure?.exit == .tryAgain)
        #expect(try stale.ask(["status"]).exit == 0)

        #expect(throws: CommandFailure.self) {
            _ = try Bench(before: { try "precious".write(toFile: $0, atomically: false, encoding: .utf8) })
        }
    }

    @Test("a stopped server cancels what runs and cuts its clients off")
    func stops() async throws {
        let bench = try Bench(handler: ScriptedHandler { _, _, reply in reply.send(Self.version) })
        let client = try bench.client()
        try client.send(["events", "--follow"])
        _ = try client.next()
        await bench.server.stop()
        let failure = failureOf { () throws(CommandFailure) in try client.next() }
        #expect(failure?.code == "unavailable" && failure?.exit == .unavailable)
    }

    @Test("without a camera the client says how to start one, with 69")
    func noCamera() throws {
        let failure = failureOf { () throws(CommandFailure) in
            try ControlClient.connect(path: "/tmp/pinhole-none/console.sock", state: "/s")
        }
        #expect(failure?.exit == .unavailable && failure?.code == "not-running")
        #expect(failure?.message == "no camera is running on /s: start one with `pinhole run --state /s`.")
    }
}

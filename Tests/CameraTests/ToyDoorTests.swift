import Capture
import Configuration
import Console
import Foundation
import Offload
import Photos
import PinholeTesting
import Platform
import SimulatedSensor
import Synchronization
import Testing

@testable import Camera

/// A door with all that a door can bring: a client, a key, a field of `status` and a command.
private final class ToyDoor: Door {
    private static let greeting = ConfigurationKey(
        "toy.greeting", .text(limit: 40), default: .text("hello"), settable: true, "What the toy door says.")
    private let context = Mutex<DoorContext?>(nil)

    let clients = [
        ConfiguredClient("toy", purpose: "plays with the photos", onHold: .limited, isRemembered: true)
    ]
    let keys = [greeting]

    var additions: CommandGrammar.Additions {
        var additions = CommandGrammar.Additions()
        additions.entries = [
            CommandGrammar.Entry(
                door: "toy", usage: ["toy [shoot|frame]"], summary: "Greet, take a photo, or look at a frame.",
                words: 0...1
            )
        ]
        return additions
    }

    var status: [String: FieldValue] { ["toy": .string(context.withLock { $0 } == nil ? "closed" : "open")] }

    func start(_ context: DoorContext) async throws(CommandFailure) {
        self.context.withLock { $0 = context }
    }

    func stop() async { context.withLock { $0 = nil } }

    func perform(_ command: DoorCommand) async throws(CommandFailure) -> DoorRecord {
        guard let context = context.withLock({ $0 }) else { throw .starting }
        switch command.words.first {
        case "shoot":
            let client = context.sessions.begin("toy", isNumbered: false)
            let isSaved: Bool = await withCheckedContinuation { continuation in
                do throws(OffloadError) {
                    try context.sessions.takePhoto(for: client) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(returning: false)
                }
            }
            return DoorRecord(["toy": .bool(isSaved)], message: isSaved ? "saved" : "refused")
        case "frame":
            let width = context.newestFrame()?.layout.width
            return DoorRecord(["toy": .integer(Int64(width ?? 0))], message: "the newest frame")
        default:
            let greeting = context.settings().text(Self.greeting)
            return DoorRecord(["toy": .string(greeting)], message: greeting)
        }
    }
}

@Suite("A door that is one target and one line", .timeLimit(.minutes(10)))
struct ToyDoorTests {
    /// A camera with the doors of the program and one more.
    private final class Fixture: Sendable {
        let camera: CameraInProcess
        let doors: [any Door]
        let service: CommandService

        init(toy: ToyDoor, greeting: String = "good morning") async throws {
            // The one line.
            doors = programDoors + [toy]
            let drivers = [SimulatedDriver()]
            let schema = ConfigurationSchema(doors: doors, drivers: drivers)
            camera = try await CameraInProcess(
                CameraConfiguration(schema: schema).setting(["toy.greeting": .text(greeting)]))
            service = CommandService(
                appliance: camera.appliance, doors: doors, grammar: CommandGrammar(doors: doors, drivers: drivers),
                standAlone: StandAloneCommands(
                    doctor: { _ in [] }, check: { (_) throws(CommandFailure) in throw .unknown }), onConsoleEnd: {})
        }

        /// The records that a line typed on a console gives.
        func records(_ line: String) async throws -> [Record] {
            let words = line.split(separator: " ").map(String.init)
            let command = try service.grammar.parse(words, console: true).command
            let reply = RecordingReply()
            service.handle(command, origin: .console("test"), reply: reply)
            return await reply.all()
        }
    }

    /// Collects a reply.
    private final class RecordingReply: ReplySink {
        private let records = Recorder<Record?>()

        func all() async -> [Record] {
            await records.until { $0.contains { $0 == nil } }.compactMap { $0 }
        }

        func send(_ record: Record) { records.add(record) }
        func offer(_ record: Record) { records.add(record) }
        func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void) { body(nil) }
        func finish(_ status: Console.ExitStatus) { records.add(nil) }
        let isCancelled = false
        let queuedBytes = 0
        func onCancel(_ body: @escaping @Sendable () -> Void) {}
    }

    @Test("status, clients, help and the configuration reader see it")
    func seen() async throws {
        let toy = ToyDoor()
        let fixture = try await Fixture(toy: toy)
        func status() async throws -> String { try await fixture.records("status")[0].json }
        #expect(try await status().contains(#""toy":"closed""#))
        try await toy.start(fixture.camera.doorContext())
        #expect(try await status().contains(#""toy":"open""#))
        #expect(try await fixture.records("clients").contains { $0.json.contains(#""name":"toy""#) })
        #expect(fixture.service.grammar.help("toy", console: true).contains("toy [shoot|frame]"))
        let path = NSTemporaryDirectory() + "toy-\(UUID().uuidString).conf"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let schema = ConfigurationSchema(doors: fixture.doors, drivers: [])
        func read(_ text: String) throws -> CameraConfiguration {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return try CameraConfiguration.load(
                path: path, over: CameraConfiguration(schema: schema), files: PosixFileOperations())
        }
        let key = try #require(schema.key("toy.greeting"))
        #expect(try read("toy: { greeting = \"hi\"; };").text(key) == "hi")
        #expect(throws: ConfigurationError.self) { try read("toy: { greting = \"hi\"; };") }
        #expect(throws: ConfigurationError.self) { try read("toy: { greeting = 3; };") }
        await toy.stop()
        try await fixture.camera.end()
    }

    @Test("its command takes photos, sees frames and settings, and its client needs consent to take one")
    func command() async throws {
        let toy = ToyDoor()
        let fixture = try await Fixture(toy: toy)
        #expect(try await fixture.records("toy")[0].json.contains("starting"))
        try await toy.start(fixture.camera.doorContext())
        #expect(try await fixture.records("toy")[0].json.contains(#""toy":"good morning""#))
        await fixture.camera.until { $0.stream.output.newestFrame != nil }
        #expect(try await fixture.records("toy frame")[0].json.contains(#""toy":640"#))
        #expect(try await fixture.records("allow toy limited")[0].json.contains(#""level":"limited""#))
        #expect(try await fixture.records("toy shoot")[0].json.contains(#""toy":true"#))
        let toyLibrary = fixture.camera.doorContext().library(as: .named("toy"))
        #expect(try await toyLibrary.fetchAssets().assets.count == 1)
        await toy.stop()
        try await fixture.camera.end()
    }
}

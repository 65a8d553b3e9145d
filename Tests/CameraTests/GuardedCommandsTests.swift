import Configuration
import Console
import Photos
import Platform
import Synchronization
import USB
import Testing

@testable import Camera

@Suite("The console of a computer at the USB port", .timeLimit(.minutes(10)))
struct GuardedCommandsTests {
    /// Carries out every command by noting it down.
    private final class Noting: CommandHandler {
        private let commands = Mutex<[Command]>([])

        /// What has come, in its order.
        var noted: [Command] { commands.withLock { $0 } }

        func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
            commands.withLock { $0.append(command) }
            reply.finish(.done)
        }

        let grammar = CommandGrammar()
        func consoleEnded() {}
    }

    /// The client at the port.
    private final class ConnectedClient: Sendable {
        private let state: Mutex<Client?>

        init(_ client: Client? = nil) {
            state = Mutex(client)
        }

        var client: Client? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// The status that a command ends with.
    private final class Status: ReplySink {
        let ended: AsyncStream<Console.ExitStatus>
        private let end: AsyncStream<Console.ExitStatus>.Continuation
        private let isGivenUp: Bool

        init(isGivenUp: Bool = false) {
            (ended, end) = AsyncStream.makeStream()
            self.isGivenUp = isGivenUp
        }

        func send(_ record: Record) {}
        func offer(_ record: Record) {}
        func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void) { body(nil) }
        func finish(_ status: Console.ExitStatus) {
            end.yield(status)
            end.finish()
        }
        var isCancelled: Bool { isGivenUp }
        var queuedBytes: Int { 0 }
        func onCancel(_ body: @escaping @Sendable () -> Void) {}
    }

    @Test("nothing is carried out before the owner holds the button, nor after the client session, nor after a refusal")
    func consent() async throws {
        var configuration = CameraConfiguration(schema: .doors())
        configuration.button.consentHold = .milliseconds(600)
        let camera = try await CameraInProcess(configuration)
        let store = camera.appliance.parts.store
        let noting = Noting()
        let port = ConnectedClient()
        let guarded = GuardedCommands(noting, store: store) { port.client }
        func result(of command: Command) async -> Console.ExitStatus? {
            let status = Status()
            guarded.handle(command, origin: .console("usb"), reply: status)
            return await status.ended.first { _ in true }
        }
        #expect(await result(of: .status) == .notPermitted, "nobody is there")

        let client = Client.session("usb-console", 1)
        store.beginSession(client)
        port.client = client
        async let first = result(of: .status)
        #expect(try await camera.next(.prompt).text("client") == "usb-console")
        #expect(!guarded.isOpen && noting.noted.isEmpty)
        await camera.until { $0.panel.patternName == "console-prompt" }
        camera.appliance.panel.press(.shutter, hold: .milliseconds(900), bounce: .zero) { _ in }
        #expect(await first == .done)
        #expect(await result(of: .version) == .done)
        #expect(guarded.isOpen)
        #expect(noting.noted == [Command.status, Command.version])

        store.endSession(client)
        #expect(!guarded.isOpen, "the cable was pulled")
        let next = Client.session("usb-console", 2)
        store.beginSession(next)
        port.client = next
        try await store.setGrant(next, level: .nothing)
        #expect(await result(of: .status) == .notPermitted)
        #expect(noting.noted.count == 2)
        try await camera.end()
    }

    @Test("while the owner is asked because of one command no other one waits for the answer")
    func oneQuestion() async throws {
        var configuration = CameraConfiguration(schema: .doors())
        configuration.button.consentHold = .milliseconds(600)
        let camera = try await CameraInProcess(configuration)
        let store = camera.appliance.parts.store
        let client = Client.session("usb-console", 1)
        store.beginSession(client)
        let noting = Noting()
        let guarded = GuardedCommands(noting, store: store) { client }
        func result(of command: Command, isGivenUp: Bool = false) async -> Console.ExitStatus? {
            let status = Status(isGivenUp: isGivenUp)
            guarded.handle(command, origin: .console("usb"), reply: status)
            return await status.ended.first { _ in true }
        }
        async let first = result(of: .status, isGivenUp: true)
        _ = try await camera.next(.prompt)
        for _ in 0..<100 { #expect(await result(of: .version) == .notPermitted) }
        await camera.until { $0.panel.patternName == "console-prompt" }
        camera.appliance.panel.press(.shutter, hold: .milliseconds(900), bounce: .zero) { _ in }
        // The owner has allowed the console, but nobody wants that command any more.
        #expect(await first != .done)
        #expect(noting.noted.isEmpty)
        #expect(await result(of: .version) == .done)
        try await camera.end()
    }

    @Test("what the owner allowed one computer is not carried out for the next")
    func nextComputer() async throws {
        let camera = try await CameraInProcess()
        let store = camera.appliance.parts.store
        let (client, next) = (Client.session("usb-console", 1), Client.session("usb-console", 2))
        for each in [client, next] { store.beginSession(each) }
        let port = ConnectedClient(client)
        let noting = Noting()
        let guarded = GuardedCommands(noting, store: store) { port.client }
        let status = Status()
        guarded.handle(.status, origin: .console("usb"), reply: status)
        _ = try await camera.next(.prompt)
        port.client = next
        try await store.setGrant(client, level: .full)
        #expect(await status.ended.first { _ in true } == .notPermitted)
        #expect(noting.noted.isEmpty)
        try await camera.end()
    }
}

import Console
import Photos
import Platform
import Synchronization

/// The console of a computer at the USB port: carries out nothing until the owner has allowed that computer the console.
///
/// Who has the other end of a cable does not hold the camera: without this, a computer could allow itself the photos.
final class GuardedCommands: CommandHandler {
    private let commands: any CommandHandler
    private let store: LibraryStore
    private let visit: @Sendable () -> Client?
    private let isAsking = Mutex(false)

    /// A guard before a handler.
    ///
    /// - Parameter visit: who is at the port; nil for nobody.
    init(_ commands: any CommandHandler, store: LibraryStore, visit: @escaping @Sendable () -> Client?) {
        self.commands = commands
        self.store = store
        self.visit = visit
    }

    /// True when who is at the port may use the console. Never blocks.
    var isOpen: Bool {
        guard let client = visit() else { return false }
        return store.authorizationStatus(for: .readWrite, client: client) == .authorized
    }

    func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        if isOpen { return commands.handle(command, origin: origin, reply: reply) }
        guard let client = visit() else {
            return reply.fail(CommandFailure(.notPermitted, "this console is for a computer at the USB port"))
        }
        // A command, and not what a computer sends to find a modem: only that asks the owner. One at a time waits for
        // the answer: a computer can give commands up, and begin others, faster than anybody can count them.
        let isAsking = isAsking.withLock { isAsking in
            defer { isAsking = true }
            return isAsking
        }
        if isAsking { return reply.fail(Self.needsConsent) }
        Task { [self] in
            let status = await store.requestAuthorization(for: .readWrite, client: client)
            self.isAsking.withLock { $0 = false }
            // Nobody may want it any more, and somebody else may be there now.
            guard status == .authorized, !reply.isCancelled, visit() == client else {
                return reply.fail(Self.needsConsent)
            }
            commands.handle(command, origin: origin, reply: reply)
        }
    }

    private static let needsConsent = CommandFailure(
        .notPermitted,
        "this console needs the owner's consent: hold the shutter button while the light asks, and try again")

    package var grammar: CommandGrammar { commands.grammar }

    func consoleEnded() {}
}

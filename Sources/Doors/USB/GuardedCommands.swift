import Console
import Photos
import Platform
import Synchronization

/// The console of a computer at the USB port. It carries out nothing until the owner has allowed that computer the console.
///
/// The other end of a cable is not in the hands of the person who holds the camera: without this guard, a computer could
/// allow itself the photos.
package final class GuardedCommands: CommandHandler {
    private let commands: any CommandHandler
    private let store: LibraryStore
    private let session: @Sendable () -> Client?
    private let isAsking = Atomic(false)

    /// A guard before a handler.
    ///
    /// - Parameter session: the client at the port; nil while there is none.
    package init(_ commands: any CommandHandler, store: LibraryStore, session: @escaping @Sendable () -> Client?) {
        self.commands = commands
        self.store = store
        self.session = session
    }

    /// True when the computer at the port may use the console. Never blocks.
    package var isOpen: Bool {
        guard let client = session() else { return false }
        return store.authorizationStatus(for: .readWrite, client: client) == .authorized
    }

    package func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        if isOpen { return commands.handle(command, origin: origin, reply: reply) }
        guard let client = session() else {
            return reply.fail(CommandFailure(.notPermitted, "this console is for a computer at the USB port"))
        }
        // A command, and not what a computer sends to find a modem: only that asks the owner. One at a time waits for
        // the answer: a computer can abandon commands and begin others in any number.
        if isAsking.exchange(true, ordering: .acquiringAndReleasing) { return reply.fail(Self.needsConsent) }
        Task { [self] in
            let status = await store.requestAuthorization(for: .readWrite, client: client)
            isAsking.store(false, ordering: .releasing)
            // The request may be abandoned by now, and another computer may be connected.
            guard status == .authorized, !reply.isCancelled, session() == client else {
                return reply.fail(Self.needsConsent)
            }
            commands.handle(command, origin: origin, reply: reply)
        }
    }

    private static let needsConsent = CommandFailure(
        .notPermitted,
        "this console needs the owner's consent: hold the shutter button while the light asks, and try again")

    package var grammar: CommandGrammar { commands.grammar }

    package func consoleEnded() {}
}

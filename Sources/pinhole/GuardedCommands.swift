import Console
import Photos
import Platform

/// The console of a computer at the USB port: carries out nothing until the owner has allowed that computer the console.
///
/// Who has the other end of a cable does not hold the camera: without this, a computer could allow itself the photos.
final class GuardedCommands: CommandHandler {
    private let commands: any CommandHandler
    private let store: LibraryStore
    private let visit: @Sendable () -> Client?

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
        // A command, and not what a computer sends to find a modem: only that asks the owner.
        Task { [store] in
            let status = await store.requestAuthorization(for: .readWrite, client: client)
            if status == .authorized { return self.commands.handle(command, origin: origin, reply: reply) }
            reply.fail(
                CommandFailure(
                    .notPermitted,
                    "this console needs the owner's consent: hold the shutter button while the light asks, and try again"
                ))
        }
    }

    func consoleEnded() {}
}

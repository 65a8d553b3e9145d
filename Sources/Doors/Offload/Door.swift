import Configuration
import Console

/// A way into the camera for clients: a cable, a network protocol, a page.
///
/// A new door is one target with a type that adopts this protocol, and one line in the program's list. The configuration,
/// help, `status`, `clients` and the consoles ask the list.
package protocol Door: Sendable {
    /// The clients that come in, with what holds for them while the configuration does not name them.
    var clients: [ConfiguredClient] { get }
    /// Its keys of the configuration, in groups of its own.
    var keys: [ConfigurationKey] { get }
    /// Its commands, its options of `run`, and its rows in the text of `status`.
    var additions: CommandGrammar.Additions { get }
    /// Its fields of `status`. A key is null, not absent, while there is nothing to say.
    ///
    /// - Isolation: any thread; never blocks.
    var status: [String: FieldValue] { get }

    /// Lets clients in from now on, if the configuration says so.
    ///
    /// - Throws: why it cannot. The door is closed then, and `stop` is not called.
    func start(_ context: DoorContext) async throws(CommandFailure)
    /// Follows a configuration that was read again, and tries again what failed before.
    func reload() async
    /// Ends every client's session and accepts no further client.
    func stop() async
    /// Carries out a command of the door.
    func perform(_ command: DoorCommand) async throws(CommandFailure) -> DoorRecord
}

extension Door {
    package var clients: [ConfiguredClient] { [] }
    package var keys: [ConfigurationKey] { [] }
    package var additions: CommandGrammar.Additions { CommandGrammar.Additions() }
    package var status: [String: FieldValue] { [:] }

    package func reload() async {}

    package func perform(_ command: DoorCommand) async throws(CommandFailure) -> DoorRecord {
        throw .usage("this camera has no command \(command.name)")
    }
}

extension ConfiguredClient {
    /// A client of a door.
    ///
    /// - Parameter isRemembered: false for a client that cannot be recognized when it comes back: its grants end with its
    ///   session.
    package init(_ name: String, purpose: String, onHold: OnHold, isRemembered: Bool, isConsole: Bool = false) {
        self.init()
        (self.name, self.purpose, self.onHold) = (name, purpose, onHold)
        (self.isRemembered, self.isConsole) = (isRemembered, isConsole)
    }
}

extension CommandFailure {
    /// A command of a door came before the door was opened.
    package static let starting = CommandFailure(
        .starting, "the camera is starting; try again when the light is solid")
}

import Console
import Synchronization
import Testing

/// A camera for consoles and sockets to talk to: it answers as the test says.
final class ScriptedHandler: CommandHandler {
    typealias Answer = @Sendable (Command, CommandOrigin, any ReplySink) -> Void

    private struct State {
        var commands: [Command] = []
        var ends = 0
    }

    let grammar = CommandGrammar.withDoor
    private let state = Mutex(State())
    private let answer: Answer
    private let feed: AsyncStream<String>.Continuation
    /// What happened, for the test to wait on: `ended`, and whatever the answers note.
    let notes: AsyncStream<String>

    init(_ answer: @escaping Answer = { _, _, reply in reply.finish(.done) }) {
        self.answer = answer
        (notes, feed) = AsyncStream.makeStream(of: String.self)
    }

    /// What was asked, in order.
    var commands: [Command] { state.withLock { $0.commands } }
    var ends: Int { state.withLock { $0.ends } }

    /// Notifies a waiting test.
    func note(_ text: String) { feed.yield(text) }

    func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        state.withLock { $0.commands.append(command) }
        answer(command, origin, reply)
    }

    func consoleEnded() {
        state.withLock { $0.ends += 1 }
        note("ended")
    }
}

/// The failure that a call ends with. A call that does not fail is an issue.
func failureOf<Value: ~Copyable>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(CommandFailure) -> Value
) -> CommandFailure? {
    do throws(CommandFailure) {
        _ = try body()
    } catch {
        return error
    }
    Issue.record("did not fail", sourceLocation: sourceLocation)
    return nil
}

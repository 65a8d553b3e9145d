import Synchronization

/// Carries out the commands of sockets and consoles. The camera implements it.
package protocol CommandHandler: AnyObject, Sendable {
    /// The commands that it knows.
    var grammar: CommandGrammar { get }

    /// Carries out one command. `help` and `exit` never arrive here.
    ///
    /// - Isolation: called on the event loop's thread; it must not block. The reply may be used from any thread, and
    ///   must be finished exactly once.
    func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink)

    /// The console on standard input and output has ended, after its last command was finished.
    ///
    /// - Isolation: called on the event loop's thread; it must not block.
    func consoleEnded()
}

/// Where a command comes from.
package enum CommandOrigin: Hashable, Sendable {
    /// The control socket of the state folder.
    case socket
    /// A console; `stdio` or the terminal's path.
    case console(String)
}

/// Where the answer to one command goes.
///
/// - Isolation: usable from any thread; records arrive in the order of the calls.
/// - Blocking: never.
package protocol ReplySink: AnyObject, Sendable {
    /// Sends a record. A receiver that does not read until the limit of its queue is reached is cut off.
    func send(_ record: Record)

    /// Sends a record of an endless stream. When the receiver is too slow, the oldest are dropped and it gets their
    /// number.
    func offer(_ record: Record)

    /// Requests one more line from the sender of the command and calls `body` once: with the line, or with nil when nothing
    /// more comes, because the input ended, the receiver is gone or the command was canceled or finished. One line at
    /// a time can be asked for.
    ///
    /// - Isolation: `body` is called on any thread; it must not block.
    func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void)

    /// Ends the answer. Later calls do nothing.
    func finish(_ status: ExitStatus)

    /// True once the receiver is gone or has canceled the command.
    var isCancelled: Bool { get }

    /// Bytes that wait for the receiver. A long answer is given in parts: the next one when little waits.
    var queuedBytes: Int { get }

    /// Calls `body` once if the receiver goes or cancels before `finish`; at once if it has already.
    ///
    /// - Isolation: called on any thread.
    func onCancel(_ body: @escaping @Sendable () -> Void)
}

extension ReplySink {
    /// One more line from the sender of the command; nil when nothing more comes.
    package func readLine(prompt: String) async -> String? {
        await withCheckedContinuation { continuation in
            readLine(prompt: prompt) { continuation.resume(returning: $0) }
        }
    }

    /// Sends the failure and ends with its status.
    package func fail(_ failure: CommandFailure) {
        send(.error(ErrorRecord(failure)))
        finish(failure.exit)
    }
}

/// Reads a line from a socket or console and has it carried out.
struct CommandContext: Sendable {
    /// Kept as long as the socket or console.
    let handler: any CommandHandler

    /// Reads a line from the control socket and starts its command.
    func start(socketLine line: String, reply: any ReplySink) {
        do throws(CommandFailure) {
            let parsed = try handler.grammar.parse(try Tokenizer.words(line), console: false)
            if case .run = parsed.command {
                throw .usage("`run` is for a shell: this camera is already running.")
            }
            start(parsed.command, origin: .socket, reply: reply)
        } catch {
            reply.fail(error)
        }
    }

    /// Starts a command; help is answered here.
    func start(_ command: Command, origin: CommandOrigin, reply: any ReplySink) {
        if case .help(let topic) = command {
            reply.send(.help(HelpRecord(help: handler.grammar.help(topic, console: origin != .socket))))
            reply.finish(.done)
        } else {
            handler.handle(command, origin: origin, reply: reply)
        }
    }
}

/// Whether the answer to one command is still wanted, with callbacks for its cancellation, and the callback of a command
/// that waits for a line.
///
/// - Isolation: any thread. Callbacks run on the thread of the call that causes them.
final class Cancellation: Sendable {
    typealias LineBody = @Sendable (String?) -> Void

    private enum Progress { case open, cancelled, finished }

    private struct State {
        var progress = Progress.open
        var onCancel: [@Sendable () -> Void] = []
        /// Waits for a line, while the command is open.
        var line: LineBody?
    }

    private let state = Mutex(State())

    /// True once the command was canceled before it finished.
    var isCancelled: Bool { state.withLock { $0.progress == .cancelled } }

    /// Calls all callbacks, once; the one that waits for a line gets nil.
    func cancel() {
        let (line, bodies) = end(.cancelled)
        line?(nil)
        for body in bodies { body() }
    }

    /// Makes cancelling impossible from now on. The callback that waits for a line gets nil.
    func finish() {
        end(.finished).line?(nil)
    }

    private func end(_ progress: Progress) -> (line: LineBody?, onCancel: [@Sendable () -> Void]) {
        state.withLock { state in
            guard state.progress == .open else { return (nil, []) }
            defer { state = State(progress: progress) }
            return (state.line, state.onCancel)
        }
    }

    /// Calls `body` on cancellation; at once if it was before.
    func onCancel(_ body: @escaping @Sendable () -> Void) {
        let wasCancelled = state.withLock { state in
            if state.progress == .open { state.onCancel.append(body) }
            return state.progress == .cancelled
        }
        if wasCancelled { body() }
    }

    /// Keeps the callback for the next line. A callback that still waits gets nil; so does this one when the command has
    /// ended.
    ///
    /// - Returns: false when the command has ended.
    func waitForLine(_ body: @escaping LineBody) -> Bool {
        let (isOpen, former) = state.withLock { state in
            let isOpen = state.progress == .open
            defer { if isOpen { state.line = body } }
            return (isOpen, isOpen ? state.line : body)
        }
        former?(nil)
        return isOpen
    }

    /// Calls the callback that waits for a line, once; nil when nothing more comes.
    func answer(_ line: String?) {
        state.withLock { $0.line.take() }?(line)
    }
}

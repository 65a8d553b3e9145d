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
    /// The control socket.
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

    /// Sends a record of an endless stream. When the receiver is too slow the oldest are dropped, and it is told how
    /// many.
    func offer(_ record: Record)

    /// Asks whoever gave the command for one more line and calls `body` once: with the line, or with nil when nothing
    /// more comes, because the input ended, the receiver is gone or the command was cancelled or finished. One line at
    /// a time can be asked for.
    ///
    /// - Isolation: `body` is called on any thread; it must not block.
    func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void)

    /// Ends the answer. Later calls do nothing.
    func finish(_ status: ExitStatus)

    /// True once the receiver is gone or has cancelled the command.
    var isCancelled: Bool { get }

    /// Bytes that wait for the receiver. A long answer is given in parts: the next one when little waits.
    var queuedBytes: Int { get }

    /// Calls `body` once if the receiver goes or cancels before `finish`; at once if it has already.
    ///
    /// - Isolation: called on any thread.
    func onCancel(_ body: @escaping @Sendable () -> Void)
}

extension ReplySink {
    /// One more line from whoever gave the command; nil when nothing more comes.
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

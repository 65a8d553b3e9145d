/// Reads a line from a socket or console and has it carried out.
struct CommandContext: Sendable {
    /// Kept as long as the socket or console.
    let handler: any CommandHandler

    /// Reads a line from the control socket and starts its command.
    func start(socketLine line: String, reply: any ReplySink) {
        do throws(CommandFailure) {
            let parsed = try handler.grammar.parse(try Tokenizer.words(line), console: false)
            if case .run = parsed.command {
                throw .usage("`run` is for a shell: this camera is running already.")
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

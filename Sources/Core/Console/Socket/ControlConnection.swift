import Glibc
import Platform
import Synchronization

/// One client of the control socket.
///
/// - Isolation: `start` and the descriptor's events on the loop's thread; answers from any thread.
final class ControlConnection: Sendable {
    private struct State {
        var registration: EventLoop.Registration?
        var interest: EventLoop.Interest = .read
        var idleTimer: EventLoop.Timer?
        var input: [UInt8] = []
        var inputEnded = false
        /// The command being answered.
        var reply: SocketReply?
        /// True while that command waits for a line.
        var isLineWanted = false
        var output = OutputQueue()
        /// Nothing is read any more; what waits is still written.
        var isClosing = false
        var isDropped = false
    }

    private let descriptor: Descriptor
    private let loop: EventLoop
    private let context: CommandContext
    private let limits: ControlServer.Limits
    private let onEnd: @Sendable (ControlConnection) -> Void
    private let state = Mutex(State())

    init(
        _ descriptor: consuming Descriptor, loop: EventLoop, context: CommandContext, limits: ControlServer.Limits,
        onEnd: @escaping @Sendable (ControlConnection) -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.context = context
        self.limits = limits
        self.onEnd = onEnd
    }

    /// Begins to read commands.
    func start() {
        do throws(SystemError) {
            // The registration keeps the connection until it is dropped.
            let registration = try loop.register(descriptor.raw, .read) { self.advance(after: $0) }
            state.withLock { $0.registration = registration }
            advance()
        } catch {
            drop()
        }
    }

    /// Answers that the client must try again later, as far as that can be sent at once.
    ///
    /// The server does not keep such a connection: its descriptor closes with the caller's reference, and not after a turn
    /// of the loop, because one turn may refuse a thousand.
    func refuse() {
        let busy = CommandFailure(.busy, "Too many programs are connected to the camera: close one, or try again.")
        state.withLock { state in
            state.output.append(
                (Record.error(ErrorRecord(busy)).json + "\n" + Self.exitLine(busy.exit)).utf8, format: \.json)
            flush(&state)
            state.isDropped = true
        }
        shutdown(descriptor.raw, Int32(SHUT_RDWR))
    }

    /// Cuts the client off and cancels its command.
    func drop() {
        let (isFirst, reply) = state.withLock { state -> (Bool, SocketReply?) in
            guard !state.isDropped else { return (false, nil) }
            state.isDropped = true
            if let registration = state.registration.take() { loop.unregister(registration) }
            if let timer = state.idleTimer.take() { loop.cancel(timer) }
            state.output = OutputQueue()
            state.input = []
            return (true, state.reply.take())
        }
        guard isFirst else { return }
        // The number is given back when the last reference goes; the client must know at once.
        shutdown(descriptor.raw, Int32(SHUT_RDWR))
        reply?.cancellation.cancel()
        onEnd(self)
    }

    /// Cuts the client off if it has left.
    ///
    /// - Returns: true when it has.
    func dropIfGone() -> Bool {
        var wait = pollfd(fd: descriptor.raw, events: 0, revents: 0)
        guard poll(&wait, 1, 0) > 0 else { return false }
        drop()
        return true
    }

    // MARK: The loop's thread

    /// What follows from what has come in.
    private enum Step {
        case run(String, SocketReply)
        case answer(String?, SocketReply)
        case refuse(SocketReply)
        case end
        case wait
    }

    /// Moves bytes, starts the next command if the last one is answered, and settles what to wait for.
    private func advance(after readiness: EventLoop.Readiness = []) {
        let step = state.withLock { state -> Step in
            if readiness.contains(.readable), !read(&state) { return .end }
            if readiness.contains(.writable) { flush(&state) }
            return readiness.contains(.hungUp) ? .end : nextStep(&state)
        }
        switch step {
        case .run(let line, let reply): context.start(socketLine: line, reply: reply)
        case .answer(let line, let reply): reply.cancellation.answer(line)
        case .refuse(let reply):
            reply.fail(.usage("A command line holds at most \(limits.requestBytes) bytes: split the command."))
        case .end: drop()
        case .wait: break
        }
    }

    /// Reads what has come; false when the client is gone.
    private func read(_ state: inout State) -> Bool {
        guard wantsInput(state) else { return true }
        do throws(SystemError) {
            let bytes = try descriptor.read(upTo: 4096)
            state.inputEnded = bytes.isEmpty
            state.input += bytes
            return true
        } catch {
            return error.code == EAGAIN
        }
    }

    private func wantsInput(_ state: State) -> Bool {
        !state.inputEnded && !state.isClosing && state.input.count <= limits.requestBytes
    }

    private func nextStep(_ state: inout State) -> Step {
        guard !state.isDropped else { return .wait }
        defer { watch(&state) }
        if let reply = state.reply, state.isLineWanted, !state.isClosing {
            let line = takeLine(&state)
            guard line != nil || state.inputEnded || state.input.count > limits.requestBytes else { return .wait }
            state.isLineWanted = false
            return .answer(line, reply)
        }
        guard state.reply == nil, !state.isClosing else {
            return state.isClosing && state.reply == nil && state.output.isEmpty ? .end : .wait
        }
        if let line = takeLine(&state) {
            if let timer = state.idleTimer.take() { loop.cancel(timer) }
            let reply = SocketReply(self)
            state.reply = reply
            return .run(line, reply)
        }
        if state.input.count > limits.requestBytes {
            state.isClosing = true
            let reply = SocketReply(self)
            state.reply = reply
            return .refuse(reply)
        }
        if state.inputEnded {
            state.isClosing = true
            return state.output.isEmpty ? .end : .wait
        }
        if state.idleTimer == nil {
            state.idleTimer = loop.schedule(at: .now() + limits.idle) { [weak self] in self?.drop() }
        }
        return .wait
    }

    /// The next line of the input; what stands before the end of input is a line as well.
    private func takeLine(_ state: inout State) -> String? {
        let end = state.input.firstIndex(of: 0x0A)
        guard (end ?? state.input.count) <= limits.requestBytes else { return nil }
        if let end {
            var line = state.input[..<end]
            if line.last == 0x0D { line = line.dropLast() }
            let text = String(decoding: line, as: UTF8.self)
            state.input.removeSubrange(...end)
            return text
        }
        guard state.inputEnded, !state.input.isEmpty else { return nil }
        defer { state.input = [] }
        return String(decoding: state.input, as: UTF8.self)
    }

    // MARK: Any thread

    fileprivate func send(_ record: Record, _ reply: SocketReply) {
        let line = record.json + "\n"
        change(of: reply) { $0.output.append(line.utf8, format: \.json) }
    }

    fileprivate func offer(_ record: Record, _ reply: SocketReply) {
        change(of: reply) { $0.output.offer(record, format: \.json) }
    }

    fileprivate func readLine(prompt: String, _ reply: SocketReply) {
        let line = Record.input(InputRecord(input: prompt)).json + "\n"
        change(of: reply) { state in
            state.output.append(line.utf8, format: \.json)
            state.isLineWanted = true
        }
        // The line may be here already.
        loop.post { self.advance() }
    }

    fileprivate var queuedBytes: Int { state.withLock { $0.output.count } }

    fileprivate func finish(_ status: ExitStatus, _ reply: SocketReply) {
        change(of: reply) { state in
            state.output.append(Self.exitLine(status).utf8, format: \.json)
            state.reply = nil
            state.isLineWanted = false
        }
        // The next command starts on the loop's thread.
        loop.post { self.advance() }
    }

    /// Takes a part of an answer, unless the client that asked for it is gone.
    private func change(of reply: SocketReply, _ body: (inout State) -> Void) {
        let isFull = state.withLock { state in
            guard state.reply === reply, !state.isDropped else { return false }
            body(&state)
            flush(&state)
            return state.output.count > limits.queueBytes
        }
        if isFull { drop() }
    }

    /// Writes what the client takes. A failed write means that the client is gone; the loop receives that as a hang-up.
    private func flush(_ state: inout State) {
        do throws(SystemError) {
            _ = try state.output.flush(format: \.json) { (bytes) throws(SystemError) in
                try descriptor.send(bytes)
            }
        } catch {
            state.output = OutputQueue()
            state.isClosing = true
        }
        watch(&state)
    }

    private func watch(_ state: inout State) {
        var interest: EventLoop.Interest = []
        if wantsInput(state) { interest.insert(.read) }
        if !state.output.isEmpty { interest.insert(.write) }
        guard interest != state.interest, let registration = state.registration else { return }
        state.interest = interest
        loop.change(registration, interest)
    }

    private static func exitLine(_ status: ExitStatus) -> String { "{\"exit\":\(status.rawValue)}\n" }
}

/// The answer to one command on the socket.
final class SocketReply: ReplySink {
    let cancellation = Cancellation()
    private let connection: ControlConnection

    fileprivate init(_ connection: ControlConnection) {
        self.connection = connection
    }

    func send(_ record: Record) { connection.send(record, self) }
    func offer(_ record: Record) { connection.offer(record, self) }
    func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void) {
        if cancellation.waitForLine(body) { connection.readLine(prompt: prompt, self) }
    }
    func finish(_ status: ExitStatus) {
        cancellation.finish()
        connection.finish(status, self)
    }
    var isCancelled: Bool { cancellation.isCancelled }
    var queuedBytes: Int { connection.queuedBytes }
    func onCancel(_ body: @escaping @Sendable () -> Void) { cancellation.onCancel(body) }
}

import Glibc
import Platform
import Synchronization

/// A console of the camera: standard input and output, or a terminal device such as a serial line.
///
/// - Isolation: every method may be called from any thread.
package final class TerminalConsole: Sendable {
    /// Where the console is.
    package enum Place: Hashable, Sendable {
        /// Standard input and output. Their end ends the camera.
        case stdio
        /// A terminal device, opened again whenever it hangs up, unless another part does that.
        case terminal(path: String)
    }

    /// Bytes that wait for the terminal. Beyond it the running command is canceled and what waits is dropped.
    private static let queueLimit = 8 << 20
    /// Announcements beyond this are dropped: a terminal that is not read needs no more news.
    private static let announcementLimit = 64 << 10
    private static let longestPause = Duration.seconds(30)

    private struct State {
        var machine: ConsoleMachine
        var device: ConsoleDevice?
        var input: EventLoop.Registration?
        var output: EventLoop.Registration?
        var waitsToWrite = false
        var queue = OutputQueue()
        var streamsJSON = false
        /// Nothing was typed yet, and nothing is shown.
        var isSilent = false
        var reply: ConsoleReply?
        var isStopped = false
    }

    private let place: Place
    fileprivate let loop: EventLoop
    private let context: CommandContext
    private let json: Bool
    private let startsSilent: Bool
    private let hungUp: (@Sendable () -> Void)?
    private let standard: (input: Int32, output: Int32)
    private let firstPause: Duration
    private let state: Mutex<State>

    /// A console that is not open yet.
    ///
    /// - Parameters:
    ///   - json: true to show JSON always.
    ///   - startsSilent: true to show nothing until something was typed. A computer at the other end of a USB cable
    ///     echoes what it receives until a terminal program turns that off, and the echo would be taken for
    ///     commands.
    ///   - hungUp: is called, on the loop, when a terminal device has hung up and was closed. Then, and when it is not there,
    ///     it is not opened again.
    package convenience init(
        _ place: Place, loop: EventLoop, handler: any CommandHandler, json: Bool = false, startsSilent: Bool = false,
        hungUp: (@Sendable () -> Void)? = nil
    ) {
        self.init(
            place, standard: (STDIN_FILENO, STDOUT_FILENO), firstPause: .seconds(1), loop: loop, handler: handler,
            json: json, startsSilent: startsSilent, hungUp: hungUp)
    }

    /// The same with other descriptors for standard input and output, for tests.
    init(
        _ place: Place, standard: (input: Int32, output: Int32), firstPause: Duration, loop: EventLoop,
        handler: any CommandHandler, json: Bool, startsSilent: Bool = false, hungUp: (@Sendable () -> Void)? = nil
    ) {
        self.hungUp = hungUp
        self.startsSilent = startsSilent
        self.standard = standard
        self.firstPause = firstPause
        self.place = place
        self.loop = loop
        self.context = CommandContext(handler: handler)
        self.json = json
        state = Mutex(State(machine: ConsoleMachine(edits: false, json: json, grammar: handler.grammar)))
    }

    /// Opens the console. A terminal that is not there yet is tried again until it is, unless `hungUp` was given.
    ///
    /// - Throws: when standard input and output, or the path, cannot be a console.
    package func start() throws(CommandFailure) {
        do throws(SystemError) {
            try open()
        } catch {
            switch (place, error.code) {
            case (.terminal, ENOENT), (.terminal, ENXIO), (.terminal, EIO), (.terminal, ENODEV):
                guard hungUp == nil else { throw CommandFailure(.system, "\(error)") }
                openLater(after: firstPause)
            case (.terminal, _):
                throw CommandFailure(.configuration, "\(error): give a terminal that the camera can use.")
            case (.stdio, _):
                throw CommandFailure(.system, "\(error): use `--console none`.")
            }
        }
    }

    /// Shows an event without a request, if it is one that consoles show.
    package func announce(_ event: EventRecord) {
        handle(.announce(event))
    }

    fileprivate var queuedBytes: Int { state.withLock { $0.queue.count } }

    /// Writes what waits, for at most a second, and gives the terminal back as it was.
    ///
    /// - Blocking: up to a second.
    package func stop() {
        let end = MonotonicTime.now() + .seconds(1)
        while MonotonicTime.now() < end,
            let device = state.withLock({ state in
                flush(&state)
                return state.queue.isEmpty ? nil : state.device
            })
        {
            var wait = pollfd(fd: device.output.raw, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, 100)
        }
        let reply = state.withLock { state in
            state.isStopped = true
            close(&state)
            return state.reply.take()
        }
        reply?.cancellation.cancel()
    }

    // MARK: Opening and closing

    private func open() throws(SystemError) {
        let device: ConsoleDevice
        switch place {
        case .stdio: device = try .standard(input: standard.input, output: standard.output)
        case .terminal(let path): device = try .terminal(path)
        }
        let isOpen = try state.withLock { (state) throws(SystemError) in
            guard !state.isStopped else { return false }
            state.output = try loop.register(device.output.raw, []) { [weak self] in self?.handle(output: $0) }
            state.device = device
            state.machine = ConsoleMachine(edits: device.isTerminal, json: json, grammar: grammar)
            state.queue = OutputQueue()
            state.isSilent = startsSilent
            return true
        }
        if isOpen { handle(.opened) }
    }

    /// Tries to open the terminal again and again, after longer and longer pauses.
    private func openLater(after pause: Duration) {
        loop.schedule(at: .now() + pause) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            do throws(SystemError) {
                try self.open()
            } catch {
                self.openLater(after: min(pause * 2, Self.longestPause))
            }
        }
    }

    private func close(_ state: inout State) {
        if let input = state.input.take() { loop.unregister(input) }
        if let output = state.output.take() { loop.unregister(output) }
        state.waitsToWrite = false
        state.queue = OutputQueue()
        state.device = nil
    }

    /// The terminal is gone. That stops nothing: its command is canceled, and a device is opened again.
    private func hangUp() {
        let reply = state.withLock { state in
            close(&state)
            return state.reply.take()
        }
        reply?.cancellation.cancel()
        if let hungUp { hungUp() } else if case .terminal = place { openLater(after: firstPause) }
    }

    // MARK: The loop's thread

    private func read() {
        guard let device = state.withLock({ $0.input == nil ? nil : $0.device }) else { return }
        do throws(SystemError) {
            let bytes = try device.input.read(upTo: 4096)
            if !bytes.isEmpty {
                handle(.bytes(bytes))
            } else if device.isTerminal {
                hangUp()
            } else {
                handle(.inputEnded)
            }
        } catch {
            if error.code == EAGAIN { return }
            if device.isTerminal { hangUp() } else { handle(.inputEnded) }
        }
    }

    private func handle(output readiness: EventLoop.Readiness) {
        let isGone = state.withLock { state in
            flush(&state)
            guard readiness.contains(.hungUp) else { return false }
            // A pipe without a reader: commands still come in, their answers are lost.
            if let output = state.output.take() { loop.unregister(output) }
            return state.device?.isTerminal == true
        }
        if isGone { hangUp() }
    }

    // MARK: Any thread

    /// What follows from an event, outside the lock.
    private struct Effects {
        var command: (Command, ConsoleReply)?
        var cancelled: [ConsoleReply] = []
        var line: (String?, ConsoleReply)?
        /// Standard input has ended.
        var hasEnded = false
        /// Nothing can be read any more.
        var isGone = false
    }

    /// Takes an event.
    ///
    /// - Parameter sender: the answer that it is a part of, which is lost when the session that asked for it is gone.
    fileprivate func handle(_ event: ConsoleMachine.Event, from sender: ConsoleReply? = nil) {
        let effects = state.withLock { state in
            var effects = Effects()
            if let sender {
                guard state.reply === sender else { return effects }
                if case .finished = event { state.reply = nil }
            }
            handle(event, &state, &effects)
            return effects
        }
        for reply in effects.cancelled { reply.cancellation.cancel() }
        // Posted: a command that asks for line after line must not call itself.
        if let (line, reply) = effects.line { loop.post { reply.cancellation.answer(line) } }
        if let (command, reply) = effects.command { context.start(command, origin: origin, reply: reply) }
        if effects.hasEnded { context.handler.consoleEnded() }
        if effects.isGone { hangUp() }
    }

    private func handle(_ event: ConsoleMachine.Event, _ state: inout State, _ effects: inout Effects) {
        guard let device = state.device else { return }
        if case .announce = event, state.queue.count > Self.announcementLimit { return }
        if case .bytes = event, state.isSilent {
            // Somebody has begun to type at a console that was silent until now.
            state.isSilent = false
            state.machine = ConsoleMachine(edits: device.isTerminal, json: json, grammar: grammar)
            perform(.opened, &state, &effects)
        }
        perform(event, &state, &effects)
        if state.queue.count > Self.queueLimit {
            state.queue = OutputQueue()
            if let reply = state.reply.take() {
                effects.cancelled.append(reply)
                // There is room now, for the prompt or for what was typed ahead.
                perform(.finished(command: reply.number), &state, &effects)
            }
        }
        if effects.hasEnded, case .terminal = place {
            // The device stays open for the next person, who starts with an empty history.
            effects.hasEnded = false
            state.machine = ConsoleMachine(edits: true, json: json, grammar: grammar)
            state.isSilent = startsSilent
            perform(.opened, &state, &effects)
        }
        guard state.machine.wantsInput else {
            if let input = state.input.take() { loop.unregister(input) }
            return
        }
        guard state.input == nil else { return }
        state.input = try? loop.register(device.input.raw, .read) { [weak self] _ in self?.read() }
        effects.isGone = state.input == nil
    }

    private func perform(_ event: ConsoleMachine.Event, _ state: inout State, _ effects: inout Effects) {
        for action in state.machine.handle(event) {
            switch action {
            case .write where state.isSilent, .offer where state.isSilent: break
            case .write(let bytes): state.queue.append(bytes, format: format(state))
            case .offer(let record, let json):
                state.streamsJSON = json
                state.queue.offer(record, format: format(state))
            case .start(let command, let number):
                let reply = ConsoleReply(self, number)
                state.reply = reply
                effects.command = (command, reply)
            case .line(let text, _): effects.line = state.reply.map { (text, $0) }
            case .cancel: if let reply = state.reply.take() { effects.cancelled.append(reply) }
            case .end: effects.hasEnded = true
            }
        }
        flush(&state)
    }

    private var grammar: CommandGrammar { context.handler.grammar }

    private var origin: CommandOrigin {
        switch place {
        case .stdio: .console("stdio")
        case .terminal(let path): .console(path)
        }
    }

    private func format(_ state: borrowing State) -> (Record) -> String {
        let json = state.streamsJSON
        return { record in
            var renderer = TextRenderer(command: .events(follow: true), grammar: self.grammar)
            return json ? record.json : renderer.text(record)
        }
    }

    private func flush(_ state: inout State) {
        guard let device = state.device else { return }
        var isWaiting = false
        do throws(SystemError) {
            isWaiting =
                !(try state.queue.flush(format: format(state)) { (bytes) throws(SystemError) in
                    try device.output.write(bytes)
                })
        } catch {
            // Gone; the loop will report the hang-up. Until then nothing collects.
            state.queue = OutputQueue()
        }
        guard isWaiting != state.waitsToWrite, let output = state.output else { return }
        state.waitsToWrite = isWaiting
        loop.change(output, isWaiting ? .write : [])
    }
}

/// The answer to one command on a console.
private final class ConsoleReply: ReplySink {
    let cancellation = Cancellation()
    private let console: TerminalConsole
    let number: Int

    init(_ console: TerminalConsole, _ number: Int) {
        self.console = console
        self.number = number
    }

    func send(_ record: Record) { console.handle(.record(record, command: number), from: self) }
    func offer(_ record: Record) { console.handle(.offer(record, command: number), from: self) }
    func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void) {
        if cancellation.waitForLine(body) { console.handle(.lineWanted(prompt: prompt, command: number), from: self) }
    }
    func finish(_ status: ExitStatus) {
        cancellation.finish()
        // The next command starts on the loop's thread.
        console.loop.post { self.console.handle(.finished(command: self.number), from: self) }
    }
    var isCancelled: Bool { cancellation.isCancelled }
    var queuedBytes: Int { console.queuedBytes }
    func onCancel(_ body: @escaping @Sendable () -> Void) { cancellation.onCancel(body) }
}

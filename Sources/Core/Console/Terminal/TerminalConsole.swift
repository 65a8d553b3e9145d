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
        /// Until the next attempt to open the terminal.
        var pause: Duration
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
        state = Mutex(
            State(machine: ConsoleMachine(edits: false, json: json, grammar: handler.grammar), pause: firstPause))
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
                openLater()
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
        let isOpen = state.withLock { state in
            guard !state.isStopped else { return false }
            state.device = device
            state.machine = ConsoleMachine(edits: device.isTerminal, json: json, grammar: grammar)
            state.queue = OutputQueue()
            state.pause = firstPause
            state.isSilent = startsSilent
            return true
        }
        guard isOpen else { return }
        do throws(SystemError) {
            let output = try loop.register(device.output.raw, []) { [weak self] in self?.handle(output: $0) }
            state.withLock { $0.output = output }
        } catch {
            state.withLock { close(&$0) }
            throw error
        }
        handle(.opened)
    }

    private func openLater() {
        let pause = state.withLock { state in
            defer { state.pause = min(state.pause * 2, Self.longestPause) }
            return state.pause
        }
        loop.schedule(at: .now() + pause) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            do throws(SystemError) { try self.open() } catch { self.openLater() }
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
        if let hungUp { hungUp() } else if case .terminal = place { openLater() }
    }

    // MARK: The loop's thread

    private func readInput() throws(SystemError) {
        let result: Result<Void, SystemError> = state.withLock { state in
            guard let device = state.device, state.input == nil, state.machine.wantsInput else { return .success(()) }
            do throws(SystemError) {
                state.input = try loop.register(device.input.raw, .read) { [weak self] _ in self?.read() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func read() {
        guard let device = state.withLock({ $0.input == nil ? nil : $0.device }) else { return }
        do throws(SystemError) {
            let bytes = try device.input.read(upTo: 4096)
            if !bytes.isEmpty {
                greet()
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

    /// Input has begun on a console that was silent until now.
    private func greet() {
        let wasSilent = state.withLock { state in
            guard state.isSilent else { return false }
            state.isSilent = false
            state.machine = ConsoleMachine(
                edits: state.device?.isTerminal == true, json: json, grammar: grammar)
            return true
        }
        if wasSilent { handle(.opened) }
    }

    private func handle(output readiness: EventLoop.Readiness) {
        state.withLock { flush(&$0) }
        guard readiness.contains(.hungUp) else { return }
        let isTerminal = state.withLock { state in
            // A pipe without a reader: commands still come in, their answers are lost.
            if let output = state.output.take() { loop.unregister(output) }
            return state.device?.isTerminal == true
        }
        if isTerminal { hangUp() }
    }

    // MARK: Any thread

    /// Takes a part of an answer, unless the session that asked for it is gone.
    fileprivate func handle(_ event: ConsoleMachine.Event, from reply: ConsoleReply) {
        let isWanted = state.withLock { state in
            guard state.reply === reply else { return false }
            if case .finished = event { state.reply = nil }
            return true
        }
        if isWanted { handle(event) }
    }

    private func handle(_ event: ConsoleMachine.Event) {
        var command: (Command, ConsoleReply)?
        var cancelled: [ConsoleReply] = []
        var line: (String?, ConsoleReply)?
        var hasEnded = false
        state.withLock { state in
            guard state.device != nil else { return }
            if case .announce = event, state.queue.count > Self.announcementLimit { return }
            func perform(_ event: ConsoleMachine.Event) {
                for action in state.machine.handle(event) {
                    switch action {
                    case .write where state.isSilent, .offer where state.isSilent: break
                    case .write(let bytes): state.queue.append(bytes, format: format(state))
                    case .offer(let record, let json):
                        state.streamsJSON = json
                        state.queue.offer(record, format: format(state))
                    case .start(let started, let number):
                        let reply = ConsoleReply(self, number)
                        state.reply = reply
                        command = (started, reply)
                    case .line(let text, _): line = state.reply.map { (text, $0) }
                    case .cancel: if let reply = state.reply.take() { cancelled.append(reply) }
                    case .end: hasEnded = true
                    }
                }
                flush(&state)
            }
            perform(event)
            if state.queue.count > Self.queueLimit {
                state.queue = OutputQueue()
                if let reply = state.reply.take() {
                    cancelled.append(reply)
                    // There is room now, for the prompt or for what was typed ahead.
                    perform(.finished(command: reply.number))
                }
            }
            if !state.machine.wantsInput, let input = state.input.take() { loop.unregister(input) }
        }
        for reply in cancelled { reply.cancellation.cancel() }
        // Posted: a command that asks for line after line must not call itself.
        if let (line, reply) = line { loop.post { reply.awaited.answer(line) } }
        if let (command, reply) = command { context.start(command, origin: origin, reply: reply) }
        if hasEnded { end() } else if (try? readInput()) == nil { hangUp() }
    }

    private func end() {
        switch place {
        case .stdio: context.handler.consoleEnded()
        case .terminal:
            // The device stays open for the next person, who starts with an empty history.
            state.withLock {
                ($0.machine, $0.isSilent) = (
                    ConsoleMachine(edits: true, json: json, grammar: grammar), startsSilent
                )
            }
            handle(.opened)
        }
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
    let awaited = AwaitedLine()
    private let console: TerminalConsole
    let number: Int

    init(_ console: TerminalConsole, _ number: Int) {
        self.console = console
        self.number = number
        cancellation.onCancel { [awaited] in awaited.answer(nil) }
    }

    func send(_ record: Record) { console.handle(.record(record, command: number), from: self) }
    func offer(_ record: Record) { console.handle(.offer(record, command: number), from: self) }
    func readLine(prompt: String, _ body: @escaping @Sendable (String?) -> Void) {
        awaited.wait(body)
        guard cancellation.isOpen else { return awaited.answer(nil) }
        console.handle(.lineWanted(prompt: prompt, command: number), from: self)
    }
    func finish(_ status: ExitStatus) {
        cancellation.finish()
        awaited.answer(nil)
        // The next command starts on the loop's thread.
        console.loop.post { self.console.handle(.finished(command: self.number), from: self) }
    }
    var isCancelled: Bool { cancellation.isCancelled }
    var queuedBytes: Int { console.queuedBytes }
    func onCancel(_ body: @escaping @Sendable () -> Void) { cancellation.onCancel(body) }
}

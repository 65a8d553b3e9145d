import Glibc
import Platform

/// The control socket: takes command lines, answers with JSON lines.
///
/// A connection may carry several commands, one after another; each answer ends with `{"exit":N}`. A command that asks
/// for lines sends `{"input":PROMPT}` for each, and takes the next line of the connection.
/// - Isolation: its state belongs to the event loop. Methods without a note may be called from any thread.
package final class ControlServer: Sendable {
    /// What one client may use.
    package struct Limits: Sendable {
        /// Connections at once; one more is refused with a request to try again.
        package var connections = 32
        /// Longest command line in bytes.
        package var requestBytes = 4096
        /// Bytes of an answer that wait for the client to read. A whole library's list fits; a client that lets more
        /// collect is cut off.
        package var queueBytes = 8 << 20
        /// How long a connection may stay without a command.
        package var idle = Duration.seconds(60)
        /// How long no client is accepted after the system ran out of descriptors or memory.
        package var acceptPause = Duration.seconds(1)

        /// The limits of the camera's own socket.
        package init() {}
    }

    private struct State {
        /// The listening socket's, while clients are accepted.
        var registration: EventLoop.Registration?
        var connections: [ObjectIdentifier: ControlConnection] = [:]
        var isStopped = false
    }

    private let loop: EventLoop
    private let path: String
    private let limits: Limits
    private let listener: Descriptor
    private let state: LoopConfined<State>
    private let context: CommandContext
    private let accept: @Sendable (borrowing Descriptor) throws(SystemError) -> Descriptor

    /// Listens on a path whose directory exists.
    ///
    /// - Throws: `in-use` when a camera answers there; `system` when the socket cannot be made.
    package convenience init(
        path: String, loop: EventLoop, handler: any CommandHandler, limits: Limits = Limits()
    ) throws(CommandFailure) {
        try self.init(path: path, loop: loop, handler: handler, limits: limits, accept: Descriptor.accept)
    }

    /// The same with another accept(2), for tests.
    init(
        path: String, loop: EventLoop, handler: any CommandHandler, limits: Limits,
        accept: @escaping @Sendable (borrowing Descriptor) throws(SystemError) -> Descriptor
    ) throws(CommandFailure) {
        self.loop = loop
        self.path = path
        self.limits = limits
        self.accept = accept
        context = CommandContext(handler: handler)
        state = LoopConfined(State(), to: loop)
        listener = try ControlSocket.listen(path)
        do throws(SystemError) {
            let registration = try watch()
            loop.post { [self] in state.value.registration = registration }
        } catch {
            throw CommandFailure(.system, "\(error).")
        }
    }

    /// Stops listening, removes the socket's file and cuts off every client; running commands are canceled.
    package func stop() async {
        // The file only once: another camera may listen there afterwards.
        if await loop.run({ [self] in close() }) == true { unlink(path) }
    }

    /// Stops listening and cuts off every client.
    ///
    /// - Returns: false when that was done before.
    /// - Isolation: the event loop.
    func close() -> Bool {
        guard !state.value.isStopped else { return false }
        state.value.isStopped = true
        if let registration = state.value.registration.take() { loop.unregister(registration) }
        for connection in state.value.connections.values { connection.drop() }
        return true
    }

    // MARK: The loop's thread

    private func watch() throws(SystemError) -> EventLoop.Registration {
        try loop.register(listener.raw, .read) { [weak self] _ in self?.acceptAll() }
    }

    private func acceptAll() {
        // A client may come before the registration is noted; the loop then calls again.
        guard state.value.registration != nil else { return }
        while true {
            do throws(SystemError) {
                add(try accept(listener))
            } catch {
                switch error.code {
                case ECONNABORTED: continue
                case EAGAIN: return
                default:
                    // No descriptor or no memory is free. The waiting client would wake the loop again and again.
                    pause()
                    return
                }
            }
        }
    }

    private func pause() {
        if let registration = state.value.registration.take() { loop.unregister(registration) }
        loop.schedule(at: .now() + limits.acceptPause) { [weak self] in self?.resume() }
    }

    private func resume() {
        if state.value.isStopped { return }
        state.value.registration = try? watch()
        if state.value.registration == nil { pause() }
    }

    private func add(_ descriptor: consuming Descriptor) {
        let connection = ControlConnection(descriptor, loop: loop, context: context, limits: limits) {
            [weak self] connection in self?.forget(connection)
        }
        if state.value.connections.count >= limits.connections {
            // The loop may not have reported clients that left.
            state.value.connections = state.value.connections.filter { !$0.value.dropIfGone() }
        }
        guard state.value.connections.count < limits.connections else { return connection.refuse() }
        state.value.connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    // MARK: Any thread

    private func forget(_ connection: ControlConnection) {
        loop.post { [self] in state.value.connections[ObjectIdentifier(connection)] = nil }
    }
}

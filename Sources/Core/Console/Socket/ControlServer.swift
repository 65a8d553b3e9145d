import Glibc
import Platform
import Synchronization

/// The control socket: takes command lines, answers with JSON lines.
///
/// A connection may carry several commands, one after another; each answer ends with `{"exit":N}`. A command that asks
/// for lines sends `{"input":PROMPT}` for each, and takes the next line of the connection.
/// - Isolation: every method may be called from any thread.
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

        /// The camera's limits.
        package init() {}
    }

    private struct State {
        var registration: EventLoop.Registration?
        var connections: [ObjectIdentifier: ControlConnection] = [:]
        var isStopped = false
    }

    private let loop: EventLoop
    private let path: String
    private let limits: Limits
    private let listener: Descriptor
    private let state = Mutex(State())
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
        listener = try ControlSocket.listen(path)
        do throws(SystemError) {
            try watch()
        } catch {
            throw CommandFailure(.system, "\(error).")
        }
    }

    /// Stops listening, removes the socket's file and cuts off every client; running commands are canceled.
    package func stop() {
        let connections = state.withLock { state -> [ControlConnection] in
            guard !state.isStopped else { return [] }
            state.isStopped = true
            if let registration = state.registration.take() { loop.unregister(registration) }
            unlink(path)
            return Array(state.connections.values)
        }
        for connection in connections { connection.drop() }
    }

    private func watch() throws(SystemError) {
        let registration = try loop.register(listener.raw, .read) { [weak self] _ in self?.acceptAll() }
        state.withLock { $0.registration = registration }
    }

    private func acceptAll() {
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
        if let registration = state.withLock({ $0.registration.take() }) { loop.unregister(registration) }
        loop.schedule(at: .now() + limits.acceptPause) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            if (try? self.watch()) == nil { self.pause() }
        }
    }

    private func add(_ descriptor: consuming Descriptor) {
        let connection = ControlConnection(descriptor, loop: loop, context: context, limits: limits) {
            [weak self] connection in
            self?.state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
        }
        var isWelcome = keep(connection)
        if !isWelcome {
            // The loop may not have reported clients that left.
            for other in state.withLock({ Array($0.connections.values) }) { other.dropIfGone() }
            isWelcome = keep(connection)
        }
        if isWelcome { connection.start() } else { connection.refuse() }
    }
    private func keep(_ connection: ControlConnection) -> Bool {
        state.withLock { state in
            guard !state.isStopped, state.connections.count < limits.connections else { return false }
            state.connections[ObjectIdentifier(connection)] = connection
            return true
        }
    }
}

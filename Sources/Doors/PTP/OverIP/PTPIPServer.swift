import Glibc
import Offload
import Photos
import Platform
import Synchronization

/// Waits for initiators on TCP (CIPA DC-005, section 2.2) and serves each on a thread of its own.
///
/// - Isolation: any thread.
package final class PTPIPServer: Sendable {
    /// The limits for initiators.
    package struct Limits: Sendable {
        /// Initiators served at once; another one is refused as busy.
        package var initiators = 4
        /// Connections in their handshake; another one ends the oldest.
        package var handshakes = 16
        /// How long a connection may take to become an initiator.
        package var handshake = Duration.seconds(10)
        /// How long an initiator may send or read nothing in the middle of a data phase.
        package var patience = PTPIPLink.patience
        /// How long to accept no connection after the system ran out of descriptors or memory.
        package var acceptPause = Duration.seconds(1)

        /// The limits that the camera uses.
        package init() {}
    }

    /// The port of the standard (CIPA DC-005, section 2.2.3.1).
    package static let port: UInt16 = 15740

    private struct State {
        var registration: EventLoop.Registration?
        var nextToken: UInt64 = 0
        var handshakes: [UInt64: PTPIPHandshake] = [:]
        var links: [ObjectIdentifier: PTPIPLink] = [:]
        var isStopped = false
    }

    /// The port it listens on.
    package let port: UInt16
    private let loop: EventLoop
    private let limits: Limits
    private let listener: PTPIPSocket
    private let threads: WorkQueue
    private let guid: [UInt8]
    private let name: String
    private let serve: @Sendable (any Link, PTPIPInitiator) -> Void
    private let state = Mutex(State())

    /// Listens on a literal address.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - identity: the name and identifier sent during the handshake.
    ///   - serve: runs a `Connection` over the link on the thread of an initiator, and returns when it is over.
    package init(
        address: String, port: UInt16 = PTPIPServer.port, identity: DeviceIdentity, loop: EventLoop,
        limits: Limits = Limits(), serve: @escaping @Sendable (any Link, PTPIPInitiator) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.limits = limits
        self.serve = serve
        guid = Self.guid(of: identity)
        name = identity.friendlyName
        listener = try PTPIPSocket.listen(address: address, port: port)
        self.port = listener.port
        threads = WorkQueue(name: "ptpip", threads: limits.initiators)
        try watch()
    }

    /// Stops listening, ends every connection, and waits until their threads have ended.
    package func stop() async {
        let (registration, handshakes, links) = state.withLock { state in
            state.isStopped = true
            defer {
                state.handshakes = [:]
                state.registration = nil
            }
            return (state.registration, Array(state.handshakes.values), Array(state.links.values))
        }
        if let registration { loop.unregister(registration) }
        for handshake in handshakes { forget(handshake) }
        for link in links { link.close() }
        await threads.stop()
    }

    // MARK: The loop's thread

    private func watch() throws(SystemError) {
        let registration = try loop.register(listener.descriptor.raw, .read) { [weak self] _ in self?.acceptSome() }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.registration = registration }
            return state.isStopped
        }
        if isStopped { loop.unregister(registration) }
    }

    /// Accepts a few waiting connections: the loop has other work, and wakes again for the rest.
    private func acceptSome() {
        for _ in 0..<limits.handshakes {
            do throws(SystemError) {
                try add(try listener.accept())
            } catch {
                switch error.code {
                case ECONNABORTED: continue
                case EAGAIN: return
                default:
                    // No descriptor or no memory is free. The waiting initiator would wake the loop again and again.
                    return pause()
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

    private func add(_ socket: PTPIPSocket) throws(SystemError) {
        guard let address = socket.peer?.host else { return }
        var handshake = PTPIPHandshake(socket, address: address)
        let token = state.withLock { state in
            defer { state.nextToken += 1 }
            return state.nextToken
        }
        handshake.registration = try loop.register(socket.descriptor.raw, .read) { [weak self] readiness in
            self?.handle(token, readiness)
        }
        handshake.timer = loop.schedule(at: .now() + limits.handshake) { [weak self] in self?.drop(token) }
        let (isStopped, oldest) = state.withLock { state in
            let oldest = state.handshakes.count < limits.handshakes ? nil : state.handshakes.keys.min()
            if !state.isStopped { state.handshakes[token] = handshake }
            return (state.isStopped, oldest)
        }
        if isStopped { forget(handshake) }
        if let oldest { drop(oldest) }
    }

    private func handle(_ token: UInt64, _ readiness: EventLoop.Readiness) {
        guard var handshake = state.withLock({ $0.handshakes[token] }) else { return }
        if readiness.contains(.hungUp) { return drop(token) }
        if handshake.awaited != nil {
            // It may send its first operation already, which is left for the link.
            if handshake.socket.isAtEnd { return drop(token) }
            if let registration = handshake.registration { loop.change(registration, []) }
            return
        }
        do throws(LinkError) {
            let element = try handshake.read()
            state.withLock { if $0.handshakes[token] != nil { $0.handshakes[token] = handshake } }
            guard let element else { return }
            switch element {
            case .packet(.initCommandRequest(let guid, let name, _)):
                let initiator = PTPIPInitiator(name: name, guid: guid, address: handshake.address)
                greet(token, handshake, initiator)
            case .packet(.initEventRequest(let number)): pair(token, handshake, with: number)
            default: refuse(token, handshake, .unspecified)
            }
        } catch {
            drop(token)
        }
    }

    /// Gives an initiator a number for its event connection.
    private func greet(_ token: UInt64, _ handshake: PTPIPHandshake, _ initiator: PTPIPInitiator) {
        let number = state.withLock { state -> UInt32? in
            guard state.links.count < limits.initiators else { return nil }
            // An initiator must not guess the number of another one.
            let used = state.handshakes.values.compactMap { $0.awaited?.number }
            var number: UInt32
            repeat { number = UInt32.random(in: 1...UInt32.max) } while used.contains(number)
            state.handshakes[token]?.awaited = PTPIPHandshake.Awaited(number: number, initiator: initiator)
            return number
        }
        guard let number else { return refuse(token, handshake, .busy) }
        handshake.send(
            .initCommandAck(connection: number, guid: guid, name: name, version: PTPIPPacket.version))
    }

    /// Joins an event connection with its command connection.
    private func pair(_ token: UInt64, _ events: PTPIPHandshake, with number: UInt32) {
        let (command, isBusy) = state.withLock { state in
            let found = state.handshakes.first {
                $0.value.awaited?.number == number && $0.value.address == events.address
            }
            return (found, state.links.count >= limits.initiators)
        }
        guard let command, let initiator = command.value.awaited?.initiator else {
            return refuse(token, events, .rejectedInitiator)
        }
        guard !isBusy,
            let link = try? PTPIPLink(
                command: command.value.socket, events: events.socket, patience: limits.patience)
        else {
            drop(command.key)
            return refuse(token, events, .busy)
        }
        let isWelcome = state.withLock { state in
            for key in [token, command.key] { state.handshakes[key] = nil }
            if !state.isStopped { state.links[ObjectIdentifier(link)] = link }
            return !state.isStopped
        }
        forget(events)
        forget(command.value)
        guard isWelcome else { return link.close() }
        events.send(.initEventAck)
        threads.submit { [self] in
            serve(link, initiator)
            link.close()
            state.withLock { $0.links[ObjectIdentifier(link)] = nil }
        }
    }

    private func refuse(_ token: UInt64, _ handshake: PTPIPHandshake, _ reason: PTPIPInitFailure) {
        handshake.send(.initFail(reason))
        drop(token)
    }

    private func drop(_ token: UInt64) {
        if let handshake = state.withLock({ $0.handshakes.removeValue(forKey: token) }) { forget(handshake) }
    }

    /// Releases a connection, which is closed unless a link uses it.
    private func forget(_ handshake: PTPIPHandshake) {
        if let registration = handshake.registration { loop.unregister(registration) }
        if let timer = handshake.timer { loop.cancel(timer) }
    }

    /// The camera's identifier of 16 bytes, which never changes.
    private static func guid(of identity: DeviceIdentity) -> [UInt8] {
        [identity.model, identity.manufacturer].reduce(into: []) { guid, name in
            guid.append(littleEndian: Array((name + identity.serialNumber).utf8).withUnsafeBytes { Checksum.of($0) })
        }
    }
}

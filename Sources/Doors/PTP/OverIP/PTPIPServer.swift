import Glibc
import Offload
import Photos
import Platform

/// Waits for initiators on TCP (CIPA DC-005, section 2.2) and serves each on a thread of its own.
///
/// - Isolation: its state belongs to the event loop. Methods without a note may be called from any thread.
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
        /// The listening socket's, while connections are accepted.
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
    private let state: LoopConfined<State>

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
        state = LoopConfined(State(), to: loop)
        threads = WorkQueue(name: "ptpip", threads: limits.initiators)
        let registration = try watch()
        loop.post { [self] in state.value.registration = registration }
    }

    /// Stops listening, ends every connection, and waits until their threads have ended. The event loop still runs.
    package func stop() async {
        await loop.run { [self] in close() }
        await threads.stop()
    }

    // MARK: The loop's thread

    private func close() {
        state.value.isStopped = true
        if let registration = state.value.registration.take() { loop.unregister(registration) }
        for handshake in state.value.handshakes.values { forget(handshake) }
        state.value.handshakes = [:]
        for link in state.value.links.values { link.close() }
    }

    private func watch() throws(SystemError) -> EventLoop.Registration {
        try loop.register(listener.descriptor.raw, .read) { [weak self] _ in self?.acceptSome() }
    }

    /// Accepts a few waiting connections: the loop has other work, and wakes again for the rest.
    private func acceptSome() {
        // A connection may come before the registration is noted; the loop then calls again.
        guard state.value.registration != nil else { return }
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
        if let registration = state.value.registration.take() { loop.unregister(registration) }
        loop.schedule(at: .now() + limits.acceptPause) { [weak self] in self?.resume() }
    }

    private func resume() {
        if state.value.isStopped { return }
        state.value.registration = try? watch()
        if state.value.registration == nil { pause() }
    }

    private func add(_ socket: PTPIPSocket) throws(SystemError) {
        guard let address = socket.peer?.host else { return }
        var handshake = PTPIPHandshake(socket, address: address)
        let token = state.value.nextToken
        state.value.nextToken += 1
        handshake.registration = try loop.register(socket.descriptor.raw, .read) { [weak self] readiness in
            self?.handle(token, readiness)
        }
        handshake.timer = loop.schedule(at: .now() + limits.handshake) { [weak self] in self?.drop(token) }
        if state.value.handshakes.count >= limits.handshakes, let oldest = state.value.handshakes.keys.min() {
            drop(oldest)
        }
        state.value.handshakes[token] = handshake
    }

    private func handle(_ token: UInt64, _ readiness: EventLoop.Readiness) {
        guard var handshake = state.value.handshakes[token] else { return }
        if readiness.contains(.hungUp) { return drop(token) }
        if handshake.awaited != nil {
            // It may send its first operation already, which is left for the link.
            if handshake.socket.isAtEnd { return drop(token) }
            if let registration = handshake.registration { loop.change(registration, []) }
            return
        }
        do throws(LinkError) {
            let element = try handshake.read()
            state.value.handshakes[token] = handshake
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
        guard state.value.links.count < limits.initiators else { return refuse(token, handshake, .busy) }
        // An initiator must not guess the number of another one.
        let used = state.value.handshakes.values.compactMap { $0.awaited?.number }
        var number: UInt32
        repeat { number = UInt32.random(in: 1...UInt32.max) } while used.contains(number)
        state.value.handshakes[token]?.awaited = PTPIPHandshake.Awaited(number: number, initiator: initiator)
        handshake.send(
            .initCommandAck(connection: number, guid: guid, name: name, version: PTPIPPacket.version))
    }

    /// Joins an event connection with its command connection.
    private func pair(_ token: UInt64, _ events: PTPIPHandshake, with number: UInt32) {
        let command = state.value.handshakes.first {
            $0.value.awaited?.number == number && $0.value.address == events.address
        }
        guard let command, let initiator = command.value.awaited?.initiator else {
            return refuse(token, events, .rejectedInitiator)
        }
        guard state.value.links.count < limits.initiators,
            let link = try? PTPIPLink(
                command: command.value.socket, events: events.socket, patience: limits.patience)
        else {
            drop(command.key)
            return refuse(token, events, .busy)
        }
        for key in [token, command.key] { drop(key) }
        state.value.links[ObjectIdentifier(link)] = link
        events.send(.initEventAck)
        threads.submit { [self] in
            serve(link, initiator)
            link.close()
            loop.post { [self] in state.value.links[ObjectIdentifier(link)] = nil }
        }
    }

    private func refuse(_ token: UInt64, _ handshake: PTPIPHandshake, _ reason: PTPIPInitFailure) {
        handshake.send(.initFail(reason))
        drop(token)
    }

    private func drop(_ token: UInt64) {
        if let handshake = state.value.handshakes.removeValue(forKey: token) { forget(handshake) }
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

import Capture
import Console
import Panel
import Photos
import Platform

// What happens by itself: to the stream and to the library.
extension Appliance {
    /// Starts the stream on the camera that is there now.
    func startStream() async {
        do {
            let input = try CaptureDeviceInput(device: try await device())
            let old = state.withLock { state in
                defer { state.input = input }
                return state.input
            }
            if let old { session.removeInput(old) }
            session.addInput(input)
            applySettings()
            try await session.startRunning()
        } catch {
            streamDidFail(
                error as? CommandFailure ?? (error as? CaptureError).map { CommandFailure($0) } ?? .unknown)
        }
    }

    /// The camera's device. An unplugged one stays unplugged; the sensor may be back as a new one.
    private func device() async throws(CommandFailure) -> CaptureDevice {
        if let device = state.withLock({ $0.device }), device.isConnected { return device }
        let device = CaptureDevice(sensor: try await parts.sensors.connect())
        state.withLock { $0.device = device }
        CaptureDevice.register(device)
        return device
    }

    func sessionDid(_ event: CaptureSession.Event) {
        switch event {
        case .didStart:
            let recovered = state.withLock { state in
                defer { state.sensorFailure = nil }
                state.streamStart = parts.time.now
                return state.sensorFailure
            }
            if let recovered {
                panel.report(.faultEnded(.cameraUnavailable))
                send(.recovered, ["code": .string(recovered.code)])
            }
            tellReady()
        case .didStop:
            // While the next stream starts, frames are not yet missed.
            state.withLock { $0.streamStart = nil }
        case .runtimeError(let error): streamDidFail(CommandFailure(error))
        case .usageError(let error): parts.log.write(.error, error.message)
        }
    }

    /// Looks whether frames come, in case the sensor does not say itself that it stalled. Calls itself again.
    func watchFrames() {
        if let stream = session.stream, let start = state.withLock({ $0.streamStart }) {
            let newest = max(start, output.newestFrameArrival ?? start)
            if parts.time.now - newest > max(Self.frameLimit, stream.frameInterval * 10) {
                session.streamDidFail(.stalled)
            }
        }
        _ = parts.loop.schedule(at: parts.time.now + .seconds(1)) { [weak self] in self?.watchFrames() }
    }

    /// Reports that there are no frames, and tries again later and later.
    private func streamDidFail(_ failure: CommandFailure) {
        let (isNew, delay, attempt, isStopping) = state.withLock { state in
            let isNew = state.sensorFailure == nil
            state.restartDelay =
                isNew ? Self.firstRestartDelay : min(state.restartDelay * 2, Self.longestRestartDelay)
            state.sensorFailure = failure
            state.attempts += 1
            state.awaitedAttempt = state.attempts
            return (isNew, state.restartDelay, state.attempts, state.isStopping)
        }
        guard !isStopping else { return }
        if isNew {
            panel.report(.faultBegan(.cameraUnavailable))
            send(.fault, failure)
        }
        _ = parts.loop.schedule(at: parts.time.now + delay) { [weak self] in self?.tryAgain(attempt) }
    }

    /// Starts the stream, if an attempt to do so is waited for.
    ///
    /// - Parameter attempt: only this one; nil for whichever is next.
    private func tryAgain(_ attempt: Int? = nil) {
        let isDue = state.withLock { state in
            guard !state.isStopping, let awaited = state.awaitedAttempt, awaited == attempt ?? awaited else {
                return false
            }
            state.awaitedAttempt = nil
            return true
        }
        if isDue { Task { await startStream() } }
    }

    /// A camera came or went: it is looked at once whether there is one.
    func camerasDidChange() {
        // Also when an attempt is under way that may have looked too early.
        state.withLock { if $0.sensorFailure != nil { $0.restartDelay = Self.firstRestartDelay / 2 } }
        tryAgain()
    }

    func libraryDid(_ event: LibraryEvent) {
        switch event {
        case .added(let asset):
            panel.report(.saved)
            events.send(.saved(PhotoRecord(asset), time: rfc3339Now))
        case .changed(let asset):
            events.send(EventRecord(.changed, PhotoRecord(asset), time: rfc3339Now))
        case .removed(let identifiers):
            for identifier in identifiers { send(.deleted, ["id": .string(identifier)]) }
        case .restored(let asset):
            send(.restored, ["id": .string(asset.localIdentifier)])
        case .purged(let identifiers):
            send(.emptied, ["count": .integer(Int64(identifiers.count))])
        case .adopted(let asset):
            parts.log.write(.info, "found \(asset.name) and took it into the library")
        case .quarantined(let name, let reason):
            parts.log.write(.warning, "set \(name) aside: \(reason)")
        case .missing(_, let name):
            parts.log.write(.error, "\(name) is missing")
        case .stateChanged(let state):
            libraryStateDid(state)
        case .initialised(let library):
            parts.log.write(.info, "made a new library in \(library)")
        case .rebuilding(let reason, let copied):
            let lost = "favourites, albums, selections, changed dates and the identifiers of imported files"
            parts.log.write(
                .warning,
                "the catalogue is being rebuilt: \(reason); "
                    + (copied.map { "\(lost) are as they were at \($0.rfc3339), later ones are lost" }
                        ?? "there is no copy of it, so that \(lost) are lost"))
        case .accessChanged(let client):
            parts.log.write(.info, "what \(client.name) may do has changed")
            usbPort?.accessDidChange(client)
            guard let grant = parts.store.clients().first(where: { $0.client == client }) else { return }
            events.send(
                .access(
                    client: client.name, level: grant.level.rawValue, status: grant.status.word, time: rfc3339Now))
        case .selectionChanged(let client):
            parts.log.write(.info, "what \(client.name) sees has changed")
        case .grantsLost(let reason):
            parts.log.write(.warning, "what clients were allowed is lost, nobody is allowed anything: \(reason)")
        case .grantNotStored(let client, let reason):
            parts.log.write(.error, "\(client.name) was not allowed, as that could not be kept: \(reason)")
        }
    }

    /// Shows what the storage can do.
    func libraryStateDid(_ libraryState: LibraryState) {
        let fault: StatusLight.Fault? =
            switch libraryState {
            case .ready, .nearlyFull: nil
            case .full, .readOnly, .offline: .cardFull
            case .numberingExhausted: .numbersExhausted
            }
        let old = state.withLock { state in
            defer { state.libraryFault = fault }
            return state.libraryFault
        }
        panel.report(.cardNearlyFull(libraryState == .nearlyFull))
        guard fault != old else { return }
        if let old {
            panel.report(.faultEnded(old))
            send(.recovered, ["message": .string("photos can be saved again")])
        }
        if let fault {
            panel.report(.faultBegan(fault))
            if let refusal = libraryState.refusal { send(.fault, CommandFailure(refusal)) }
        }
    }
}

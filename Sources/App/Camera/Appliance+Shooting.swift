import Capture
import Console
import Panel
import Photos
import Platform

// From gestures to photos.
extension Appliance {
    /// A burst under way.
    struct Burst: Sendable {
        /// The moment of the press that it began with.
        let press: MonotonicTime
        /// Ties its photos together.
        let identifier = AssetIdentifier()
        /// When the button was let go; nil while it is held.
        var end: MonotonicTime?
    }

    /// Carries out what a gesture means.
    ///
    /// - Isolation: the event loop.
    func perform(_ action: ButtonMachine.Action) {
        switch action {
        case .pin(let moment):
            if let reservation = output.reserveFrame(at: moment) {
                state.withLock { $0.reservations[moment] = reservation }
            }
        case .unpin(let moment):
            _ = state.withLock { $0.reservations.removeValue(forKey: moment) }
        case .press(let moment):
            let reservation = state.withLock { $0.reservations.removeValue(forKey: moment) }
            takePressedPhoto(moment: moment, reservation: reservation)
        case .burstBegan(let press, let start):
            let burst = Burst(press: press)
            let first = state.withLock { state in
                state.burst = burst
                return state.pressed?.moment == press ? state.pressed?.identifier : nil
            }
            if let first { join(first, to: burst) }
            takeBurstFrame(moment: start, after: nil, of: burst)
        case .burstEnded(_, let end):
            endBurst(at: end)
        case .stuck(let line):
            send(
                .fault,
                CommandFailure(
                    .system, "the \(line.rawValue) button has been down for too long; check its wiring", retry: true))
        case .recovered(let line):
            send(.recovered, ["message": .string("the \(line.rawValue) button is at rest again")])
        case .halfPressBegan, .halfPressEnded:
            break  // no sensor has anything to lock yet
        case .consent:
            prompts.held()
        case .shutDown:
            parts.log.write(.info, "the button was held: the camera shuts down")
            parts.shutDown()
        }
    }

    /// Takes a photo and says so.
    ///
    /// - Returns: why it was refused.
    @discardableResult
    func takePhoto(_ shot: Shutter.Shot) -> CommandFailure? {
        guard state.withLock({ $0.isReady }) else {
            let failure = CommandFailure(.starting, "the camera is starting; try again when the light is solid")
            shutterDid(.refused(failure))
            shot.completion(.failure(failure))
            return failure
        }
        return shutter.take(shot, embedsThumbnail: parts.settings.configuration.photo.hasThumbnail)
    }

    /// Takes the photo of a press. Should the press turn out to begin a burst, its photo joins that.
    private func takePressedPhoto(moment: MonotonicTime, reservation: FrameReservation?) {
        var shot = Shutter.Shot(moment: moment, reservation: reservation)
        shot.completion = { [weak self] result in
            guard let self, case .success(let identifier) = result else { return }
            let burst = state.withLock { state in
                if state.pressed.map({ $0.moment < moment }) ?? true { state.pressed = (moment, identifier) }
                return state.burst?.press == moment ? state.burst : nil
            }
            if let burst { join(identifier, to: burst) }
        }
        if takePhoto(shot) != nil { state.withLock { $0.pressesRefused += 1 } }
    }

    /// Makes a saved photo part of a burst.
    private func join(_ identifier: String, to burst: Burst) {
        Task { [library] in
            guard let asset = try? await library.asset(identifier) else { return }
            library.performChanges {
                AssetChangeRequest(for: asset).join(burst: burst.identifier)
            } completionHandler: { [weak self] isDone, error in
                if !isDone {
                    self?.parts.log.write(
                        .warning, "\(asset.number) could not join its burst: \((error as? PhotosError)?.message ?? "")")
                }
            }
        }
    }

    /// Takes the next frame of a burst, and the one after it when this one is chosen, until the button is let go.
    private func takeBurstFrame(moment: MonotonicTime, after sequence: UInt64?, of burst: Burst) {
        var shot = Shutter.Shot(moment: moment, followingSequence: sequence, burst: burst.identifier)
        shot.frameChosen = { [weak self] sequence in
            guard let self else { return }
            if state.withLock({ $0.burst?.press == burst.press && $0.burst?.end == nil }) {
                takeBurstFrame(moment: parts.time.now, after: sequence, of: burst)
            }
        }
        shot.isWanted = { [weak self] timestamp in
            guard let end = self?.state.withLock({ $0.burst?.press == burst.press ? $0.burst?.end : nil }) else {
                return true
            }
            return timestamp <= end
        }
        guard let refusal = takePhoto(shot) else { return }
        guard refusal.retry else { return endBurst(at: parts.time.now) }
        // No room just now: try again for the next frame, as long as the button is held.
        _ = parts.loop.schedule(at: parts.time.now + .milliseconds(20)) { [weak self] in
            guard let self, state.withLock({ $0.burst?.press == burst.press && $0.burst?.end == nil }) else { return }
            takeBurstFrame(moment: parts.time.now, after: sequence, of: burst)
        }
    }

    /// The button was let go: frames after that moment are not wanted.
    func endBurst(at end: MonotonicTime) {
        let isUnderWay = state.withLock { state in
            if state.burst?.end == nil { state.burst?.end = end }
            return state.burst != nil
        }
        guard isUnderWay else { return }
        shutter.whenIdle { [weak self] in self?.state.withLock { if $0.burst?.end != nil { $0.burst = nil } } }
    }

    /// Tells the light and the event stream what the shutter does.
    func shutterDid(_ event: Shutter.Event) {
        switch event {
        case .accepted(let identifier):
            send(.pressed, ["id": .string(identifier)])
        case .captured(let identifier):
            panel.report(.photoTaken)
            send(.captured, ["id": .string(identifier)])
        case .refused(let failure):
            panel.report(.refused)
            send(.refused, failure)
        case .failed(let identifier, let failure):
            send(.failed, failure, ["id": .string(identifier)])
        case .inFlight(let count):
            panel.report(.saving(count: count))
        }
    }
}

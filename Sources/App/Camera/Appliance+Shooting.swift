import Capture
import Console
import Panel
import Photos
import Platform

// From gestures to photos.
extension Appliance {
    /// Carries out what a gesture means.
    ///
    /// - Isolation: the event loop.
    func perform(_ action: ButtonMachine.Action) {
        switch action {
        case .pin(let moment):
            if let reservation = output.reserveFrame(at: moment) {
                state.reservations[moment] = reservation
            }
        case .unpin(let moment):
            state.reservations[moment] = nil
        case .press(let moment):
            let reservation = state.reservations.removeValue(forKey: moment)
            takePressedPhoto(moment: moment, reservation: reservation)
        case .burstBegan(let press, let start):
            handle(.began(Burst(press: press), at: start))
        case .burstEnded(_, let end):
            handle(.ended(at: end))
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

    /// Takes a photo and reports it.
    ///
    /// - Isolation: any thread.
    /// - Returns: why it was refused.
    @discardableResult
    func takePhoto(_ shot: Shutter.Shot) -> CommandFailure? {
        shutter.take(shot, embedsThumbnail: parts.settings.configuration.photo.hasThumbnail)
    }

    /// Takes the photo of a press. Should the press turn out to begin a burst, its photo joins that.
    private func takePressedPhoto(moment: MonotonicTime, reservation: FrameReservation?) {
        var shot = Shutter.Shot(moment: moment, reservation: reservation)
        shot.completion = { [weak self] result in
            guard case .success(let identifier) = result else { return }
            self?.post { $0.handle(.saved(press: moment, identifier: identifier)) }
        }
        if takePhoto(shot) != nil { state.pressesRefused += 1 }
    }

    /// Has the burst take what happened, and carries out what it says.
    func handle(_ event: BurstMachine.Event) {
        let actions = state.burst.handle(event)
        if let timer = state.burstTimer.take() { parts.loop.cancel(timer) }
        state.burstTimer = state.burst.nextDeadline.map { moment in
            parts.loop.schedule(at: moment) { [weak self] in
                guard let self else { return }
                handle(.time(parts.time.now))
            }
        }
        for action in actions {
            switch action {
            case .take(let moment, let sequence, let burst): takeBurstFrame(moment: moment, after: sequence, of: burst)
            case .join(let identifier, let burst): join(identifier, to: burst)
            case .end(let burst, let moment):
                burst.end(at: moment)
                shutter.whenIdle { [weak self] in self?.post { $0.handle(.idle) } }
            }
        }
    }

    private func takeBurstFrame(moment: MonotonicTime, after sequence: UInt64?, of burst: Burst) {
        var shot = Shutter.Shot(moment: moment, followingSequence: sequence, burst: burst)
        shot.frameChosen = { [weak self] sequence in
            self?.post { $0.handle(.frameChosen(sequence, of: burst, at: $0.parts.time.now)) }
        }
        guard let refusal = takePhoto(shot) else { return }
        handle(.refused(after: sequence, canRetry: refusal.retry, of: burst, at: parts.time.now))
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

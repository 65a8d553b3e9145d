import Console
import Panel

// From gestures to photos.
extension Appliance {
    /// Carries out what a gesture means.
    ///
    /// - Isolation: the event loop.
    func perform(_ action: ButtonMachine.Action) {
        switch action {
        case .pin(let moment): button.pin(moment)
        case .unpin(let moment): button.unpin(moment)
        case .press(let moment): button.press(moment)
        case .burstBegan(let press, let start): button.beginBurst(press: press, at: start)
        case .burstEnded(_, let end): button.endBurst(at: end)
        case .stuck(let line):
            send(
                .fault,
                CommandFailure(
                    .system, "the \(line.rawValue) button has been pressed for too long; check its wiring", retry: true)
            )
        case .recovered(let line):
            send(.recovered, ["message": .string("the \(line.rawValue) button is released again")])
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

    /// Reports to the light and the event stream what the shutter does.
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

import Console
import Platform

/// Informs the service manager of the end of the start, the camera's status, signs of life, and the stop.
///
/// - Isolation: any thread may call; its state belongs to the event loop.
package final class ServiceKeeper: Sendable {
    private let manager: ServiceManager
    private let interval: Duration?
    private let appliance: Appliance
    private let state: LoopConfined<State>

    private struct State {
        var rule = WatchdogRule()
        /// Sentences about the button and the light that are missing, by their code.
        var missing: [String: String] = [:]
    }

    /// A keeper that reports nothing before `started()`.
    ///
    /// - Parameter interval: the time between two signs of life; nil when the manager's watchdog is off.
    package init(manager: ServiceManager, interval: Duration?, appliance: Appliance) {
        self.manager = manager
        self.interval = interval
        self.appliance = appliance
        state = LoopConfined(State(), to: appliance.parts.loop)
    }

    /// Reports that the start is over: the camera accepts presses, or the reason why it does not is known.
    package func started() {
        manager.send(.ready)
        _ = appliance.events.follow(replaying: true) { [weak self, loop = appliance.parts.loop] event in
            loop.post { [weak self] in self?.receive(event) }
        }
        appliance.parts.loop.post { [self] in
            reportStatus()
            if let interval { tick(every: interval) }
        }
    }

    /// Reports that the camera is stopping.
    package func stopping() {
        manager.send(.stopping)
    }

    private func receive(_ event: EventRecord) {
        switch event.name {
        case .fault, .recovered:
            let codes: [FailureCode] = [.buttonUnavailable, .lightUnavailable]
            if let code = event.text("code"), codes.contains(where: { $0.rawValue == code }) {
                state.value.missing[code] = event.name == .fault ? event.text("message") : nil
            }
            reportStatus()
        case .ready, .stopping: reportStatus()
        default: break
        }
    }

    private func reportStatus() {
        let failure = appliance.stream.failure
        let name = appliance.cameraState.rawValue
        let parts = state.value.missing.sorted { $0.key < $1.key }.map(\.value)
        let sentences = (failure.map { [$0.message] } ?? []) + parts
        manager.send(.status(sentences.isEmpty ? name : "\(name): \(sentences.joined(separator: "; "))"))
    }

    // MARK: The watchdog

    private func tick(every interval: Duration) {
        handle(.tick)
        let parts = appliance.parts
        parts.loop.schedule(at: parts.time.now + interval) { [weak self] in self?.tick(every: interval) }
    }

    private func handle(_ event: WatchdogRule.Event) {
        for action in state.value.rule.handle(event) {
            switch action {
            case .pet: manager.send(.watchdog)
            case .ask(.library, let round):
                appliance.parts.store.whenReached { [weak self, loop = appliance.parts.loop] in
                    loop.post { [weak self] in self?.handle(.proved(.library, round: round)) }
                }
            case .ask(.sensor, let round): checkSensor(round: round, since: appliance.parts.time.now)
            case .report(let part):
                appliance.parts.log.write(
                    .error, "the \(part.rawValue) does not respond; the service manager will restart the camera")
            }
        }
    }

    /// Waits for a frame that is newer than the question. Calls itself again.
    private func checkSensor(round: Int, since asked: MonotonicTime) {
        guard state.value.rule.isAwaited(.sensor, round: round) else { return }
        if appliance.stream.isSensorAlive(since: asked) { return handle(.proved(.sensor, round: round)) }
        let parts = appliance.parts
        parts.loop.schedule(at: parts.time.now + min(.milliseconds(200), (interval ?? .seconds(1)) / 4)) {
            [weak self] in
            self?.checkSensor(round: round, since: asked)
        }
    }
}

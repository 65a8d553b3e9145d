import Console
import Platform
import Synchronization

/// Keeps the service manager informed: that the start is over, how the camera is, that it lives, and that it ends.
///
/// - Isolation: any thread; the watchdog runs on the event loop.
package final class ServiceKeeper: Sendable {
    private let manager: ServiceManager
    private let interval: Duration?
    private let appliance: Appliance
    private let rule = Mutex(WatchdogRule())
    /// Sentences of the button and light that are missing, by their code.
    private let missing = Mutex<[String: String]>([:])

    /// A keeper that tells nothing yet.
    ///
    /// - Parameter interval: between two signs of life; nil when the manager wants none.
    package init(manager: ServiceManager, interval: Duration?, appliance: Appliance) {
        self.manager = manager
        self.interval = interval
        self.appliance = appliance
    }

    /// The camera takes presses, or it is known why it does not.
    package func started() {
        manager.tell(.ready)
        _ = appliance.events.follow(replaying: true) { [weak self] in self?.eventCame($0) }
        tellStatus()
        if let interval { appliance.parts.loop.post { [self] in tick(every: interval) } }
    }

    /// The camera is being stopped.
    package func stopping() {
        manager.tell(.stopping)
    }

    private func eventCame(_ event: EventRecord) {
        switch event.name {
        case .fault, .recovered:
            let codes: [FailureCode] = [.buttonUnavailable, .lightUnavailable]
            if let code = event.text("code"), codes.contains(where: { $0.rawValue == code }) {
                missing.withLock { $0[code] = event.name == .fault ? event.text("message") : nil }
            }
            tellStatus()
        case .ready, .stopping: tellStatus()
        default: break
        }
    }

    private func tellStatus() {
        let failure = appliance.state.withLock { $0.sensorFailure }
        let state = appliance.cameraState.rawValue
        let parts = missing.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        let sentences = (failure.map { [$0.message] } ?? []) + parts
        manager.tell(.status(sentences.isEmpty ? state : "\(state): \(sentences.joined(separator: "; "))"))
    }

    // MARK: The watchdog

    private func tick(every interval: Duration) {
        handle(.tick)
        let parts = appliance.parts
        parts.loop.schedule(at: parts.time.now + interval) { [weak self] in self?.tick(every: interval) }
    }

    private func handle(_ event: WatchdogRule.Event) {
        for action in rule.withLock({ $0.handle(event) }) {
            switch action {
            case .pet: manager.tell(.watchdog)
            case .ask(.library, let round):
                appliance.parts.store.whenReached { [weak self] in self?.handle(.proved(.library, round: round)) }
            case .ask(.sensor, let round): checkSensor(round: round, since: appliance.parts.time.now)
            case .report(let part):
                appliance.parts.log.write(
                    .error, "the \(part.rawValue) does not answer; the service manager will start the camera anew")
            }
        }
    }

    /// Waits for a frame that is newer than the question. Calls itself again.
    private func checkSensor(round: Int, since asked: MonotonicTime) {
        guard rule.withLock({ $0.isAwaited(.sensor, round: round) }) else { return }
        if appliance.isSensorAlive(since: asked) { return handle(.proved(.sensor, round: round)) }
        let parts = appliance.parts
        parts.loop.schedule(at: parts.time.now + min(.milliseconds(200), (interval ?? .seconds(1)) / 4)) {
            [weak self] in
            self?.checkSensor(round: round, since: asked)
        }
    }
}

extension Appliance {
    /// True when a frame has come since a moment, when none is due yet, and when none can come because no stream runs.
    func isSensorAlive(since moment: MonotonicTime) -> Bool {
        guard let stream = session.stream else { return true }
        if let newest = output.newestFrameArrival, newest > moment { return true }
        // A long exposure is not a stuck sensor.
        return stream.frameInterval > Self.frameLimit && parts.time.now - moment < stream.frameInterval * 10
    }
}

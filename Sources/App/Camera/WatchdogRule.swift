import Platform

/// Decides when to reset the service manager's watchdog: only while every part of the camera proves that it is alive.
///
/// Each tick asks the parts. The next one resets the watchdog if all have answered; a part that answers
/// later resets it then, and if one never does, the service manager restarts the camera.
struct WatchdogRule: Sendable {
    /// The parts that must prove that they are alive. The event loop does so by ticking.
    enum Part: String, CaseIterable, Hashable, Sendable {
        /// The library's thread, which must respond in time.
        case library
        /// The sensor, which delivers frames while the stream runs.
        case sensor
    }

    /// What the rule receives.
    enum Event: Hashable, Sendable {
        /// Half of the watchdog's time has passed.
        case tick
        /// A part has answered the question of this round.
        case proved(Part, round: Int)
    }

    /// What is to be done.
    enum Action: Hashable, Sendable {
        /// Report to the service manager that the camera is alive.
        case pet
        /// Have a part prove that it lives.
        case ask(Part, round: Int)
        /// Say that a part does not answer.
        case report(Part)
    }

    private var unanswered: Set<Part> = []
    private var round = 0
    private var isOverdue = false

    /// True while a part has not answered the question of this round.
    func isAwaited(_ part: Part, round: Int) -> Bool { round == self.round && unanswered.contains(part) }

    /// Takes what happened and says what is to be done, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .tick:
            guard unanswered.isEmpty else {
                let isFirst = !isOverdue
                isOverdue = true
                return isFirst ? Part.allCases.filter(unanswered.contains).map { .report($0) } : []
            }
            return ask()
        case .proved(let part, let round):
            guard round == self.round, unanswered.remove(part) != nil, unanswered.isEmpty, isOverdue else { return [] }
            isOverdue = false
            return [.pet]
        }
    }

    private mutating func ask() -> [Action] {
        round += 1
        unanswered = Set(Part.allCases)
        return [.pet] + Part.allCases.map { .ask($0, round: round) }
    }
}

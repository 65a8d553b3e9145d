import Platform

/// Decides whether the service manager's watchdog is petted: only while every part of the camera proves that it lives.
///
/// At each tick the parts are asked. At the next one the watchdog is petted if all have answered; a part that answers
/// later has it petted then, and one that never does lets the service manager start the camera anew.
struct WatchdogRule: Sendable {
    /// What has to prove that it lives. The event loop does so by ticking.
    enum Part: String, CaseIterable, Hashable, Sendable {
        /// The library's thread.
        case library
        /// The sensor, which delivers frames while the stream runs.
        case sensor
    }

    /// What the rule is told.
    enum Event: Hashable, Sendable {
        /// Half of the watchdog's time has passed.
        case tick
        /// A part has answered the question of this round.
        case proved(Part, round: Int)
    }

    /// What is to be done.
    enum Action: Hashable, Sendable {
        /// Tell the service manager that the camera lives.
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

import Platform

/// Decides which question a person is asked, for how long, and what its answer means. It shows one question at a time, in
/// the order in which clients asked.
///
/// Access and deletions wait in the same queue. An unanswered question changes nothing; its client cannot ask again for a
/// while.
struct PromptQueue: Sendable {
    /// What happens to the queue, each with its moment.
    enum Event: Hashable, Sendable {
        /// A client requests access.
        case asked(AccessQuestion, at: MonotonicTime)
        /// These questions are void, by number.
        case withdrawn(Set<Int>, at: MonotonicTime)
        /// A person answers the question with this number, by holding the button for instance.
        case answered(Int, AccessAnswer, at: MonotonicTime)
        /// A console allows a client this level; without one, what the shown question asks.
        case allowed(client: String, ClientLevel?, at: MonotonicTime)
        /// A console refuses a client.
        case denied(client: String, at: MonotonicTime)
        /// The present moment, at `nextDeadline` or later.
        case time(MonotonicTime)
    }

    /// What its owner must do, in order. Every question ends exactly once.
    enum Action: Hashable, Sendable {
        /// Show this question, until it is hidden. The queue shows no other meanwhile.
        case show(AccessQuestion)
        /// Hide this question, which has this outcome.
        case hide(AccessQuestion, PromptOutcome)
        /// The question with this number has ended.
        case end(Int, PromptOutcome)
        /// A console answered a client of which no question asks that: give the client this level. `.nothing` refuses it.
        case grant(client: String, ClientLevel)
    }

    private struct Entry {
        let question: AccessQuestion
        /// When it ends unanswered; nil while it waits to be shown.
        var deadline: MonotonicTime?
    }

    /// The most questions that may wait. A further one ends unanswered at once.
    static let waitingLimit = 64
    /// How long a client cannot ask after its first, second and every further unanswered question.
    private static let pauses: [Duration] = [.seconds(60), .seconds(300), .seconds(1800)]

    /// The first is shown, the others wait.
    private var entries: [Entry] = []
    /// Clients that cannot ask for a while, by name: a new session of a client does not end its pause.
    private var quiet: [String: (times: Int, until: MonotonicTime)] = [:]

    /// When the queue must handle `.time`; nil while it shows no question.
    var nextDeadline: MonotonicTime? { entries.first?.deadline }

    /// The question that is shown.
    var shown: AccessQuestion? { entries.first?.question }

    /// Takes what happened and returns what to do, in order.
    mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        let now = event.moment
        if case .answered(let number, let answer, _) = event { self.answer(number, answer, at: now, &actions) }
        expire(at: now, &actions)
        switch event {
        case .asked(let question, _): ask(question, at: now, &actions)
        case .withdrawn(let numbers, _): end(.withdrawn, &actions) { numbers.contains($0.question.number) }
        case .allowed(let client, let level, _): consoleAllows(client, level, &actions)
        case .denied(let client, _):
            quiet[client] = nil
            if !end(.answered(.refused), &actions, where: { $0.question.client == client }) {
                actions.append(.grant(client: client, .nothing))
            }
        case .answered, .time: break
        }
        if let next = entries.first, next.deadline == nil {
            entries[0].deadline = now + next.question.subject.limit
            actions.append(.show(next.question))
        }
        return actions
    }

    private mutating func ask(_ question: AccessQuestion, at now: MonotonicTime, _ actions: inout [Action]) {
        let isQuiet = quiet[question.client].map { now < $0.until } ?? false
        if isQuiet || entries.count >= Self.waitingLimit {
            actions.append(.end(question.number, .answered(.unanswered)))
        } else {
            entries.append(Entry(question: question))
        }
    }

    /// Takes an answer, which counts only for the question that is shown, and only before its deadline.
    private mutating func answer(
        _ number: Int, _ answer: AccessAnswer, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let shown = entries.first, shown.question.number == number, let deadline = shown.deadline, now < deadline
        else { return }
        switch answer {
        case .allowed: allow(shown.question, &actions)
        case .granted, .refused:
            quiet[shown.question.client] = nil
            end(.answered(answer), &actions) { $0.question.number == number }
        case .unanswered: endUnanswered(shown.question.client, at: now, &actions)
        }
    }

    /// Ends a question that was shown for too long.
    private mutating func expire(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let shown = entries.first, let deadline = shown.deadline, deadline <= now else { return }
        endUnanswered(shown.question.client, at: now, &actions)
    }

    /// Ends all questions of a client unanswered and begins its pause.
    private mutating func endUnanswered(_ client: String, at now: MonotonicTime, _ actions: inout [Action]) {
        let times = quiet[client]?.times ?? 0
        quiet[client] = (times + 1, now + Self.pauses[min(times, Self.pauses.count - 1)])
        end(.answered(.unanswered), &actions) { $0.question.client == client }
    }

    private mutating func consoleAllows(_ client: String, _ level: ClientLevel?, _ actions: inout [Action]) {
        if level == nil, let first = entries.first, first.deadline != nil, first.question.client == client {
            return allow(first.question, &actions)
        }
        // Without a question and without a level, a client gets the lowest level.
        let level = level ?? .addOnly
        quiet[client] = nil
        let isAnswer = end(.answered(.granted(level)), &actions) { entry in
            guard entry.question.client == client, case .access(let access) = entry.question.subject else {
                return false
            }
            return access == .addOnly || level != .addOnly
        }
        if !isAnswer { actions.append(.grant(client: client, level)) }
    }

    /// Allows the shown question, and with access to see photos also the questions of this client about adding some.
    private mutating func allow(_ shown: AccessQuestion, _ actions: inout [Action]) {
        quiet[shown.client] = nil
        end(.answered(.allowed), &actions) { entry in
            entry.question.number == shown.number
                || (shown.subject == .access(.readWrite) && entry.question.client == shown.client
                    && entry.question.subject == .access(.addOnly))
        }
    }

    /// Ends all questions that match with the same outcome; false when none did.
    @discardableResult
    private mutating func end(
        _ outcome: PromptOutcome, _ actions: inout [Action], where matches: (Entry) -> Bool
    ) -> Bool {
        let ended = entries.filter(matches)
        entries.removeAll(where: matches)
        for entry in ended {
            if entry.deadline != nil { actions.append(.hide(entry.question, outcome)) }
            actions.append(.end(entry.question.number, outcome))
        }
        return !ended.isEmpty
    }
}

extension PromptQueue.Event {
    fileprivate var moment: MonotonicTime {
        switch self {
        case .asked(_, let moment), .withdrawn(_, let moment), .answered(_, _, let moment), .allowed(_, _, let moment),
            .denied(_, let moment), .time(let moment):
            moment
        }
    }
}

extension AccessQuestion.Subject {
    /// How long a question is shown before it ends unanswered.
    package var limit: Duration {
        switch self {
        case .access: .seconds(30)
        case .deletion: .seconds(20)
        }
    }
}

/// How a question ended.
package enum PromptOutcome: Hashable, Sendable {
    /// With an answer, or unanswered in time.
    case answered(AccessAnswer)
    /// It became void, for instance because its client has gone. The library decides nothing.
    case withdrawn

    /// The word of `answer` in the event `prompt-ended`.
    package var word: String {
        switch self {
        case .answered(.allowed): "allowed"
        case .answered(.granted(let level)): level.rawValue
        case .answered(.refused): "denied"
        case .answered(.unanswered): "unanswered"
        case .withdrawn: "withdrawn"
        }
    }
}

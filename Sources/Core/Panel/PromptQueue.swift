import Platform

/// Which question of a client a person is asked, and what comes of it: one at a time, in the order they were asked.
///
/// Access and deletion wait in the same queue. A question nobody answers in time leaves its client quiet for a while.
package struct PromptQueue: Sendable {
    /// What a client asks for when it asks for access.
    package enum Access: String, Hashable, Sendable {
        /// To add photos.
        case addOnly = "add-only"
        /// To see photos as well.
        case readWrite = "read-write"
    }

    /// What a console can grant.
    package enum Level: String, Hashable, Sendable, CaseIterable {
        /// To add photos.
        case addOnly = "add-only"
        /// To see and change selected photos.
        case limited
        /// To see and change all photos.
        case full
    }

    /// What a prompt is about.
    package enum Subject: Hashable, Sendable {
        /// Access that is undecided.
        case access(Access)
        /// Deleting so many photos.
        case deletion(count: Int)

        /// How long the prompt is shown without an answer.
        package var limit: Duration {
            switch self {
            case .access: .seconds(30)
            case .deletion: .seconds(20)
            }
        }
    }

    /// A question of a client.
    package struct Prompt: Hashable, Sendable {
        /// The asker's number for it; never used twice.
        package let id: Int
        /// The client's name. Sessions of one name share its quiet time: plugging in again does not end it.
        package let client: String
        /// What it asks for.
        package let subject: Subject
        /// Why it asks, from the configuration.
        package let purpose: String

        /// A question from its parts.
        package init(id: Int, client: String, subject: Subject, purpose: String) {
            self.id = id
            self.client = client
            self.subject = subject
            self.purpose = purpose
        }
    }

    /// What came of a question.
    package enum Answer: Hashable, Sendable {
        /// Allowed as asked, by the button or a console.
        case allowed
        /// A console granted this.
        case granted(Level)
        /// A console refused.
        case denied
        /// Nobody answered, or the client is quiet. Nothing is decided.
        case unanswered
        /// The client is gone. Nothing is decided.
        case withdrawn

        /// The word that events tell.
        package var name: String {
            switch self {
            case .allowed: "allowed"
            case .granted(let level): level.rawValue
            case .denied: "denied"
            case .unanswered: "unanswered"
            case .withdrawn: "withdrawn"
            }
        }
    }

    /// What the queue is told, each with its moment.
    package enum Event: Hashable, Sendable {
        /// A client asks.
        case asked(Prompt, at: MonotonicTime)
        /// A client is gone.
        case withdrawn(client: String, at: MonotonicTime)
        /// The button was held: `ButtonMachine.Action.consent`.
        case held(at: MonotonicTime)
        /// A console allows; without a level, what is being asked.
        case allowed(client: String, Level?, at: MonotonicTime)
        /// A console refuses.
        case denied(client: String, at: MonotonicTime)
        /// The present moment, at `nextDeadline` or later.
        case time(MonotonicTime)
    }

    /// What is to be done, in order. Every id that was asked is answered exactly once.
    package enum Action: Hashable, Sendable {
        /// Show this, until it is hidden. Nothing else is shown then.
        case show(Prompt)
        /// Show it no longer: this came of it.
        case hide(Prompt, Answer)
        /// Tell the asker.
        case answer(id: Int, Answer)
        /// A console allowed something that no prompt of this client asks: set it as its grant.
        case grant(client: String, Level)
        /// A console refused a client that asks nothing: set that as its grant.
        case refuse(client: String)
    }

    private struct Entry {
        let prompt: Prompt
        /// The askers; more than one when the same was asked again.
        var ids: [Int]
        /// When it ends unanswered; nil while it waits to be shown.
        var deadline: MonotonicTime?
    }

    /// Questions that may wait; more are unanswered at once.
    package static let waitingLimit = 64
    /// How long a client is quiet after its first, second and every further unanswered prompt.
    private static let pauses: [Duration] = [.seconds(60), .seconds(300), .seconds(1800)]

    /// The first is shown, the others wait.
    private var entries: [Entry] = []
    private var quiet: [String: (times: Int, until: MonotonicTime)] = [:]

    /// A queue in which nothing waits.
    package init() {}

    /// When the queue must be called with `.time`; nil while nothing is shown.
    package var nextDeadline: MonotonicTime? { entries.first?.deadline }

    /// What is shown.
    package var shown: Prompt? { entries.first?.prompt }

    /// Takes what happened and says what is to be done, in order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        let now = event.moment
        if case .held = event, let shown = entries.first, let deadline = shown.deadline, now < deadline {
            // Before anything else takes its place: a hold answers only what it began under.
            allow(shown.prompt, &actions)
        }
        expire(at: now, &actions)
        switch event {
        case .asked(let prompt, _): ask(prompt, at: now, &actions)
        case .withdrawn(let client, _): end(.withdrawn, &actions) { $0.prompt.client == client }
        case .allowed(let client, let level, _): consoleAllows(client, level, &actions)
        case .denied(let client, _):
            quiet[client] = nil
            if !end(.denied, &actions, where: { $0.prompt.client == client }) {
                actions.append(.refuse(client: client))
            }
        case .held, .time: break
        }
        if let next = entries.first, next.deadline == nil {
            entries[0].deadline = now + next.prompt.subject.limit
            actions.append(.show(next.prompt))
        }
        return actions
    }

    private mutating func ask(_ prompt: Prompt, at now: MonotonicTime, _ actions: inout [Action]) {
        let isQuiet = quiet[prompt.client].map { now < $0.until } ?? false
        let isCrowded = entries.reduce(0) { $0 + $1.ids.count } >= Self.waitingLimit
        if isQuiet || isCrowded {
            actions.append(.answer(id: prompt.id, .unanswered))
        } else if case .access = prompt.subject,
            let index = entries.firstIndex(where: {
                $0.prompt.client == prompt.client && $0.prompt.subject == prompt.subject
            })
        {
            entries[index].ids.append(prompt.id)
        } else {
            // Two deletions are never one question, even of as many photos.
            entries.append(Entry(prompt: prompt, ids: [prompt.id], deadline: nil))
        }
    }

    /// Ends what was shown too long, and leaves its client quiet.
    private mutating func expire(at now: MonotonicTime, _ actions: inout [Action]) {
        guard let shown = entries.first, let deadline = shown.deadline, deadline <= now else { return }
        let client = shown.prompt.client
        let times = quiet[client]?.times ?? 0
        quiet[client] = (times + 1, now + Self.pauses[min(times, Self.pauses.count - 1)])
        end(.unanswered, &actions) { $0.prompt.client == client }
    }

    private mutating func consoleAllows(_ client: String, _ level: Level?, _ actions: inout [Action]) {
        if level == nil, let first = entries.first, first.deadline != nil, first.prompt.client == client {
            return allow(first.prompt, &actions)
        }
        // What nobody asks for is granted as little as there is.
        let level = level ?? .addOnly
        quiet[client] = nil
        let isAnswer = end(.granted(level), &actions) { entry in
            guard entry.prompt.client == client, case .access(let access) = entry.prompt.subject else { return false }
            return access == .addOnly || level != .addOnly
        }
        if !isAnswer { actions.append(.grant(client: client, level)) }
    }

    /// Allows what is shown, and what is allowed with it: whoever may see photos may add some.
    private mutating func allow(_ shown: Prompt, _ actions: inout [Action]) {
        quiet[shown.client] = nil
        end(.allowed, &actions) { entry in
            entry.prompt.id == shown.id
                || (shown.subject == .access(.readWrite) && entry.prompt.client == shown.client
                    && entry.prompt.subject == .access(.addOnly))
        }
    }

    /// Ends all questions of a kind with the same answer; false when there was none.
    @discardableResult
    private mutating func end(
        _ answer: Answer, _ actions: inout [Action], where matches: (Entry) -> Bool
    ) -> Bool {
        let ended = entries.filter(matches)
        entries.removeAll(where: matches)
        for entry in ended {
            if entry.deadline != nil { actions.append(.hide(entry.prompt, answer)) }
            for id in entry.ids { actions.append(.answer(id: id, answer)) }
        }
        return !ended.isEmpty
    }
}

extension PromptQueue.Event {
    /// When it happened.
    fileprivate var moment: MonotonicTime {
        switch self {
        case .asked(_, let moment), .withdrawn(_, let moment), .held(let moment), .allowed(_, _, let moment),
            .denied(_, let moment), .time(let moment):
            moment
        }
    }
}

import Platform

/// The rules of an `Authority`: who may do what, which questions are open, who waits for them, and what is shown.
///
/// It calls no other object itself: calls to make wait in `effects`, in order.
struct AuthorityState: Sendable {
    /// What the configuration says, by client or kind of client.
    private(set) var policies: [String: ClientPolicy] = [:]
    /// What the state folder keeps of clients.
    private(set) var remembered = RememberedGrants()
    /// What client sessions give until they end. It contains the client of every open session.
    private var sessions: [Client: Grant] = [:]

    /// The open questions, by number: those that wait to be shown or answered, and those whose answer is being stored.
    private var open: [Int: OpenQuestion] = [:]
    private var queue = PromptQueue()
    /// Commands of a console that wait until the questions which they answered have ended.
    private var consoles: [WaitingConsole] = []
    private var presenter: (any PromptPresenter)?
    /// Stores an answer on the library's thread; false when that thread has ended.
    private var store: (@Sendable (Int, AccessAnswer) -> Bool)?
    private var isClosed = false
    private var lastNumber = 0
    private var nextDeadline: MonotonicTime?

    /// Calls to other objects, in order. The authority makes them without its lock.
    var effects: [@Sendable (Authority) -> Void] = []

    // MARK: Clients

    /// The configuration of a client, or of its kind.
    func policy(of client: Client) -> ClientPolicy? {
        policies[client.name] ?? policies[client.kind]
    }

    /// False for a client session that is not open.
    func isPresent(_ client: Client) -> Bool {
        client.session == nil || sessions[client] != nil
    }

    /// What holds for a client now.
    func grant(of client: Client) -> Grant {
        if client == .shutter { return .fixed(.addOnly) }
        if client == .console { return .fixed(.full) }
        guard isPresent(client) else { return Grant() }
        if let level = policy(of: client)?.level {
            return .fixed(level, selection: remembered.selections[client.name])
        }
        return sessions[client] ?? remembered.answers[client.name] ?? Grant()
    }

    /// All known clients: first the built-in ones, then the others by name.
    func clients() -> [ClientGrant] {
        let sessionClients = Set(sessions.keys.filter { $0.session != nil })
        let names = Set(policies.keys).union(remembered.answers.keys).subtracting(sessionClients.map(\.name))
        let others = (names.map { Client.named($0) } + sessionClients)
            .sorted { ($0.name, $0.session ?? 0) < ($1.name, $1.session ?? 0) }
        return ([.shutter, .console] + others).map {
            ClientGrant($0, grant(of: $0), purpose: policy(of: $0)?.purpose ?? "")
        }
    }

    /// The client that a person means by a name: its latest session where it has one.
    func client(named name: String) -> Client {
        sessions.keys.filter { $0.name == name && $0.session != nil }.max { ($0.session ?? 0) < ($1.session ?? 0) }
            ?? .named(name)
    }

    // MARK: Grants

    mutating func setRemembered(_ remembered: RememberedGrants, at now: MonotonicTime) {
        self.remembered = remembered
        withdrawDecided(at: now)
    }

    mutating func setPolicies(_ policies: [ClientPolicy], at now: MonotonicTime) {
        self.policies = Dictionary(policies.map { ($0.client, $0) }) { first, _ in first }
        withdrawDecided(at: now)
    }

    /// Sets what holds until a client's session ends; does nothing when the client's session has ended.
    mutating func setForSession(_ grant: Grant, _ client: Client, at now: MonotonicTime) {
        if isPresent(client) { sessions[client] = grant }
        withdrawDecided(at: now)
    }

    mutating func forgetForSession(_ client: Client, at now: MonotonicTime) {
        if client.session == nil { sessions[client] = nil }
        withdrawDecided(at: now)
    }

    mutating func beginSession(_ client: Client) {
        if client.session != nil && sessions[client] == nil { sessions[client] = Grant() }
    }

    mutating func endSession(_ client: Client, at now: MonotonicTime) -> Grant? {
        let grant = sessions.removeValue(forKey: client)
        withdraw(at: now) { $0.client == client }
        return grant
    }

    // MARK: Questions

    mutating func setStore(_ store: @escaping @Sendable (Int, AccessAnswer) -> Bool) {
        self.store = store
    }

    /// Ends all questions, and shows later ones by another presenter. Without one, no question can be asked.
    mutating func setPresenter(_ presenter: (any PromptPresenter)?, at now: MonotonicTime) {
        withdraw(at: now) { _ in true }
        self.presenter = presenter
    }

    mutating func close(at now: MonotonicTime) {
        setPresenter(nil, at: now)
        isClosed = true
    }

    /// The open question with this number, if it is not void.
    func question(_ number: Int) -> OpenQuestion? { open[number] }

    /// Answers a request for a level at once, or lets it wait for a question about it.
    mutating func request(
        _ level: AccessLevel, _ client: Client, _ waiting: CheckedContinuation<AuthorizationStatus, Never>,
        at now: MonotonicTime
    ) {
        let status = grant(of: client).status(for: level)
        guard status == .notDetermined, isPresent(client), let purpose = policy(of: client)?.purpose else {
            return effects.append { _ in waiting.resume(returning: status) }
        }
        for (number, question) in open where question.client == client {
            // Requests of one client for one level share one question.
            guard case .access(level, let others) = question.waiting else { continue }
            open[number]?.waiting = .access(level, others + [waiting])
            return
        }
        guard ask(client, .access(level), purpose, .access(level, [waiting]), at: now) else {
            return effects.append { _ in waiting.resume(returning: status) }
        }
    }

    /// Lets a change block that deletes wait for its confirmation.
    mutating func confirmDeletion(
        of count: Int, _ client: Client, _ waiting: CheckedContinuation<Bool, Never>, at now: MonotonicTime
    ) {
        let purpose = policy(of: client)?.purpose ?? ""
        guard isPresent(client), ask(client, .deletion(count: count), purpose, .deletion(waiting), at: now) else {
            return effects.append { _ in waiting.resume(returning: false) }
        }
    }

    private mutating func ask(
        _ client: Client, _ subject: AccessQuestion.Subject, _ purpose: String, _ waiting: OpenQuestion.Waiting,
        at now: MonotonicTime
    ) -> Bool {
        guard presenter != nil, !isClosed else { return false }
        lastNumber += 1
        let question = AccessQuestion(number: lastNumber, client: client.name, subject: subject, purpose: purpose)
        open[lastNumber] = OpenQuestion(client: client, waiting: waiting)
        handle(.asked(question, at: now))
        return true
    }

    /// A console answers what a client asks. `waiting` resumes when the answer is stored, or could not be.
    mutating func answerFromConsole(
        _ event: PromptQueue.Event, _ waiting: CheckedContinuation<ConsoleOutcome, Never>
    ) {
        let actions = handle(event)
        var console = WaitingConsole(continuation: waiting)
        for action in actions {
            switch action {
            case .grant(_, let level): console.outcome.unasked = level
            case .end(let number, _) where open[number] != nil: console.numbers.insert(number)
            case .end, .show, .hide: break
            }
        }
        consoles.append(console)
        resumeConsoles()
    }

    /// An answer was stored, or could not be.
    mutating func finish(_ number: Int, _ failure: PhotosError?) {
        for index in consoles.indices where failure != nil && consoles[index].numbers.contains(number) {
            consoles[index].outcome.failure = failure
        }
        end(number, isAllowed: false)
    }

    /// Takes an event into the queue and does what it says.
    @discardableResult
    mutating func handle(_ event: PromptQueue.Event) -> [PromptQueue.Action] {
        let actions = queue.handle(event)
        for action in actions {
            switch action {
            case .show(let question): present { $0.show(question) }
            case .hide(let question, let outcome): present { $0.hide(question, outcome) }
            case .end(let number, let outcome): take(outcome, of: number)
            case .grant: break
            }
        }
        if nextDeadline != queue.nextDeadline {
            nextDeadline = queue.nextDeadline
            present { [nextDeadline] in $0.wake(at: nextDeadline) }
        }
        return actions
    }

    private mutating func present(_ body: @escaping @Sendable (any PromptPresenter) -> Void) {
        guard let presenter else { return }
        effects.append { _ in body(presenter) }
    }

    /// An answer about access is stored before it counts; everything else ends its question at once.
    private mutating func take(_ outcome: PromptOutcome, of number: Int) {
        guard let question = open[number] else { return }
        switch (question.waiting, outcome) {
        case (.access, .answered(let answer)) where answer != .unanswered:
            open[number]?.isBeingStored = true
            effects.append { [store] authority in
                if store?(number, answer) != true { authority.finish(number) }
            }
        case (_, .answered(.allowed)): end(number, isAllowed: true)
        case (_, .answered), (_, .withdrawn): end(number, isAllowed: false)
        }
    }

    /// Resumes the requests that wait for a question, with what holds now.
    private mutating func end(_ number: Int, isAllowed: Bool) {
        guard let question = open.removeValue(forKey: number) else { return }
        switch question.waiting {
        case .access(let level, let waiting):
            let status = grant(of: question.client).status(for: level)
            effects.append { _ in for one in waiting { one.resume(returning: status) } }
        case .deletion(let waiting):
            effects.append { _ in waiting.resume(returning: isAllowed) }
        }
        for index in consoles.indices { consoles[index].numbers.remove(number) }
        resumeConsoles()
    }

    private mutating func resumeConsoles() {
        for console in consoles where console.numbers.isEmpty {
            effects.append { _ in console.continuation.resume(returning: console.outcome) }
        }
        consoles.removeAll { $0.numbers.isEmpty }
    }

    /// Ends questions without an answer, whether they wait, are shown, or are being stored.
    private mutating func withdraw(at now: MonotonicTime, where isVoid: (OpenQuestion) -> Bool) {
        let numbers = Set(open.filter { isVoid($0.value) }.keys)
        guard !numbers.isEmpty else { return }
        handle(.withdrawn(numbers, at: now))
        // The queue no longer has those whose answer is being stored.
        for number in numbers.sorted() { end(number, isAllowed: false) }
    }

    /// Withdraws the questions about access that another decision has answered.
    private mutating func withdrawDecided(at now: MonotonicTime) {
        let state = self
        withdraw(at: now) { question in
            // A question whose answer is being stored ends when that has succeeded or failed.
            guard case .access(let level, _) = question.waiting, !question.isBeingStored else { return false }
            return state.grant(of: question.client).status(for: level) != .notDetermined
        }
    }
}

/// A question without an outcome, and who waits for it.
struct OpenQuestion: Sendable {
    /// The requests that a question keeps waiting.
    enum Waiting: Sendable {
        /// Requests for one level.
        case access(AccessLevel, [CheckedContinuation<AuthorizationStatus, Never>])
        /// A change block that deletes.
        case deletion(CheckedContinuation<Bool, Never>)
    }

    let client: Client
    var waiting: Waiting
    /// True once it has an answer that must be stored before it counts.
    var isBeingStored = false
}

/// What came of a console's answer.
struct ConsoleOutcome: Sendable {
    /// The level to give the client, because none of its questions asked for it; nil when a question was answered.
    var unasked: ClientLevel?
    /// Why the answer was not stored.
    var failure: PhotosError?
}

private struct WaitingConsole: Sendable {
    /// The questions that this console answered and whose answers are being stored.
    var numbers: Set<Int> = []
    var outcome = ConsoleOutcome()
    let continuation: CheckedContinuation<ConsoleOutcome, Never>
}

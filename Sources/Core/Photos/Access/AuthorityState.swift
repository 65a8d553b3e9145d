/// What an `Authority` knows.
struct AuthorityState: Sendable {
    /// Configuration, by client or kind of client.
    var policies: [String: ClientPolicy] = [:]
    /// What is kept over a restart.
    var remembered = RememberedGrants()
    /// What holds until a client's visit ends. A visitor is in here for as long as it is present.
    var visits: [Client: Grant] = [:]
    /// Questions without an answer.
    var questions: [PendingQuestion] = []
    /// Who is asked.
    var prompter: (any AccessPrompter)?
    /// True when nothing is asked any more.
    var isClosed = false
    private var lastQuestion = 0

    /// What configuration says of a client.
    func policy(of client: Client) -> ClientPolicy? {
        policies[client.name] ?? policies[client.kind]
    }

    /// True unless the client is a visitor that has not come or has gone.
    func isPresent(_ client: Client) -> Bool {
        client.session == nil || visits[client] != nil
    }

    /// What was answered to a client.
    func grant(of client: Client) -> Grant {
        if client == .shutter { return .fixed(.addOnly) }
        if client == .console { return .fixed(.full) }
        guard isPresent(client) else { return Grant() }
        if let level = policy(of: client)?.level {
            return .fixed(level, selection: remembered.selections[client.name])
        }
        if let grant = visits[client] { return grant }
        return remembered.answers[client.name] ?? Grant()
    }

    /// Every client there is something to say of: the built-in ones, then by name.
    func clients() -> [ClientGrant] {
        let visitors = Set(visits.keys.filter { $0.session != nil })
        let names = Set(policies.keys).union(remembered.answers.keys).subtracting(visitors.map(\.name))
        let others = (names.map { Client.named($0) } + visitors)
            .sorted { ($0.name, $0.session ?? 0) < ($1.name, $1.session ?? 0) }
        return ([.shutter, .console] + others).map {
            ClientGrant($0, grant(of: $0), purpose: policy(of: $0)?.purpose ?? "")
        }
    }

    /// The client that a person means by a name: its latest visit where there is one.
    func client(named name: String) -> Client {
        visits.keys.filter { $0.name == name && $0.session != nil }.max { ($0.session ?? 0) < ($1.session ?? 0) }
            ?? .named(name)
    }

    // MARK: Questions

    /// Adds a question; nil when nobody can be asked.
    mutating func add(
        _ client: Client, _ subject: AccessQuestion.Subject, _ purpose: String, _ waiting: PendingQuestion.Waiting
    ) -> PendingQuestion? {
        guard let prompter, !isClosed else { return nil }
        lastQuestion += 1
        let question = PendingQuestion(
            client: client,
            question: AccessQuestion(number: lastQuestion, client: client.name, subject: subject, purpose: purpose),
            prompter: prompter, waiting: waiting)
        questions.append(question)
        return question
    }

    /// Waits with those who asked for the same; false when nobody did.
    mutating func join(
        _ client: Client, _ level: AccessLevel, _ waiting: CheckedContinuation<AuthorizationStatus, Never>
    ) -> Bool {
        for index in questions.indices where questions[index].client == client {
            guard case .access(level, let others) = questions[index].waiting else { continue }
            questions[index].waiting = .access(level, others + [waiting])
            return true
        }
        return false
    }

    /// Takes questions out.
    mutating func removeQuestions(where isVoid: (PendingQuestion) -> Bool) -> [PendingQuestion] {
        let void = questions.filter(isVoid)
        questions.removeAll(where: isVoid)
        return void
    }

    /// Takes questions out that need no answer any more.
    mutating func removeDecidedQuestions() -> [PendingQuestion] {
        let state = self
        return removeQuestions { pending in
            guard case .access(let level, _) = pending.waiting else { return false }
            return state.grant(of: pending.client).status(for: level) != .notDetermined
        }
    }
}

/// A question and who waits for its answer.
struct PendingQuestion: Sendable {
    /// Who waits.
    enum Waiting: Sendable {
        /// Requests for a level.
        case access(AccessLevel, [CheckedContinuation<AuthorizationStatus, Never>])
        /// A change block that deletes.
        case deletion(CheckedContinuation<Bool, Never>)
    }

    let client: Client
    let question: AccessQuestion
    /// Whom it was put to.
    let prompter: any AccessPrompter
    var waiting: Waiting

    /// Tells those who wait. To be called once, by who took the question out.
    func resume(isAllowed: Bool, _ grant: Grant) {
        switch waiting {
        case .access(let level, let waiting):
            for one in waiting { one.resume(returning: grant.status(for: level)) }
        case .deletion(let waiting): waiting.resume(returning: isAllowed)
        }
    }
}

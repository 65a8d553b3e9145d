import Synchronization

/// Knows what every client may do, and the questions that wait for an answer.
///
/// - Isolation: any thread; never blocks. Grants change on the library's thread only.
package final class Authority: Sendable {
    private let state = Mutex(AuthorityState())

    /// An authority that knows the built-in clients.
    package init() {}

    /// What a client may do now.
    package func rights(of client: Client) -> Rights {
        grant(of: client).rights
    }

    /// What was answered to a client.
    func grant(of client: Client) -> Grant {
        state.withLock { $0.grant(of: client) }
    }

    /// What configuration says of a client.
    func policy(of client: Client) -> ClientPolicy? {
        state.withLock { $0.policy(of: client) }
    }

    /// Every client there is something to say of.
    func clients() -> [ClientGrant] {
        state.withLock { $0.clients() }
    }

    /// The client that a person means by a name: its latest visit where there is one.
    func client(named name: String) -> Client {
        state.withLock { $0.client(named: name) }
    }

    /// True unless the client is a visitor that has not come or has gone.
    func isPresent(_ client: Client) -> Bool {
        state.withLock { $0.isPresent(client) }
    }

    // MARK: Grants

    /// What is kept of clients.
    var remembered: RememberedGrants { state.withLock { $0.remembered } }

    /// Goes by these grants from now on.
    func setRemembered(_ remembered: RememberedGrants) {
        change { $0.remembered = remembered }
    }

    /// Goes by another configuration from now on.
    func setPolicies(_ policies: [ClientPolicy]) {
        change { state in
            state.policies = Dictionary(policies.map { ($0.client, $0) }) { first, _ in first }
        }
    }

    /// What holds until a client's visit ends. Nothing when the visit is over.
    func setForVisit(_ grant: Grant, _ client: Client) {
        change { state in
            if client.session == nil || state.visits[client] != nil { state.visits[client] = grant }
        }
    }

    /// What a question's answer gives until its client's visit ends; false, and nothing, when the question is void: its
    /// client may have gone this moment, and then nobody would take it back.
    func setForVisit(_ grant: Grant, _ client: Client, answering number: Int) -> Bool {
        change { state in
            guard state.questions.contains(where: { $0.question.number == number }) else { return (false, []) }
            state.visits[client] = grant
            return (true, [])
        }
    }

    /// Goes back to what is kept of a client.
    func forgetForVisit(_ client: Client) {
        change { if client.session == nil { $0.visits[client] = nil } }
    }

    /// A visitor has come.
    func beginVisit(_ client: Client) {
        state.withLock { if client.session != nil && $0.visits[client] == nil { $0.visits[client] = Grant() } }
    }

    /// A client has gone: its questions are void, and what held for the visit is forgotten.
    ///
    /// - Returns: what held for the visit.
    func endVisit(_ client: Client) -> Grant? {
        change { state in
            let grant = state.visits.removeValue(forKey: client)
            return (grant, state.removeQuestions { $0.client == client })
        }
    }

    // MARK: Questions

    /// Names who is asked from now on. Without anybody, waiting questions are void.
    func setPrompter(_ prompter: (any AccessPrompter)?) {
        change { state in
            state.prompter = prompter
            return ((), prompter == nil ? state.removeQuestions { _ in true } : [])
        }
    }

    /// Asks nobody anything any more; what waits is void.
    func close() {
        change { state in
            state.isClosed = true
            return ((), state.removeQuestions { _ in true })
        }
    }

    /// Waits for a level with those who wait for the same already.
    ///
    /// - Returns: a question to be asked; nil when it is being asked, or needs not or cannot be asked: then `waiting`
    ///   has its answer.
    func ask(
        _ level: AccessLevel, _ client: Client, _ waiting: CheckedContinuation<AuthorizationStatus, Never>
    ) -> PendingQuestion? {
        state.withLock { state in
            let status = state.grant(of: client).status(for: level)
            guard status == .notDetermined, state.isPresent(client), let purpose = state.policy(of: client)?.purpose
            else {
                waiting.resume(returning: status)
                return nil
            }
            if state.join(client, level, waiting) { return nil }
            guard let question = state.add(client, .access(level), purpose, .access(level, [waiting])) else {
                waiting.resume(returning: status)
                return nil
            }
            return question
        }
    }

    /// Waits for a confirmation.
    ///
    /// - Returns: a question to be asked; nil when it cannot be: then `waiting` has its answer.
    func askDeletion(
        of count: Int, _ client: Client, _ waiting: CheckedContinuation<Bool, Never>
    ) -> PendingQuestion? {
        state.withLock { state in
            let purpose = state.policy(of: client)?.purpose ?? ""
            guard state.isPresent(client),
                let question = state.add(client, .deletion(count: count), purpose, .deletion(waiting))
            else {
                waiting.resume(returning: false)
                return nil
            }
            return question
        }
    }

    /// The question with a number as long as it is not void.
    func question(_ number: Int) -> PendingQuestion? {
        state.withLock { state in state.questions.first { $0.question.number == number } }
    }

    /// The numbers of a client's questions that wait for an answer.
    func questions(of client: Client) -> Set<Int> {
        state.withLock { state in
            Set(state.questions.filter { $0.client == client }.map(\.question.number))
        }
    }

    /// A question has been answered; those who wait learn where they stand.
    func finish(_ number: Int, isAllowed: Bool = false) {
        let done = state.withLock { $0.removeQuestions { $0.question.number == number } }
        for question in done { question.resume(isAllowed: isAllowed, grant(of: question.client)) }
    }

    // MARK: Changing

    /// Changes what holds. Questions that are decided by it, or removed by it, are withdrawn, and who waits is told.
    private func change<Result: Sendable>(
        _ body: (inout AuthorityState) -> (Result, [PendingQuestion])
    ) -> Result {
        let (result, void) = state.withLock { state in
            let (result, removed) = body(&state)
            let void = removed + state.removeDecidedQuestions()
            return (result, void.map { ($0, state.grant(of: $0.client)) })
        }
        for (question, grant) in void {
            question.resume(isAllowed: false, grant)
            question.prompter.withdraw(question.question)
        }
        return result
    }

    private func change(_ body: (inout AuthorityState) -> Void) {
        change { state in
            body(&state)
            return ((), [])
        }
    }
}

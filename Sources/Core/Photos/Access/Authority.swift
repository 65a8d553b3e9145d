import Platform
import Synchronization

/// Knows what every client may do, keeps the questions that clients' requests cause, and shows one at a time.
///
/// - Isolation: any thread; grants change on the library's thread only.
/// - Blocking: no.
package final class Authority: Sendable {
    private struct State {
        var rules = AuthorityState()
        /// True while one thread carries out effects; they keep their order that way.
        var isCarryingOut = false
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    /// An authority that knows only the built-in clients.
    ///
    /// - Parameter time: measures how long a question is shown.
    package init(time: any TimeSource) {
        self.time = time
    }

    /// What a client may do at this moment.
    package func rights(of client: Client) -> Rights {
        grant(of: client).rights
    }

    /// What holds for a client at this moment.
    func grant(of client: Client) -> Grant {
        read { $0.grant(of: client) }
    }

    /// The configuration of a client, or of its kind.
    func policy(of client: Client) -> ClientPolicy? {
        read { $0.policy(of: client) }
    }

    /// All known clients: first the built-in ones, then the others by name.
    func clients() -> [ClientGrant] {
        read { $0.clients() }
    }

    /// The client that a person means by a name: its latest session where it has one.
    func client(named name: String) -> Client {
        read { $0.client(named: name) }
    }

    /// False for a client session that is not open.
    func isPresent(_ client: Client) -> Bool {
        read { $0.isPresent(client) }
    }

    // MARK: Grants

    /// What the state folder keeps of clients.
    var remembered: RememberedGrants { read { $0.remembered } }

    /// Replaces what is kept of clients. Questions that this decides end.
    func setRemembered(_ remembered: RememberedGrants) {
        change { $0.setRemembered(remembered, at: $1) }
    }

    /// Replaces the configuration. Questions that this decides end.
    func setPolicies(_ policies: [ClientPolicy]) {
        change { $0.setPolicies(policies, at: $1) }
    }

    /// Sets what holds until a client's session ends; does nothing when the client's session has ended.
    func setForSession(_ grant: Grant, _ client: Client) {
        change { $0.setForSession(grant, client, at: $1) }
    }

    /// Sets what the answer to a question gives until its client's session ends.
    ///
    /// - Returns: false, without any change, when the question is void. Its client may have gone at this moment, and
    ///   nothing would take the grant back.
    func setForSession(_ grant: Grant, _ client: Client, answering number: Int) -> Bool {
        change { state, now in
            guard state.question(number) != nil else { return false }
            state.setForSession(grant, client, at: now)
            return true
        }
    }

    /// Makes what is kept of a client hold again.
    func forgetForSession(_ client: Client) {
        change { $0.forgetForSession(client, at: $1) }
    }

    /// Begins the session of a client.
    func beginSession(_ client: Client) {
        change { state, _ in state.beginSession(client) }
    }

    /// A client has gone: its questions end, and what held for the session is forgotten.
    ///
    /// - Returns: what held for the session.
    func endSession(_ client: Client) -> Grant? {
        change { $0.endSession(client, at: $1) }
    }

    // MARK: Questions

    /// Sets what stores an answer, by the number of its question, and then calls `finish`.
    ///
    /// - Parameter store: must not block; returns false when it cannot store anything any more.
    func setStore(_ store: @escaping @Sendable (Int, AccessAnswer) -> Bool) {
        change { state, _ in state.setStore(store) }
    }

    /// Sets what shows questions from now on. Those that are open end without an answer.
    func setPresenter(_ presenter: (any PromptPresenter)?) {
        change { $0.setPresenter(presenter, at: $1) }
    }

    /// Ends all questions without an answer, and asks no more.
    func close() {
        change { $0.close(at: $1) }
    }

    /// The question with this number; nil when it has ended or is void.
    func question(_ number: Int) -> OpenQuestion? {
        read { $0.question(number) }
    }

    /// Resumes `waiting` with the status of a level: at once when it is decided or no person can be asked, else after a
    /// question about it has ended.
    func request(_ level: AccessLevel, _ client: Client, _ waiting: CheckedContinuation<AuthorizationStatus, Never>) {
        change { $0.request(level, client, waiting, at: $1) }
    }

    /// Resumes `waiting` with true when a person confirms a deletion.
    func confirmDeletion(of count: Int, _ client: Client, _ waiting: CheckedContinuation<Bool, Never>) {
        change { $0.confirmDeletion(of: count, client, waiting, at: $1) }
    }

    /// Takes a person's answer to the question with this number, if it is the one shown.
    func answer(_ number: Int, _ answer: AccessAnswer) {
        change { _ = $0.handle(.answered(number, answer, at: $1)) }
    }

    /// Ends the shown question if its time is over.
    func endOverdueQuestions() {
        change { _ = $0.handle(.time($1)) }
    }

    /// A console allows a client what it asks, or this level. `waiting` resumes once the answer is durable or has failed.
    func allow(_ client: String, _ level: ClientLevel?, _ waiting: CheckedContinuation<ConsoleOutcome, Never>) {
        change { $0.answerFromConsole(.allowed(client: client, level, at: $1), waiting) }
    }

    /// A console refuses a client. `waiting` resumes once the answer is durable or has failed.
    func deny(_ client: String, _ waiting: CheckedContinuation<ConsoleOutcome, Never>) {
        change { $0.answerFromConsole(.denied(client: client, at: $1), waiting) }
    }

    /// Ends a question whose answer was stored, or could not be stored.
    func finish(_ number: Int, failure: PhotosError? = nil) {
        change { state, _ in state.finish(number, failure) }
    }

    // MARK: State

    private func read<Result>(_ body: (AuthorityState) -> Result) -> Result where Result: Sendable {
        state.withLock { body($0.rules) }
    }

    private func change<Result: Sendable>(_ body: (inout AuthorityState, MonotonicTime) -> Result) -> Result {
        let result = state.withLock { body(&$0.rules, time.now) }
        carryOutEffects()
        return result
    }

    /// Carries out what waits, one effect at a time. When another thread does so already, it also carries out these.
    private func carryOutEffects() {
        while let effect = nextEffect() {
            effect(self)
            state.withLock { $0.isCarryingOut = false }
        }
    }

    private func nextEffect() -> (@Sendable (Authority) -> Void)? {
        state.withLock { state in
            guard !state.isCarryingOut, !state.rules.effects.isEmpty else { return nil }
            state.isCarryingOut = true
            return state.rules.effects.removeFirst()
        }
    }
}

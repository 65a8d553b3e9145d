import Platform

// What clients may do, and the questions that decide it.
extension LibraryStore {
    // MARK: Questions

    /// Sets what shows questions from now on. Those that are open end without an answer. Without a presenter, the library
    /// refuses what a person would have to allow.
    package func setPresenter(_ presenter: (any PromptPresenter)?) {
        authority.setPresenter(presenter)
    }

    /// Has questions asked by a prompter, which answers them itself, from now on.
    package func setPrompter(_ prompter: (any AccessPrompter)?) {
        setPresenter(
            prompter.map { prompter in
                PrompterPresenter(
                    prompter, time: time, answer: { [weak authority] in authority?.answer($0, $1) },
                    endOverdue: { [weak authority] in authority?.endOverdueQuestions() })
            })
    }

    /// Takes a person's answer to the question with this number. It counts only while that question is shown.
    package func answer(_ number: Int, _ answer: AccessAnswer) {
        authority.answer(number, answer)
    }

    /// Ends the shown question if its time is over. To be called at the moment that `PromptPresenter.wake` names.
    package func endOverdueQuestions() {
        authority.endOverdueQuestions()
    }

    /// What a client may do at this moment. Never blocks.
    package func rights(of client: Client) -> Rights {
        authority.rights(of: client)
    }

    /// What was decided on a client's access at a level. Never blocks.
    package func authorizationStatus(for level: AccessLevel, client: Client) -> AuthorizationStatus {
        authority.grant(of: client).status(for: level)
    }

    /// Returns the status of a level, after a question to a person if it is undecided. Requests of one client for
    /// one level share a question.
    package func requestAuthorization(for level: AccessLevel, client: Client) async -> AuthorizationStatus {
        await withCheckedContinuation { authority.request(level, client, $0) }
    }

    /// Asks a person whether a client may delete this many assets.
    func confirmDeletion(of count: Int, for client: Client) async -> Bool {
        await withCheckedContinuation { authority.confirmDeletion(of: count, client, $0) }
    }

    // MARK: Client sessions

    /// Begins a client session: until it ends, the client can make requests and is listed.
    package func beginSession(_ client: Client) {
        authority.beginSession(client)
    }

    /// Withdraws the questions of a client that has gone, and forgets what it was given for the session.
    package func endSession(_ client: Client) {
        guard let grant = authority.endSession(client) else { return }
        worker.submit { [engine] in
            if client.session != nil, let selection = grant.selection { engine.value.forget(selection) }
            if !grant.isUndecided { engine.value.context.report(.accessChanged(client)) }
        }
    }

    // MARK: The owner's decisions

    /// Replaces the configuration of clients.
    package func setPolicies(_ policies: [ClientPolicy]) {
        let before = authority.clients()
        authority.setPolicies(policies)
        let after = authority.clients()
        let changed = after.filter { now in
            before.contains { $0.client == now.client && ($0.addOnly, $0.readWrite) != (now.addOnly, now.readWrite) }
        }
        worker.submit { [engine] in for one in changed { engine.value.context.report(.accessChanged(one.client)) } }
    }

    /// All known clients: first the built-in ones, then the others by name.
    package func clients() -> [ClientGrant] {
        authority.clients()
    }

    /// The client that a person means by a name: its latest session where it has one.
    package func client(named name: String) -> Client {
        authority.client(named: name)
    }

    /// Allows a client what its shown question asks, or this level. Without both, the client may add.
    ///
    /// Returns once the answer is durable.
    /// - Throws: why it could not be stored, or `.accessRestricted` as `setGrant` does.
    package func allow(_ client: Client, _ level: ClientLevel?) async throws(PhotosError) {
        let outcome = await withCheckedContinuation { authority.allow(client.name, level, $0) }
        // A level that the owner names holds even if the question about it has ended at this moment.
        if let level = level ?? outcome.unasked { return try await setGrant(client, level: level) }
        if let failure = outcome.failure { throw failure }
    }

    /// Refuses what a client asks, and everything to a client that asks nothing.
    ///
    /// Returns once the answer is durable.
    /// - Throws: why it could not be stored, or `.accessRestricted` as `setGrant` does.
    package func deny(_ client: Client) async throws(PhotosError) {
        let outcome = await withCheckedContinuation { authority.deny(client.name, $0) }
        if let level = outcome.unasked { return try await setGrant(client, level: level) }
        if let failure = outcome.failure { throw failure }
    }

    /// Gives a client exactly this level and remembers it; the grant of a client session ends with the session.
    ///
    /// Limited access begins with an empty selection. `.nothing` refuses everything.
    /// - Throws: `.accessRestricted` when the configuration has decided or does not mention the client.
    package func setGrant(_ client: Client, level: ClientLevel) async throws(PhotosError) {
        try await onLibrary { engine throws(PhotosError) in try engine.setGrant(level, of: client) }
    }

    /// Makes a client undecided: it may do nothing, and may ask.
    ///
    /// - Throws: `.accessRestricted` when the configuration has decided or does not mention the client.
    package func revoke(_ client: Client) async throws(PhotosError) {
        try await onLibrary { engine throws(PhotosError) in try engine.revoke(client) }
    }

    /// Changes what a limited client sees, all of it or nothing. Assets are named as the console names them.
    package func select(
        _ client: Client, add: [String] = [], remove: [String] = []
    ) async throws(PhotosError) {
        try await onLibrary { engine throws(PhotosError) in try engine.select(client, add: add, remove: remove) }
    }
}

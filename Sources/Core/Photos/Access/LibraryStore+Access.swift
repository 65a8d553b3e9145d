import Platform

// Who may do what, and who is asked.
extension LibraryStore {
    // MARK: Asking

    /// Names who is asked from now on. Without anybody, what would have to be asked is not allowed.
    package func setPrompter(_ prompter: (any AccessPrompter)?) {
        authority.setPrompter(prompter)
    }

    /// What a client may do now. Never blocks.
    package func rights(of client: Client) -> Rights {
        authority.rights(of: client)
    }

    /// Where a client stands with a level. Never blocks.
    package func authorizationStatus(for level: AccessLevel, client: Client) -> AuthorizationStatus {
        authority.grant(of: client).status(for: level)
    }

    /// Asks for a level that is undecided, else answers at once. Who asks for the same meanwhile shares the question.
    package func requestAuthorization(for level: AccessLevel, client: Client) async -> AuthorizationStatus {
        await withCheckedContinuation { waiting in
            if let question = authority.ask(level, client, waiting) { put(question) }
        }
    }

    /// Asks whether so many assets may be deleted.
    func confirmDeletion(of count: Int, for client: Client) async -> Bool {
        await withCheckedContinuation { waiting in
            if let question = authority.askDeletion(of: count, client, waiting) { put(question) }
        }
    }

    private func put(_ pending: PendingQuestion) {
        let number = pending.question.number
        Task { [authority, worker, engine] in
            let answer = await pending.prompter.ask(pending.question)
            switch pending.question.subject {
            case .deletion:
                authority.finish(number, isAllowed: answer == .allowed)
            case .access:
                let accepted = worker.submit { engine.value.decide(number, answer) }
                if !accepted { authority.finish(number) }
            }
        }
    }

    // MARK: Visits

    /// A visitor has come: it may ask, and is listed, until its visit ends.
    package func beginSession(_ client: Client) {
        authority.beginVisit(client)
    }

    /// A client has gone: its questions are withdrawn, and what it was given for the visit is forgotten.
    package func endSession(_ client: Client) {
        guard let grant = authority.endVisit(client) else { return }
        worker.submit { [engine] in
            if client.session != nil, let selection = grant.selection { engine.value.forget(selection) }
            if !grant.isUndecided { engine.value.context.report(.accessChanged(client)) }
        }
    }

    // MARK: The owner's decisions

    /// Goes by another configuration from now on.
    package func setPolicies(_ policies: [ClientPolicy]) {
        let before = authority.clients()
        authority.setPolicies(policies)
        let after = authority.clients()
        let changed = after.filter { now in
            before.contains { $0.client == now.client && ($0.addOnly, $0.readWrite) != (now.addOnly, now.readWrite) }
        }
        worker.submit { [engine] in for one in changed { engine.value.context.report(.accessChanged(one.client)) } }
    }

    /// Every client there is something to say of, with how it stands.
    package func clients() -> [ClientGrant] {
        authority.clients()
    }

    /// The numbers of a client's questions that wait for an answer.
    package func questions(of client: Client) -> Set<Int> {
        authority.questions(of: client)
    }

    /// The client that a person means by a name: its latest visit where there is one.
    package func client(named name: String) -> Client {
        authority.client(named: name)
    }

    /// Gives a client this much, no less and no more, and remembers it; a visitor's is forgotten when the visit ends.
    ///
    /// Limited access begins with an empty selection. `.nothing` refuses everything.
    /// - Throws: `.accessRestricted` when configuration has decided or knows no such client.
    package func setGrant(_ client: Client, level: ClientLevel) async throws(PhotosError) {
        try await onLibrary { engine throws(PhotosError) in try engine.setGrant(level, of: client) }
    }

    /// Makes a client undecided: it has nothing, and may ask.
    ///
    /// - Throws: `.accessRestricted` when configuration has decided or knows no such client.
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

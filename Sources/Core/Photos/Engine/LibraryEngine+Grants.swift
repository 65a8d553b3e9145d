import Platform

/// Grants and selections: what clients may do, kept in the camera's state folder and on the card.
extension LibraryEngine {
    // MARK: Grants

    /// Writes grants durably, then lets them hold.
    private func remember(_ grants: RememberedGrants) throws(PhotosError) {
        try grantFile.store(grants)
        authority.setRemembered(grants)
    }

    /// Gives a client a level, as the owner says.
    func setGrant(_ level: ClientLevel, of client: Client) throws(PhotosError) {
        try requireChangeable(client)
        try changeGrant(of: client) { $0.set(level, selection: AssetIdentifier()) }
    }

    /// Makes a client undecided.
    func revoke(_ client: Client) throws(PhotosError) {
        try requireChangeable(client)
        try changeGrant(of: client) { $0 = Grant() }
    }

    /// Takes an answer, unless its question is void by now.
    func decide(_ number: Int, _ answer: AccessAnswer) {
        guard let question = authority.question(number), case .access(let level, _) = question.waiting else { return }
        let client = question.client
        // Another decision may have come first.
        guard authority.grant(of: client).status(for: level) == .notDetermined else { return authority.finish(number) }
        do throws(PhotosError) {
            switch (answer, level) {
            case (.allowed, .addOnly):
                try changeGrant(of: client) { $0.adding = true }
            case (.allowed, .readWrite):
                if authority.policy(of: client)?.holdGivesFull == true {
                    var grant = authority.grant(of: client)
                    grant.reading = .all
                    if authority.setForSession(grant, client, answering: number) {
                        context.report(.accessChanged(client))
                    }
                } else {
                    try changeGrant(of: client) { $0.set(.limited, selection: AssetIdentifier()) }
                }
            case (.granted(let granted), _):
                try changeGrant(of: client) { $0.set(granted, selection: AssetIdentifier()) }
            case (.refused, _):
                try changeGrant(of: client) { $0.refuse(level) }
            case (.unanswered, _):
                break
            }
        } catch {
            // What cannot be kept is not given.
            context.report(.grantNotStored(client, reason: error.message))
            return authority.finish(number, failure: error)
        }
        authority.finish(number)
    }

    private func changeGrant(of client: Client, _ change: (inout Grant) -> Void) throws(PhotosError) {
        let old = authority.grant(of: client)
        var new = old
        change(&new)
        if client.session != nil {
            authority.setForSession(new, client)
        } else {
            var grants = authority.remembered
            grants.answers[client.name] = new.isUndecided ? nil : new
            do throws(PhotosError) {
                if grants != authority.remembered { try remember(grants) }
            } catch {
                // What is taken back is gone at once, whether or not that could be written down.
                guard new.isNarrower(than: old) else {
                    // The new file may be there all the same, and a start would go by it.
                    try? remember(authority.remembered)
                    throw error
                }
                authority.setRemembered(grants)
                authority.forgetForSession(client)
                context.report(.accessChanged(client))
                throw error
            }
            authority.forgetForSession(client)
        }
        if let selection = old.selection, new.selection != selection { forget(selection) }
        if new != old { context.report(.accessChanged(client)) }
    }

    private func requireChangeable(_ client: Client) throws(PhotosError) {
        if authority.grant(of: client).isFixed {
            throw PhotosError(
                .accessRestricted, "The access of \(client.name) is fixed by the configuration; change it there.")
        }
        guard let policy = authority.policy(of: client) else {
            // What an earlier configuration left can be taken back, or given.
            if authority.remembered.answers[client.name] != nil { return }
            throw PhotosError(
                .accessRestricted, "There is no client \(client.name); give it a purpose in the configuration.")
        }
        guard client.session == nil ? policy.isRemembered : authority.isPresent(client) else {
            throw PhotosError(.accessRestricted, "The client \(client.name) is not connected; connect it first.")
        }
    }

    // MARK: Selections

    /// Changes what a limited client sees: all of it durably, or nothing.
    func select(_ client: Client, add: [String], remove: [String]) throws(PhotosError) {
        guard authority.rights(of: client).isLimited, let selection = try selectionToChange(of: client) else {
            throw PhotosError(
                .changeNotSupported, "The client \(client.name) has no selection; allow it limited access first.")
        }
        var added: [DCFNumber] = []
        for name in add { added.append(try listed(name).number) }
        var removed: [DCFNumber] = []
        for name in remove {
            guard let record = try find(name) else { throw .noSuchPhoto(name) }
            removed.append(record.number)
        }
        try requirePositions(added.count, in: selection)
        try storage.commit { [added, removed] catalog throws(SQLiteError) in
            for number in removed { try catalog.selections.deselect(number, in: selection) }
            for number in added { try catalog.selections.select(number, in: selection) }
        }
        context.report(.selectionChanged(client))
    }

    /// The selection of a limited client that something is to be put into; nil when the client is not limited.
    ///
    /// One that configuration has limited gets its selection here, when it is first needed.
    func selectionToChange(of client: Client) throws(PhotosError) -> AssetIdentifier? {
        let grant = authority.grant(of: client)
        guard case .selected(let selection) = grant.reading else { return nil }
        if let selection { return selection }
        var grants = authority.remembered
        let new = AssetIdentifier()
        grants.selections[client.name] = new
        try remember(grants)
        return new
    }

    /// Refuses what would have no number left to be shown by.
    func requirePositions(_ count: Int, in selection: AssetIdentifier) throws(PhotosError) {
        let mark = try storage.read { catalog throws(SQLiteError) in try catalog.selections.mark(selection) }
        guard DCFNumber(selectionPosition: mark + Int64(count)) != nil || count == 0 else { throw .exhausted }
    }

    /// Forgets the selection of a client that no longer exists. Without that it only takes space.
    func forget(_ selection: AssetIdentifier) {
        try? storage.commit { catalog throws(SQLiteError) in try catalog.selections.forget(selection) }
    }

    private func listed(_ name: String) throws(PhotosError) -> AssetRecord {
        guard let record = try find(name), record.status == .listed else { throw .noSuchPhoto(name) }
        return record
    }
}

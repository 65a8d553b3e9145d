import Console
import Panel
import Photos
import Platform

// Who may do what, and the choosing of photos on a console.
extension CommandService {
    /// Tells of every client.
    func clients(_ reply: any ReplySink) async throws(CommandFailure) {
        for grant in store.clients() { reply.send(.client(try await record(grant))) }
    }

    /// Allows a client what it asks, or this.
    func allow(_ name: String, _ level: Console.ClientLevel?, _ reply: any ReplySink) async throws(CommandFailure) {
        let client = store.client(named: name)
        let asked = level.map { level in
            switch level {
            case .addOnly: PromptQueue.Level.addOnly
            case .limited: PromptQueue.Level.limited
            case .full: PromptQueue.Level.full
            }
        }
        _ = try grant(client)
        let waiting = store.questions(of: client)
        let unasked = await prompts.allow(name, asked)
        // What was said is done even if a prompt that asked for it has just ended.
        guard let level = asked ?? unasked else {
            return try await tell(client, whenAnswered: waiting, reply)
        }
        try await change { (store) throws(PhotosError) in
            try await store.setGrant(client, level: Photos.ClientLevel(rawValue: level.rawValue) ?? .addOnly)
        }
        reply.send(.client(try await record(try grant(client))))
    }

    /// Refuses a client.
    func deny(_ name: String, _ reply: any ReplySink) async throws(CommandFailure) {
        let client = store.client(named: name)
        _ = try grant(client)
        let waiting = store.questions(of: client)
        guard await prompts.deny(name) else { return try await tell(client, whenAnswered: waiting, reply) }
        try await change { (store) throws(PhotosError) in try await store.setGrant(client, level: .nothing) }
        reply.send(.client(try await record(try grant(client))))
    }

    /// Makes a client undecided.
    func revoke(_ name: String, _ reply: any ReplySink) async throws(CommandFailure) {
        let client = store.client(named: name)
        try await change { (store) throws(PhotosError) in try await store.revoke(client) }
        reply.send(.client(try await record(try grant(client))))
    }

    /// Changes what a limited client sees.
    func select(
        _ name: String, _ selection: Command.Selection, _ photos: [PhotoReference], _ reply: any ReplySink
    ) async throws(CommandFailure) {
        let client = store.client(named: name)
        let names = photos.map(\.description)
        try await change { (store) throws(PhotosError) in
            try await store.select(
                client, add: selection == .add ? names : [], remove: selection == .remove ? names : [])
        }
        reply.send(.client(try await record(try grant(client))))
    }

    private var store: LibraryStore { appliance.parts.store }
    private var prompts: PromptKeeper { appliance.prompts }

    private func change(
        _ body: (LibraryStore) async throws(PhotosError) -> Void
    ) async throws(CommandFailure) {
        do throws(PhotosError) { try await body(store) } catch { throw CommandFailure(error) }
    }

    /// How a client stands; a name nobody bears is an error.
    private func grant(_ client: Client) throws(CommandFailure) -> ClientGrant {
        guard let grant = store.clients().first(where: { $0.client == client }) else {
            throw CommandFailure(
                PhotosError(
                    .accessRestricted,
                    "There is no client \(client.name); give it a purpose in the configuration. `clients` lists them."))
        }
        return grant
    }

    /// Waits until the answer that a prompt got has come to the library, then tells how its client stands.
    private func tell(
        _ client: Client, whenAnswered waiting: Set<Int>, _ reply: any ReplySink
    ) async throws(CommandFailure) {
        let limit = appliance.parts.time.now + .seconds(5)
        while store.questions(of: client).isSuperset(of: waiting), appliance.parts.time.now < limit {
            try? await Task.sleep(for: .milliseconds(5))
        }
        reply.send(.client(try await record(try grant(client))))
    }

    private func record(_ grant: ClientGrant) async throws(CommandFailure) -> ClientRecord {
        var record = ClientRecord(grant)
        if grant.level == .limited {
            do throws(PhotosError) {
                record.selected = try await store.statistics(for: grant.client).assets
            } catch {
                throw CommandFailure(error)
            }
        }
        return record
    }
}

extension ClientRecord {
    /// The record of a client, without the number of its photos.
    init(_ grant: ClientGrant) {
        self.init(
            name: grant.client.name, level: grant.level.rawValue, status: grant.status.word,
            purpose: grant.purpose.isEmpty ? nil : grant.purpose, addOnly: grant.addOnly.word,
            readWrite: grant.readWrite.word)
    }
}

extension StatusRecord.Client {
    /// The record of a client.
    init(_ grant: ClientGrant) {
        self.init(name: grant.client.name, level: grant.level.rawValue, status: grant.status.word)
    }
}

extension ClientGrant {
    /// The status that belongs to the level.
    var status: AuthorizationStatus { level == .limited || level == .full ? readWrite : addOnly }
}

extension AuthorizationStatus {
    /// The word that records tell.
    var word: String {
        switch self {
        case .notDetermined: "not_determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        case .limited: "limited"
        }
    }
}

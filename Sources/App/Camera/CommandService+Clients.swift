import Console
import Photos
import Platform

// The commands that decide what clients may do.
extension CommandService {
    /// Answers `clients` with a record for every client.
    func clients(_ reply: any ReplySink) async throws(CommandFailure) {
        for grant in store.clients() { reply.send(.client(try await record(grant))) }
    }

    /// Allows a client what it asks, or this level, and reports the client once that is durable.
    func allow(_ name: String, _ level: ClientLevel?, _ reply: any ReplySink) async throws(CommandFailure) {
        let client = store.client(named: name)
        _ = try grant(client)
        try await change { (store) throws(PhotosError) in try await store.allow(client, level) }
        reply.send(.client(try await record(try grant(client))))
    }

    /// Refuses a client, and reports it once that is durable.
    func deny(_ name: String, _ reply: any ReplySink) async throws(CommandFailure) {
        let client = store.client(named: name)
        _ = try grant(client)
        try await change { (store) throws(PhotosError) in try await store.deny(client) }
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

    private func change(
        _ body: (LibraryStore) async throws(PhotosError) -> Void
    ) async throws(CommandFailure) {
        do throws(PhotosError) { try await body(store) } catch { throw CommandFailure(error) }
    }

    /// The grant of a client.
    ///
    /// - Throws: when there is no such client.
    private func grant(_ client: Client) throws(CommandFailure) -> ClientGrant {
        guard let grant = store.clients().first(where: { $0.client == client }) else {
            throw CommandFailure(
                PhotosError(
                    .accessRestricted,
                    "There is no client \(client.name); give it a purpose in the configuration. `clients` lists them."))
        }
        return grant
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
    /// The word of `status`, `add_only` and `read_write` in records.
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

extension AccessLevel {
    /// The word of `level` in the event `prompt`.
    var word: String {
        switch self {
        case .addOnly: "add-only"
        case .readWrite: "read-write"
        }
    }
}

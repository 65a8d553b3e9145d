import PinholeTesting
import Platform

@testable import Photos

/// What was announced about albums, a selection and the history.
struct CrashCollections {
    struct Album: Hashable {
        var title: String
        var members: [String]
    }

    /// By identifier, what an album may be; nil is not there. One of them once it was announced.
    var albums: [String: Set<Album?>] = [:]
    /// Photos that came in the block of an album: both are there or neither.
    var filled: [String: [String]] = [:]
    /// What the selection may hold.
    var selections: Set<Set<String>> = [[]]
    /// A token, and what was listed and what a limited client saw when it was taken.
    var token: PersistentChangeToken?
    var listed: Set<String> = []
    var seen: Set<String> = []
}

extension CrashFixture {
    /// The one limited client's.
    static let selection = AssetIdentifier(bytes: [UInt8](repeating: 0xCD, count: 16)) ?? AssetIdentifier()

    /// Notes what the history must lead on from: everything so far was announced.
    func noteHistory() throws {
        let listed = try listedNames()
        let selected = try selectedNames()
        let token = engine.context.shared.changeToken
        note { expectation in
            expectation.collections.token = token
            expectation.collections.listed = listed
            expectation.collections.seen = listed.intersection(selected)
        }
    }

    func listedNames() throws -> Set<String> {
        let listed = try engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(.listed, after: nil, limit: 1000)
        }
        return Set(listed.map(\.identifier.description))
    }

    func selectedNames() throws -> Set<String> {
        let found = try engine.storage.read { catalog throws(SQLiteError) in
            let rows = try catalog.connection.statement(
                "SELECT identifier FROM selection JOIN asset USING (number) WHERE selection = ?",
                [.bytes(Self.selection.bytes)])
            defer { rows.reset() }
            var found: Set<String> = []
            while try rows.step() {
                if let identifier = AssetIdentifier(bytes: rows.bytes(0)) { found.insert(identifier.description) }
            }
            return found
        }
        return found
    }

    func album(_ identifier: String) throws -> CrashCollections.Album? {
        guard let identifier = AssetIdentifier(identifier) else { return nil }
        let contents = try engine.storage.read { catalog throws(SQLiteError) in try catalog.albums.find(identifier) }
        return contents.map { .init(title: $0.title, members: $0.members.map(\.asset.description)) }
    }

    func albumNames() throws -> [String] {
        try engine.storage.read { catalog throws(SQLiteError) in try catalog.albums(CollectionQuery()) }
            .map(\.localIdentifier)
    }

    /// Changes one album to what it shall be.
    func change(_ album: String, to state: CrashCollections.Album?, _ changes: [Change]) throws {
        note { $0.collections.albums[album, default: [nil]].insert(state) }
        var set = ChangeSet()
        set.changes = changes
        try engine.apply(set, for: .console)
        note { $0.collections.albums[album] = [state] }
        try noteHistory()
    }

    /// Makes an album of photos that are there.
    @discardableResult
    func makeAlbum(_ name: UInt8, of members: [String]) throws -> String {
        let identifier = AssetIdentifier(bytes: [UInt8](repeating: name, count: 16)) ?? AssetIdentifier()
        let album = identifier.description
        try change(
            album, to: .init(title: "Album", members: members),
            [.createAlbum(identifier, title: "Album"), .editAlbum(identifier: album, [.add(members)])])
        return album
    }

    /// Renames an album and turns its order round.
    func turnRound(_ album: String) throws {
        guard let old = try self.album(album), let first = old.members.first else { return }
        let new = CrashCollections.Album(title: "Round", members: Array(old.members.dropFirst()) + [first])
        try change(
            album, to: new,
            [.editAlbum(identifier: album, [.title("Round"), .move(at: [0], to: old.members.count - 1)])])
    }

    func deleteAlbum(_ album: String) throws {
        try change(album, to: nil, [.deleteAlbum(identifier: album)])
    }

    /// Puts photos into the selection in the place of those in it.
    func select(_ names: [String]) throws {
        let old = try selectedNames()
        note { $0.collections.selections.insert(Set(names)) }
        let leaving = try old.subtracting(names).compactMap { try engine.find($0) }
        let joining = try Set(names).subtracting(old).compactMap { try engine.find($0) }
        try engine.storage.commit { catalog throws(SQLiteError) in
            let selection = SQLiteValue.bytes(Self.selection.bytes)
            for record in leaving {
                try catalog.connection.run(
                    "DELETE FROM selection WHERE selection = ? AND number = ?",
                    [selection, .integer(record.number.position)])
            }
            for record in joining {
                try catalog.connection.run(
                    "INSERT INTO selection (selection, number, position) VALUES (?, ?, ?)",
                    [selection, .integer(record.number.position), .integer(record.number.position)])
            }
            try catalog.history.record(.left, leaving.map(\.identifier), selection: Self.selection)
            try catalog.history.record(.joined, joining.map(\.identifier), selection: Self.selection)
        }
        note { $0.collections.selections = [Set(names)] }
        try noteHistory()
    }

    /// After the loss of the catalog: what the copy may not have may be as it was before, or gone.
    func loseCollections(keeping copied: CrashCollections?) {
        note { expectation in
            for (album, states) in expectation.collections.albums {
                expectation.collections.albums[album] = states.union(copied?.albums[album] ?? [nil])
            }
            expectation.collections.selections.formUnion(copied?.selections ?? [[]])
        }
    }

    /// What is there is what counts from now on.
    func noteCollections() throws {
        let albums = try Dictionary(
            uniqueKeysWithValues: expectation.collections.albums.keys.map { ($0, try album($0)) })
        let selected = try selectedNames()
        note { expectation in
            for (name, album) in albums { expectation.collections.albums[name] = [album] }
            expectation.collections.selections = [selected]
        }
        try noteHistory()
    }
}

extension CrashCheck {
    /// Albums and the selection are as one block left them, and the history leads from what was announced to what is there.
    mutating func lookAtCollections(_ fixture: CrashFixture, _ moment: String) throws {
        let known = expectation.collections
        for name in try fixture.albumNames() where known.albums[name] == nil {
            findings.breaches.append("\(moment): album \(name) is nobody's")
        }
        for (name, states) in known.albums where try !states.contains(fixture.album(name)) {
            let found = try fixture.album(name)
            let text = "\(moment): album \(name) is \(String(describing: found)) instead of \(states)"
            if states.count == 1 { findings.lost.append(text) } else { findings.breaches.append(text) }
        }
        if expectation.isCatalogWhole {
            for (album, photos) in known.filled {
                let there = try photos.filter { try fixture.engine.find($0) != nil }.count
                guard there != (try fixture.album(album) == nil ? 0 : photos.count) else { continue }
                findings.breaches.append("\(moment): \(there) of the \(photos.count) photos of an album's block")
            }
        }
        let selected = try fixture.selectedNames()
        if !known.selections.contains(selected) {
            findings.breaches.append("\(moment): the selection is \(selected) instead of \(known.selections)")
        }
        guard let token = known.token else { return }
        let listed = try fixture.listedNames()
        for (visibility, before, now) in [
            (Rights.Visibility.everything, known.listed, listed),
            (.selection(CrashFixture.selection), known.seen, listed.intersection(selected)),
        ] {
            let read = try fixture.engine.storage.read { catalog throws(SQLiteError) in
                try catalog.history.changes(since: token, visibility)
            }
            guard let read else {
                if expectation.isCatalogWhole { findings.breaches.append("\(moment): the history has expired") }
                continue
            }
            var led = before
            for change in read.changes {
                led.formUnion(change.assets.insertedLocalIdentifiers)
                led.subtract(change.assets.deletedLocalIdentifiers)
            }
            if led != now { findings.breaches.append("\(moment): the history leads to \(led), there is \(now)") }
        }
    }
}

import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Persistent history")
struct HistoryTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func library(_ store: LibraryStore) -> PhotoLibrary { PhotoLibrary(store: store, client: .console) }

    /// Each block as `i2 u1 d0`-like counts of assets.
    private func blocks(_ changes: [PersistentChange]) -> [String] {
        changes.map { change in
            let details = change.assets
            return "i\(details.insertedLocalIdentifiers.count) u\(details.updatedLocalIdentifiers.count) "
                + "d\(details.deletedLocalIdentifiers.count)"
        }
    }

    @Test("each block is reported once, with its changes; a token goes on where it was taken, also after a restart")
    func blocks() async throws {
        var store = try await fixture.open()
        let first = try library(store).currentChangeToken
        try await store.add()
        try await store.add()
        let identifiers = try await store.all().map(\.localIdentifier)
        let middle = try library(store).currentChangeToken
        try await store.setFavorite(identifiers[0], true, for: .console)
        try await store.delete(identifiers, for: .console)
        _ = try await store.restore([identifiers[0]], for: .console)
        let all = try await library(store).fetchPersistentChanges(since: first)
        #expect(blocks(all) == ["i1 u0 d0", "i1 u0 d0", "i0 u1 d0", "i0 u0 d2", "i1 u0 d0"])
        #expect(all.last?.assets.insertedLocalIdentifiers == [identifiers[0]])
        #expect(try await library(store).fetchPersistentChanges(since: middle) == Array(all.dropFirst(2)))
        let stored = try JSONDecoder().decode(
            PersistentChangeToken.self, from: JSONEncoder().encode(all[3].changeToken))
        await store.close()
        store = try await fixture.open()
        #expect(try await library(store).fetchPersistentChanges(since: stored) == Array(all.dropFirst(4)))
        #expect(try await library(store).fetchPersistentChanges(since: library(store).currentChangeToken) == [])
        await store.close()
    }

    @Test("photos that are found missing, that come back and that are new are reported")
    func comparison() async throws {
        let store = try await fixture.open()
        try await store.add()
        try await store.add()
        let file = fixture.layout.photos + "/100PINHL/PINH0001.JPG"
        let aside = fixture.folder + "/aside.jpg"
        let token = try library(store).currentChangeToken
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        _ = try await store.verify()
        try FileManager.default.moveItem(atPath: aside, toPath: file)
        _ = try await store.verify()
        try fixture.put(photo(newIdentifier()), at: fixture.layout.photos + "/100PINHL/PINH0100.JPG")
        _ = try await store.verify()
        let changes = try await library(store).fetchPersistentChanges(since: token)
        #expect(blocks(changes) == ["i0 u0 d1", "i1 u0 d0", "i1 u0 d0"])
        await store.close()
    }

    @Test("changes of an album are reported in the same block as those of its assets")
    func albums() async throws {
        let store = try await fixture.open()
        let token = try library(store).currentChangeToken
        try await library(store).performChanges {
            let creation = AssetCreationRequest.forAsset()
            creation.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
            let request = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Album")
            if let placeholder = creation.placeholderForCreatedAsset { request.addAssets([placeholder]) }
        }
        let album = try #require(try await library(store).fetchAssetCollections(with: .album).firstObject)
        try await library(store).performChanges { AssetCollectionChangeRequest(for: album).title = "New" }
        try await library(store).performChanges { AssetCollectionChangeRequest.deleteAssetCollections([album]) }
        let changes = try await library(store).fetchPersistentChanges(since: token)
        #expect(changes.map(\.assets.insertedLocalIdentifiers.count) == [1, 0, 0])
        #expect(changes.map(\.collections.insertedLocalIdentifiers.count) == [1, 0, 0])
        #expect(changes.map(\.collections.updatedLocalIdentifiers.count) == [0, 1, 0])
        #expect(changes.map(\.collections.deletedLocalIdentifiers) == [[], [], [album.localIdentifier]])
        await store.close()
    }

    @Test("a failed block leaves no history")
    func failedBlock() async throws {
        let store = try await fixture.open()
        let token = try library(store).currentChangeToken
        _ = try? await library(store).performChanges { _ = AssetCreationRequest.forAsset() }
        #expect(try library(store).currentChangeToken == token)
        await store.close()
    }

    private func expectExpired(_ token: PersistentChangeToken, _ store: LibraryStore) async {
        await #expect {
            try await library(store).fetchPersistentChanges(since: token)
        } throws: { error in
            (error as? PhotosError)?.appleNumber == 3105
        }
    }

    @Test("the history keeps a bounded number of rows; a token from before them has expired")
    func trimmed() throws {
        let folder = try TestFolder()
        let catalog = try Catalog(writing: folder.path + "/catalog.sqlite", files: PosixFileOperations())
        let start = try catalog.history.changeToken()
        var tokens: [PersistentChangeToken] = []
        for _ in 0..<10 {
            try catalog.transaction { () throws(SQLiteError) in
                try catalog.history.record(.assetUpdated, [AssetIdentifier(), AssetIdentifier()])
            }
            tokens.append(try catalog.history.changeToken())
        }
        try catalog.history.trim(to: 6, batch: 5)
        #expect(try catalog.history.length() == 15)
        try catalog.history.trim(to: 6, batch: 1000)
        #expect(try catalog.history.length() == 6)
        #expect(try catalog.history.changes(since: start, .everything) == nil)
        #expect(try catalog.history.changes(since: tokens[5], .everything) == nil)
        #expect(try catalog.history.changes(since: tokens[6], .everything) != nil)
        try catalog.history.trim(to: 0, batch: 1000)
        #expect(try catalog.history.length() == 0)
        #expect(try catalog.history.changes(since: tokens[8], .everything) == nil)
        #expect(try catalog.history.changes(since: tokens[9], .everything)?.changes.isEmpty == true)
    }

    @Test("maintenance trims the history")
    func maintenance() throws {
        let fixture = try TestLibrary()
        let engine = LibraryEngine(
            layout: fixture.layout, files: PosixFileOperations(), time: fixture.time, settings: TestLibrary.settings,
            reader: FakePhotoReader(), shared: SharedLibraryState(), authority: Authority(time: fixture.time),
            report: { _ in })
        try engine.open()
        let rows = Int(Maintenance.historyLimit + Maintenance.historyBatch)
        try engine.storage.commit { catalog throws(SQLiteError) in
            try catalog.history.record(.assetUpdated, (0..<rows).map { _ in AssetIdentifier() })
        }
        _ = engine.tend()
        #expect(
            try engine.storage.read { catalog throws(SQLiteError) in try catalog.history.length() }
                == Maintenance.historyLimit)
        engine.letGo()
    }

    @Test("a token of another card has expired")
    func foreign() async throws {
        let other = try TestLibrary()
        let (store, otherStore) = (try await fixture.open(), try await other.open())
        let token = try library(otherStore).currentChangeToken
        await expectExpired(token, store)
        await store.close()
        await otherStore.close()
    }

    @Test("a catalog restored from its copy, or created again, knows no earlier token", arguments: [true, false])
    func restored(hasCopy: Bool) async throws {
        var store = try await fixture.open()
        try await store.add()
        await store.close()
        store = try await fixture.open()
        let old = try library(store).currentChangeToken
        try await store.add()
        let token = try library(store).currentChangeToken
        await store.close()
        #expect(FileManager.default.fileExists(atPath: fixture.layout.backup))
        try fixture.removeCatalog(withBackup: !hasCopy)
        store = try await fixture.open()
        _ = try await store.verify()
        #expect(try await store.all().count == 2)
        await expectExpired(old, store)
        await expectExpired(token, store)
        let now = try library(store).currentChangeToken
        try await store.add()
        #expect(blocks(try await library(store).fetchPersistentChanges(since: now)) == ["i1 u0 d0"])
        #expect(!FileManager.default.fileExists(atPath: fixture.layout.restoring))
        let rebuilds = fixture.events.withLock {
            $0.compactMap { if case .rebuilding(_, let copied) = $0 { copied } else { nil } }
        }
        #expect(rebuilds.count == (hasCopy ? 1 : 0))
        await store.close()
    }

    @Test("the shutter learns nothing from the history")
    func addOnly() async throws {
        let store = try await fixture.open()
        let shutter = PhotoLibrary(store: store, client: .shutter)
        let token = try shutter.currentChangeToken
        await #expect(throws: PhotosError.denied("shutter", "see photos")) {
            try await shutter.fetchPersistentChanges(since: token)
        }
        await store.close()
    }
}

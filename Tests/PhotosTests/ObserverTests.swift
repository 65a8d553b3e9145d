import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Observers")
struct ObserverTests {
    /// Keeps what it receives, and passes it on.
    final class Witness: PhotoLibraryChangeObserver {
        let changes: AsyncStream<PhotoLibraryChange>
        let count = Mutex(0)
        private let continuation: AsyncStream<PhotoLibraryChange>.Continuation

        init() {
            (changes, continuation) = AsyncStream.makeStream()
        }

        func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange) {
            count.withLock { $0 += 1 }
            continuation.yield(changeInstance)
        }
    }

    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func library(_ store: LibraryStore) -> PhotoLibrary { PhotoLibrary(store: store, client: .console) }

    @Test("an observer that is gone takes no room, whether or not anything changes")
    func gone() async throws {
        let store = try await fixture.open()
        weak var view: PhotoLibrary?
        do {
            let library = library(store)
            view = library
            library.register(Witness())
        }
        #expect(view != nil)
        let witness = Witness()
        library(store).register(witness)
        #expect(view == nil)
        await store.close()
    }

    @Test("an observer receives each block once, in order, and the new state of its fetch")
    func inOrder() async throws {
        let store = try await fixture.open()
        let library = library(store)
        let kept = try await store.add()
        let witness = Witness()
        library.register(witness)
        library.register(witness)
        var result = try await library.fetchAssets()
        let added = try await store.add()
        try await store.setFavorite(added, true, for: .console)
        try await store.delete([kept], for: .console)
        var received: [PersistentObjectChangeDetails] = []
        for await change in witness.changes {
            received.append(try #require(change.persistentChange).assets)
            if let details = try await change.changeDetails(for: result) {
                let rebuilt = applied(
                    details.removedIndexes, details.insertedIndexes, details.changedIndexes, to: Array(result),
                    from: Array(details.fetchResultAfterChanges))
                #expect(rebuilt == Array(details.fetchResultAfterChanges))
                result = details.fetchResultAfterChanges
            }
            if received.count == 3 { break }
        }
        #expect(received.map(\.insertedLocalIdentifiers) == [[added], [], []])
        #expect(received.map(\.updatedLocalIdentifiers) == [[], [added], []])
        #expect(received.map(\.deletedLocalIdentifiers) == [[], [], [kept]])
        #expect(result.map(\.localIdentifier) == [added])
        #expect(result.firstObject?.isFavorite == true)
        await store.close()
        #expect(witness.count.withLock { $0 } == 3)
    }

    @Test("an observer learns what became of collections")
    func collections() async throws {
        let store = try await fixture.open()
        let library = library(store)
        let witness = Witness()
        library.register(witness)
        let before = try await library.fetchAssetCollections(with: .album)
        try await library.performChanges {
            _ = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "New")
        }
        var changes = witness.changes.makeAsyncIterator()
        let change = try #require(await changes.next())
        let details = try #require(try await change.changeDetails(for: before))
        #expect(details.insertedIndexes == [0])
        #expect(details.insertedObjects.map(\.localizedTitle) == ["New"])
        #expect(details.removedIndexes.isEmpty && details.changedIndexes.isEmpty)
        #expect(try await change.changeDetails(for: details.fetchResultAfterChanges) == nil)
        await store.close()
    }

    @Test("an observer that is unregistered, gone or without access receives nothing")
    func notTold() async throws {
        let store = try await fixture.open()
        let library = library(store)
        let (ended, blind, last) = (Witness(), Witness(), Witness())
        library.register(ended)
        library.unregisterChangeObserver(ended)
        let shutter = PhotoLibrary(store: store, client: .shutter)
        shutter.register(blind)
        weak var gone: Witness?
        do {
            let witness = Witness()
            gone = witness
            library.register(witness)
        }
        library.register(last)
        try await store.add()
        await store.close()
        #expect(gone == nil)
        #expect(ended.count.withLock { $0 } == 0)
        #expect(blind.count.withLock { $0 } == 0)
        #expect(last.count.withLock { $0 } == 1)
    }

    @Test("an observer that blocks keeps no photo waiting")
    func blocking() async throws {
        final class Blocker: PhotoLibraryChangeObserver {
            let gate = DispatchSemaphore(value: 0)
            func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange) { gate.wait() }
        }
        let store = try await fixture.open()
        let blocker = Blocker()
        library(store).register(blocker)
        for _ in 0..<3 { try await store.add() }
        #expect(try await store.all().count == 3)
        for _ in 0..<3 { blocker.gate.signal() }
        await store.close()
    }

    @Test("changes while the card was away are reported when it is back")
    func afterRebuild() async throws {
        var store = try await fixture.open()
        try await store.add()
        await store.close()
        try fixture.removeCatalog(withBackup: true)
        store = try await fixture.open()
        let witness = Witness()
        library(store).register(witness)
        _ = try await store.verify()
        await store.close()
        #expect(witness.count.withLock { $0 } > 0)
    }
}

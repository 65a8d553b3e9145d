import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Change blocks and clients")
struct ChangeTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    @Test("the placeholder's identifier, taken out of the block, is the asset's")
    func placeholder() async throws {
        let store = try await fixture.open()
        var identifier: String?
        try await PhotoLibrary(store: store, client: .shutter).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
            request.isFavorite = true
            identifier = request.placeholderForCreatedAsset?.localIdentifier
        }
        let asset = try #require(try await store.all().first)
        #expect(asset.localIdentifier == identifier)
        #expect(asset.isFavorite)
        await store.close()
    }

    @Test("the shutter adds and sees nothing, not even its own photo")
    func addOnly() async throws {
        let store = try await fixture.open()
        let own = try await store.add()
        let asset = try #require(try await store.all().first)
        let library = PhotoLibrary(store: store, client: .shutter)
        func expectDenied(_ body: () async throws -> Void) async {
            await #expect {
                try await body()
            } throws: { error in
                (error as? PhotosError)?.appleNumber == 3311
            }
        }
        await expectDenied { _ = try await library.fetchAssets() }
        await expectDenied { _ = try await library.asset(own) }
        await expectDenied { _ = try await store.trash(for: .shutter) }
        await expectDenied { _ = try await store.statistics(for: .shutter) }
        await expectDenied { _ = try await store.restore([own], for: .shutter) }
        await expectDenied { _ = try await store.emptyTrash(for: .shutter) }
        await expectDenied { try await library.performChanges { AssetChangeRequest.deleteAssets([asset]) } }
        await expectDenied { try await library.performChanges { AssetChangeRequest(for: asset).isFavorite = true } }
        #expect(try await store.all() == [asset])
        await store.close()
    }

    @Test("an unknown client can do nothing")
    func unknown() async throws {
        let store = try await fixture.open()
        let library = PhotoLibrary(store: store, client: .named("unknown"))
        await #expect(throws: PhotosError.denied("unknown", "add photos")) {
            try await library.performChanges {
                AssetCreationRequest.forAsset().addResource(with: .photo, data: Data("x".utf8), options: nil)
            }
        }
        await #expect(throws: PhotosError.denied("unknown", "see photos")) { try await library.fetchAssets() }
        #expect(try fixture.photoFiles().isEmpty)
        await store.close()
    }

    @Test("one bad request fails the whole block and leaves nothing behind")
    func allOrNothing() async throws {
        let store = try await fixture.open()
        let console = PhotoLibrary(store: store, client: .console)
        let existing = try await store.add()
        let good = photo(newIdentifier())
        let before = try fixture.photoFiles()
        func expectFailure(_ code: PhotosError.Code, _ block: () -> Void) async {
            await #expect {
                try await console.performChanges(block)
            } throws: { error in
                (error as? PhotosError)?.code == code
            }
        }
        func create(_ change: (AssetCreationRequest) -> Void) {
            let request = AssetCreationRequest.forAsset()
            request.addResource(with: .photo, data: good, options: nil)
            change(request)
        }
        await expectFailure(.missingResource) {
            create { _ in }
            _ = AssetCreationRequest.forAsset()
        }
        await expectFailure(.invalidResource) { create { $0.addResource(with: .photo, data: good, options: nil) } }
        await expectFailure(.invalidResource) {
            create { $0.addResource(with: .alternatePhoto, data: Data(), options: nil) }
        }
        await expectFailure(.invalidResource) {
            create { request in
                let options = AssetResourceCreationOptions()
                options.originalFilename = "other.jpeg"
                request.addResource(with: .photoProxy, data: good, options: options)
            }
        }
        await expectFailure(.changeNotSupported) { create { $0.identifier = "not hexadecimal" } }
        await expectFailure(.changeNotSupported) { create { $0.identifier = existing } }
        #expect(try fixture.photoFiles() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.staging) == [])
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("a block inside a block fails both; a request outside of one does nothing")
    func nesting() async throws {
        let store = try await fixture.open()
        let library = PhotoLibrary(store: store, client: .shutter)
        let inner = Mutex<(any Error)?>(nil)
        await #expect {
            try await library.performChanges {
                AssetCreationRequest.forAsset().addResource(with: .photo, data: photo(newIdentifier()), options: nil)
                library.performChanges {
                    AssetCreationRequest.forAsset().addResource(
                        with: .photo, data: photo(newIdentifier()), options: nil)
                } completionHandler: { _, error in
                    inner.withLock { $0 = error }
                }
            }
        } throws: { error in
            (error as? PhotosError)?.code == .changeNotSupported
        }
        #expect((inner.withLock { $0 } as? PhotosError)?.code == .changeNotSupported)
        let outside = AssetCreationRequest.forAsset()
        outside.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
        #expect(outside.placeholderForCreatedAsset == nil)
        try await library.performChanges {}
        #expect(try await store.all().isEmpty)
        await store.close()
    }

    @Test("a request that outlives its block changes nothing")
    func outliving() async throws {
        let store = try await fixture.open()
        var kept: AssetCreationRequest?
        try await PhotoLibrary(store: store, client: .shutter).performChanges {
            kept = AssetCreationRequest.forAsset()
            kept?.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
        }
        kept?.isFavorite = true
        kept?.addResource(with: .alternatePhoto, data: Data("RAW".utf8), options: nil)
        #expect(try await store.all().map(\.isFavorite) == [false])
        await store.close()
    }

    @Test("deleted photos leave the listing, come back with identifier and name, or go for good")
    func trash() async throws {
        let store = try await fixture.open()
        for _ in 0..<3 { try await store.add(raw: true) }
        let before = try await store.all()
        let console = PhotoLibrary(store: store, client: .console)
        try await console.performChanges { AssetChangeRequest.deleteAssets(Array(before.prefix(2))) }
        #expect(try await store.all() == [before[2]])
        #expect(try fixture.photoFiles().count == 2)
        let trash = try await store.trash(for: .console)
        #expect(trash.map(\.localIdentifier) == before.prefix(2).map(\.localIdentifier))
        #expect(trash.allSatisfy { FileManager.default.fileExists(atPath: $0.path) && $0.trashed != nil })
        #expect(try await store.statistics(for: .console).trash == 2)

        #expect(try await store.restore(["100-0001"], for: .console) == [before[0]])
        #expect(try await store.all() == [before[0], before[2]])
        #expect(try await store.emptyTrash(for: .console) == 1)
        #expect(try await store.trash(for: .console).isEmpty)
        #expect(try await store.asset("100-0002", for: .console) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.trash) == [])
        let statistics = try await store.statistics(for: .console)
        #expect(statistics.assets == 2 && statistics.trash == 0 && statistics.trashBytes == 0)
        #expect(statistics.bytes == before[0].bytes + before[2].bytes)
        await #expect(throws: PhotosError.noSuchPhoto("100-0002")) {
            try await store.restore(["100-0002"], for: .console)
        }
        await #expect(throws: PhotosError.noSuchPhoto("100-0002")) {
            try await store.delete(["100-0002"], for: .console)
        }
        await store.close()
    }

    @Test("a photo whose name another file has taken stays in Recently Deleted, and the other file stays as it is")
    func restoreOverAnother() async throws {
        let store = try await fixture.open()
        try await store.add(raw: true)
        let asset = try #require(try await store.all().first)
        try await store.delete(["100-0001"], for: .console)
        let other = Data("another's".utf8)
        try fixture.put(other, at: asset.path)
        await #expect {
            try await store.restore(["100-0001"], for: .console)
        } throws: { error in
            (error as? PhotosError)?.code == .storageFailed
        }
        for _ in 0..<2 { await store.tend() }
        #expect(FileManager.default.contents(atPath: asset.path) == other)
        #expect(store.state == .ready)
        #expect(try await store.trash(for: .console).count == 1)
        #expect(try await store.verify().isSound)
        try FileManager.default.removeItem(atPath: asset.path)
        #expect(try await store.restore(["100-0001"], for: .console) == [asset])
        #expect(try await store.verify().isSound)
        await store.close()
    }

    @Test("events report what happened, in order")
    func events() async throws {
        let store = try await fixture.open()
        try await store.add()
        try await store.setFavorite("100-0001", true, for: .console)
        try await store.delete(["100-0001"], for: .console)
        _ = try await store.restore(["100-0001"], for: .console)
        try await store.delete(["100-0001"], for: .console)
        _ = try await store.emptyTrash(for: .console)
        let names = fixture.events.withLock { events in
            events.map { event in
                switch event {
                case .added: "added"
                case .changed(let asset): asset.isFavorite ? "favorite" : "changed"
                case .removed: "removed"
                case .restored(let asset): asset.isFavorite ? "restored" : "restored plain"
                case .purged: "purged"
                case .stateChanged(let state): state.rawValue
                case .initialized: "initialized"
                default: "other"
                }
            }
        }
        #expect(
            names == ["ready", "initialized", "added", "favorite", "removed", "restored", "removed", "purged"])
        await store.close()
    }
}

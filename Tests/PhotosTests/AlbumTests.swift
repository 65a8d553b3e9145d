import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Albums")
struct AlbumTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func library(_ store: LibraryStore) -> PhotoLibrary { PhotoLibrary(store: store, client: .console) }

    private func albums(_ store: LibraryStore) async throws -> [AssetCollection] {
        Array(try await library(store).fetchAssetCollections(with: .album))
    }

    private func members(_ store: LibraryStore, _ album: AssetCollection) async throws -> [String] {
        try await library(store).fetchAssets(in: album).map(\.localIdentifier)
    }

    /// Makes an album of assets and returns it.
    private func make(
        _ store: LibraryStore, _ title: String, _ assets: [Asset]
    ) async throws -> AssetCollection {
        try await library(store).performChanges {
            AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: title).addAssets(assets)
        }
        return try #require(try await albums(store).first { $0.localizedTitle == title })
    }

    @Test("an album is created and filled with assets that the same block creates")
    func oneBlock() async throws {
        let store = try await fixture.open()
        let old = try await store.add()
        let existing = try #require(try await store.all().first)
        var album: String?
        var new: [String] = []
        try await library(store).performChanges {
            let request = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "Harbor")
            album = request.placeholderForCreatedAssetCollection?.localIdentifier
            var placeholders: [any PhotoObject] = []
            for _ in 0..<2 {
                let creation = AssetCreationRequest.forAsset()
                creation.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
                if let placeholder = creation.placeholderForCreatedAsset { placeholders.append(placeholder) }
            }
            request.addAssets(placeholders)
            if let placeholder = request.placeholderForCreatedAssetCollection {
                AssetCollectionChangeRequest(for: placeholder).addAssets([existing])
            }
            new = placeholders.map(\.localIdentifier)
        }
        let made = try #require(try await albums(store).first)
        #expect(made.localIdentifier == album)
        #expect(made.localizedTitle == "Harbor")
        #expect(made.estimatedAssetCount == 3)
        #expect(try await members(store, made) == new + [old])
        #expect(
            try await library(store).fetchAssetCollectionsContaining(existing, with: .album).map(\.localIdentifier)
                == [made.localIdentifier])
        await store.close()
    }

    @Test("an album is renamed, rearranged, paged and deleted; its assets stay")
    func changes() async throws {
        let store = try await fixture.open()
        for _ in 0..<5 { try await store.add() }
        let assets = try await store.all()
        let names = assets.map(\.localIdentifier)
        let album = try await make(store, "One", [assets[3], assets[0], assets[2]])
        try await library(store).performChanges {
            let request = AssetCollectionChangeRequest(for: album)
            request.title = "Two"
            request.moveAssets(at: [2], to: 0)
            request.insertAssets([assets[4]], at: [1])
            request.removeAssets([assets[0]])
            request.replaceAssets(at: [2], withAssets: [assets[1]])
        }
        let after = try #require(try await albums(store).first)
        #expect(after.localizedTitle == "Two")
        #expect(try await members(store, after) == [names[2], names[4], names[1]])
        #expect(try await library(store).countOfAssets(in: after) == 3)

        for order in [FetchOptions.Order.album, .newestFirst, .by(AssetKey.creationDate)] {
            var options = FetchOptions()
            options.order = order
            let whole = try await library(store).fetchAssets(in: after, options: options).assets
            options.fetchLimit = 2
            var paged: [Asset] = []
            repeat {
                let page = try await library(store).fetchAssets(in: after, options: options)
                paged += page
                options.cursor = page.next
            } while options.cursor != nil
            #expect(paged == whole)
        }

        try await library(store).performChanges { AssetCollectionChangeRequest.deleteAssetCollections([after]) }
        #expect(try await albums(store).isEmpty)
        #expect(try await members(store, after).isEmpty)
        #expect(try await store.all().count == 5)
        await store.close()
    }

    @Test("an asset keeps its place in an album while it is in Recently Deleted, and loses it for good when purged")
    func deletion() async throws {
        let store = try await fixture.open()
        for _ in 0..<3 { try await store.add() }
        let assets = try await store.all()
        let names = assets.map(\.localIdentifier)
        let album = try await make(store, "Album", assets)
        try await store.delete([names[1]], for: .console)
        #expect(try await members(store, album) == [names[0], names[2]])
        try await library(store).performChanges {
            AssetCollectionChangeRequest(for: album).moveAssets(at: [1], to: 0)
        }
        _ = try await store.restore([names[1]], for: .console)
        #expect(try await members(store, album) == [names[2], names[0], names[1]])
        try await store.delete([names[0]], for: .console)
        _ = try await store.emptyTrash(for: .console)
        #expect(try await members(store, album) == [names[2], names[1]])
        #expect(try await albums(store).first?.estimatedAssetCount == 2)
        await store.close()
    }

    @Test("one bad step fails the whole block: nothing of it is there afterwards")
    func allOrNothing() async throws {
        let store = try await fixture.open()
        try await store.add()
        let assets = try await store.all()
        let album = try await make(store, "Album", assets)
        let smart = try #require(
            try await library(store).fetchAssetCollections(with: .smartAlbum, subtype: .smartAlbumFavorites).firstObject
        )
        let gone = ObjectPlaceholder(localIdentifier: newIdentifier())
        let before = try fixture.photoFiles()
        func expectFailure(_ code: PhotosError.Code, _ bad: (AssetCollectionChangeRequest) -> Void) async {
            await #expect {
                try await library(store).performChanges {
                    let creation = AssetCreationRequest.forAsset()
                    creation.addResource(with: .photo, data: photo(newIdentifier()), options: nil)
                    let request = AssetCollectionChangeRequest(for: album)
                    request.title = "Other"
                    bad(request)
                }
            } throws: { error in
                (error as? PhotosError)?.code == code
            }
        }
        await expectFailure(.identifierNotFound) { $0.addAssets([gone]) }
        await expectFailure(.changeNotSupported) { $0.removeAssets(at: [1]) }
        await expectFailure(.changeNotSupported) { $0.insertAssets(assets, at: [0]) }
        await expectFailure(.changeNotSupported) { _ in AssetCollectionChangeRequest(for: smart).addAssets(assets) }
        await expectFailure(.identifierNotFound) { _ in AssetCollectionChangeRequest(for: gone).title = "x" }
        await expectFailure(.identifierNotFound) { request in
            AssetCollectionChangeRequest.deleteAssetCollections([album])
            AssetCollectionChangeRequest(for: album).title = "x"
        }
        #expect(try fixture.photoFiles() == before)
        #expect(try await albums(store) == [album])
        #expect(try await members(store, album) == assets.map(\.localIdentifier))
        await store.close()
    }

    @Test("outside of a block, requests about albums do nothing")
    func outside() async throws {
        let store = try await fixture.open()
        try await store.add()
        let album = try await make(store, "Album", [])
        let request = AssetCollectionChangeRequest(for: album)
        request.title = "Other"
        #expect(
            AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "x")
                .placeholderForCreatedAssetCollection == nil)
        try await library(store).performChanges {}
        #expect(try await albums(store) == [album])
        await store.close()
    }

    @Test("an album survives a restart, and the asset it has a new number after being moved by hand")
    func moved() async throws {
        var store = try await fixture.open()
        for _ in 0..<2 { try await store.add() }
        let assets = try await store.all()
        let album = try await make(store, "Album", assets)
        await store.close()
        try FileManager.default.moveItem(
            atPath: fixture.layout.photos + "/100PINHL/PINH0001.JPG",
            toPath: fixture.layout.photos + "/100PINHL/PINH0050.JPG")
        store = try await fixture.open()
        _ = try await store.verify()
        let found = try await library(store).fetchAssets(in: album).assets
        #expect(found.map(\.localIdentifier) == assets.map(\.localIdentifier))
        #expect(found.first?.number == "100-0050")
        await store.close()
    }

    @Test("smart albums are filled by their rules and have the same identity everywhere")
    func smartAlbums() async throws {
        let store = try await fixture.open()
        let burst = newIdentifier()
        try await store.add(burst: burst)
        try await store.add()
        try await store.setFavorite("100-0002", true, for: .console)
        let smart = try await library(store).fetchAssetCollections(with: .smartAlbum)
        #expect(smart.map(\.localIdentifier) == ["recent", "favorites", "bursts", "raw", "timelapse"])
        #expect(smart.map(\.estimatedAssetCount) == [2, 1, 1, 0, 0])
        var found: [[String]] = []
        for album in smart { found.append(try await library(store).fetchAssets(in: album).map(\.number)) }
        #expect(found == [["100-0002", "100-0001"], ["100-0002"], ["100-0001"], [], []])
        let asset = try #require(try await store.all().first)
        #expect(
            try await library(store).fetchAssetCollectionsContaining(asset, with: .smartAlbum).map(\.localIdentifier)
                == ["recent", "bursts"])
        #expect(
            try await library(store).fetchAssetCollections(withLocalIdentifiers: ["raw", "nothing"])
                .map(\.localizedTitle) == ["RAW"])
        await store.close()
    }

    @Test("the shutter can neither see albums nor change them")
    func addOnly() async throws {
        let store = try await fixture.open()
        let shutter = PhotoLibrary(store: store, client: .shutter)
        await #expect(throws: PhotosError.denied("shutter", "see photos")) {
            try await shutter.fetchAssetCollections(with: .album)
        }
        await #expect(throws: PhotosError.denied("shutter", "change albums")) {
            try await shutter.performChanges {
                _ = AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "x")
            }
        }
        #expect(try await albums(store).isEmpty)
        await store.close()
    }
}

import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Storing photos")
struct StoringTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    @Test("a saved photo has a DCF name, its bytes, its place in the listing, and is there after a restart")
    func saves() async throws {
        var store = try await fixture.open()
        let identifier = try await store.add(captured: 1_796_030_101_123_000_000)
        for round in 1...2 {
            let assets = try await store.all()
            #expect(assets.count == 1, "round \(round)")
            let asset = try #require(assets.first)
            #expect(asset.localIdentifier == identifier)
            #expect(asset.number == "100-0001")
            #expect(asset.name == "100PINHL/PINH0001.JPG")
            #expect(asset.path == fixture.layout.photos + "/100PINHL/PINH0001.JPG")
            #expect(asset.pixelWidth == 40 && asset.pixelHeight == 30)
            #expect(asset.captured.rfc3339 == "2026-11-30T10:15:01.123+01:00")
            #expect(FileManager.default.contents(atPath: asset.path) == photo(identifier))
            #expect(asset.bytes == Int64(photo(identifier).count))
            #expect(try await store.statistics(for: .console).assets == 1)
            await store.close()
            store = try await fixture.open()
        }
        await store.close()
    }

    @Test("an ordinary photo costs one file sync, one directory sync and one commit")
    func flushes() async throws {
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
        try await store.add()
        files.restart()
        try await store.add()
        #expect(files.log == ["writeNew", "renameNew", "syncDirectory", "commit"])
        await store.close()
    }

    @Test("a raw file shares the photo's number and arrives before it")
    func companions() async throws {
        let store = try await fixture.open()
        try await store.add(raw: true)
        let asset = try #require(try await store.all().first)
        #expect(asset.resources.map(\.name) == ["100PINHL/PINH0001.JPG", "100PINHL/PINH0001.DNG"])
        #expect(asset.resources.map(\.type) == [.photo, .alternatePhoto])
        #expect(asset.name == "100PINHL/PINH0001.JPG")
        #expect(try fixture.photoFiles().keys.sorted() == ["100PINHL/PINH0001.DNG", "100PINHL/PINH0001.JPG"])
        await store.close()
    }

    @Test("blocks of many callers are carried out in the order of the calls")
    func order() async throws {
        let store = try await fixture.open()
        let identifiers = (0..<40).map { _ in newIdentifier() }
        let done = Mutex<[String]>([])
        let library = PhotoLibrary(store: store, client: .shutter)
        for identifier in identifiers {
            library.performChanges {
                let request = AssetCreationRequest.forAsset()
                request.identifier = identifier
                request.addResource(with: .photo, data: photo(identifier), options: nil)
            } completionHandler: { success, _ in
                if success { done.withLock { $0.append(identifier) } }
            }
        }
        await store.tend()
        #expect(done.withLock { $0 } == identifiers)
        #expect(try await store.all().map(\.localIdentifier) == identifiers)
        await store.close()
    }

    @Test("the time to durable is listed at once, and kept without a sync of its own")
    func durable() async throws {
        let files = FaultyFileOperations()
        var store = try await fixture.open(files)
        let moment = fixture.time.now
        fixture.time.advance(by: .milliseconds(321))
        files.restart()
        try await store.add(moment: moment)
        #expect(files.log.filter { $0 == "commit" }.count == 1)
        #expect(try await store.all().first?.durable == 321)
        try await store.add()
        await store.close()
        store = try await fixture.open()
        #expect(try await store.all().map(\.durable) == [321, nil])
        await store.close()
    }

    @Test("a state folder is made where its parent is there, and refused with a sentence where it is not")
    func parents() async throws {
        let store = try await fixture.open()
        #expect(fixture.events.withLock { $0.contains { if case .initialized = $0 { true } else { false } } })
        await store.close()
        let deep = fixture.folder + "/nowhere/state"
        await #expect(throws: LibraryError.missingParent(fixture.folder + "/nowhere")) {
            try await LibraryStore.open(
                library: deep + "/library", state: deep, files: PosixFileOperations(), time: fixture.time,
                photoReader: FakePhotoReader())
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/nowhere"))
    }

    @Test("a second writer is refused and changes nothing")
    func locked() async throws {
        let store = try await fixture.open()
        await #expect(throws: LibraryError.locked(fixture.state)) { try await fixture.open() }
        try await store.add()
        await store.close()
        let next = try await fixture.open()
        #expect(try await next.all().count == 1)
        await next.close()
    }

    @Test("after closing, requests end with an error instead of waiting for ever")
    func closed() async throws {
        let store = try await fixture.open()
        await store.close()
        await #expect(throws: PhotosError.closed) { try await store.add() }
        await #expect(throws: PhotosError.closed) { try await store.all() }
    }
}

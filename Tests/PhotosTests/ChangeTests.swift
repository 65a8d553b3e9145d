import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Change blocks and clients")
struct ChangeTests {
    let bed: TestLibrary

    init() throws {
        bed = try TestLibrary()
    }

    @Test("the placeholder's identifier, taken out of the block, is the asset's")
    func placeholder() async throws {
        let store = try await bed.open()
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
        let store = try await bed.open()
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
        let store = try await bed.open()
        let library = PhotoLibrary(store: store, client: .unknown("stranger"))
        await #expect(throws: PhotosError.denied("stranger", "add photos")) {
            try await library.performChanges {
                AssetCreationRequest.forAsset().addResource(with: .photo, data: Data("x".utf8), options: nil)
            }
        }
        await #expect(throws: PhotosError.denied("stranger", "see photos")) { try await library.fetchAssets() }
        #expect(try bed.photoFiles().isEmpty)
        await store.close()
    }

    @Test("one bad request fails the whole block and leaves nothing behind")
    func allOrNothing() async throws {
        let store = try await bed.open()
        let console = PhotoLibrary(store: store, client: .console)
        let existing = try await store.add()
        let good = photo(newIdentifier())
        let before = try bed.photoFiles()
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
        await expectFailure(.missingResource) { create { $0.addResource(with: .photo, data: good, options: nil) } }
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
        #expect(try bed.photoFiles() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.layout.staging) == [])
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("a block inside a block fails both; a request outside of one does nothing")
    func nesting() async throws {
        let store = try await bed.open()
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
        let store = try await bed.open()
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
        let store = try await bed.open()
        for _ in 0..<3 { try await store.add(raw: true) }
        let before = try await store.all()
        let console = PhotoLibrary(store: store, client: .console)
        try await console.performChanges { AssetChangeRequest.deleteAssets(Array(before.prefix(2))) }
        #expect(try await store.all() == [before[2]])
        #expect(try bed.photoFiles().count == 2)
        let trash = try await store.trash(for: .console)
        #expect(trash.map(\.localIdentifier) == before.prefix(2).map(\.localIdentifier))
        #expect(trash.allSatisfy { FileManager.default.fileExists(atPath: $0.path) && $0.trashed != nil })
        #expect(try await store.statistics(for: .console).trash == 2)

        #expect(try await store.restore(["100-0001"], for: .console) == [before[0]])
        #expect(try await store.all() == [before[0], before[2]])
        #expect(try await store.emptyTrash(for: .console) == 1)
        #expect(try await store.trash(for: .console).isEmpty)
        #expect(try await store.asset("100-0002", for: .console) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.layout.trash) == [])
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
        let store = try await bed.open()
        try await store.add(raw: true)
        let asset = try #require(try await store.all().first)
        try await store.delete(["100-0001"], for: .console)
        let other = Data("another's".utf8)
        try bed.put(other, at: asset.path)
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

    @Test("events tell what happened, in order")
    func events() async throws {
        let store = try await bed.open()
        try await store.add()
        try await store.setFavorite("100-0001", true, for: .console)
        try await store.delete(["100-0001"], for: .console)
        _ = try await store.restore(["100-0001"], for: .console)
        try await store.delete(["100-0001"], for: .console)
        _ = try await store.emptyTrash(for: .console)
        let names = bed.events.withLock { events in
            events.map { event in
                switch event {
                case .added: "added"
                case .changed(let asset): asset.isFavorite ? "favorite" : "changed"
                case .removed: "removed"
                case .restored(let asset): asset.isFavorite ? "restored" : "restored plain"
                case .purged: "purged"
                case .stateChanged(let state): state.rawValue
                case .initialised: "initialised"
                default: "other"
                }
            }
        }
        #expect(
            names == ["ready", "initialised", "added", "favorite", "removed", "restored", "removed", "purged"])
        await store.close()
    }
}

@Suite("Fetching")
struct FetchTests {
    @Test("filters select, also combined; pages join without gap or overlap")
    func filtersAndPages() async throws {
        let bed = try TestLibrary()
        let store = try await bed.open()
        let burst = newIdentifier()
        for index in 0..<7 {
            try await store.add(burst: index < 3 ? burst : nil, bytes: 100, captured: Int64(index) * 1_000_000_000)
        }
        for number in ["100-0002", "100-0005"] { try await store.setFavorite(number, true, for: .console) }
        try await store.delete(["100-0007"], for: .console)
        func numbers(_ filter: FetchOptions.Filter) async throws -> [Int] {
            try await store.all(filter).compactMap { Int($0.number.suffix(1)) }
        }
        let later = FetchOptions.Filter.since(
            WallTime(unixNanoseconds: 3_000_000_000, offsetSeconds: 0, isTrusted: true))
        #expect(try await numbers(.images) == [1, 2, 3, 4, 5, 6])
        #expect(try await numbers(.favorites) == [2, 5])
        #expect(try await numbers(.bursts) == [1, 2, 3])
        #expect(try await numbers(later) == [4, 5, 6])
        #expect(try await numbers(.not(.bursts)) == [4, 5, 6])
        #expect(try await numbers(.any([.favorites, .bursts])) == [1, 2, 3, 5])
        #expect(try await numbers(.all([.favorites, later])) == [5])
        #expect(try await numbers(.all([.not(.any([.favorites, later])), .bursts])) == [1, 3])
        #expect(try await numbers(.any([])) == [])
        #expect(try await numbers(.all([])) == [1, 2, 3, 4, 5, 6])
        #expect(try await store.all(.bursts).allSatisfy { $0.burstIdentifier == burst })

        for order in [FetchOptions.Order.newestFirst, .oldestFirst] {
            var options = FetchOptions()
            options.order = order
            options.fetchLimit = 4
            var pages: [[String]] = []
            repeat {
                let result = try await store.fetch(options, for: .console)
                pages.append(result.assets.map { String($0.number.suffix(1)) })
                options.cursor = result.next
            } while options.cursor != nil
            #expect(
                pages
                    == (order == .newestFirst
                        ? [["6", "5", "4", "3"], ["2", "1"]] : [["1", "2", "3", "4"], ["5", "6"]]))
        }
        await store.close()
    }

    @Test("a filter nested beyond reason is an error, not a crash")
    func deepFilter() async throws {
        let bed = try TestLibrary()
        let store = try await bed.open()
        var filter = FetchOptions.Filter.favorites
        for _ in 0..<3000 { filter = .not(filter) }
        let deep = filter
        await #expect {
            try await store.all(deep)
        } throws: { error in
            (error as? PhotosError)?.code == .invalidFilter
        }
        try await store.add()
        #expect(try await store.all().count == 1)
        await store.close()
    }
}

@Suite("Space")
struct SpaceTests {
    private func space(free: Int64, isReadOnly: Bool = false) -> FileSystemSpace {
        FileSystemSpace(free: free, total: 1 << 40, isReadOnly: isReadOnly)
    }

    @Test("a photo that may not fit is refused before the shot; room makes the camera ready again by itself")
    func guardsSpace() async throws {
        let bed = try TestLibrary()
        let files = FaultyFileOperations()
        let settings = TestLibrary.settings
        let store = try await bed.open(files)
        let largest = settings.largestPhotoBytes
        files.pretend(space(free: settings.reservedBytes + largest * 2))
        await store.tend()
        #expect(store.state == .nearlyFull)
        var first: SpaceReservation? = try store.admit(bytes: largest)
        let second = try store.admit(bytes: largest)
        #expect(throws: PhotosError.full) { try store.admit(bytes: 1) }
        #expect(first != nil)
        first = nil
        #expect(throws: Never.self) { try store.admit(bytes: largest) }
        files.pretend(space(free: settings.reservedBytes + 10))
        await store.tend()
        #expect(store.state == .full)
        #expect(throws: PhotosError.full) { try store.admit(bytes: 5) }
        await #expect(throws: PhotosError.full) { try await store.add() }
        #expect(try bed.photoFiles().isEmpty)
        files.succeed()
        await store.tend()
        #expect(store.state == .ready)
        try await store.add()
        withExtendedLifetime(second) {}
        await store.close()
    }

    @Test("read-only storage is a state with its error; it ends when the storage can be written again")
    func readOnly() async throws {
        let bed = try TestLibrary()
        let files = FaultyFileOperations()
        let store = try await bed.open(files)
        try await store.add()
        files.failAll("writeNew", code: EROFS)
        await #expect(throws: PhotosError.readOnly) { try await store.add() }
        #expect(store.state == .readOnly)
        #expect(throws: PhotosError.readOnly) { try store.admit(bytes: 1) }
        await store.tend()
        #expect(store.state == .readOnly)
        #expect(try await store.all().count == 1)
        files.succeed()
        await store.tend()
        #expect(store.state == .ready)
        try await store.add()
        await store.close()
    }

    @Test("where nothing may be written, opening says so in one sentence")
    func readOnlyFromTheStart() async throws {
        let bed = try TestLibrary()
        let files = FaultyFileOperations()
        files.failAll("createDirectory", code: EROFS)
        await #expect(throws: LibraryError.readOnly(bed.folder)) { try await bed.open(files) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder) == [])
        try Data().write(to: URL(fileURLWithPath: bed.state))
        await #expect(throws: LibraryError.notADirectory(bed.state)) { try await bed.open() }
    }

    @Test("a library folder that vanishes is a state; it is found again when it is back, and never made anew")
    func vanishes() async throws {
        let bed = try TestLibrary()
        let store = try await bed.open()
        try await store.add()
        let away = bed.folder + "/away"
        try FileManager.default.moveItem(atPath: bed.layout.library, toPath: away)
        await #expect {
            try await store.add()
        } throws: { error in
            (error as? PhotosError)?.appleNumber == 3114
        }
        #expect(store.state == .offline)
        await store.tend()
        #expect(store.state == .offline)
        #expect(!FileManager.default.fileExists(atPath: bed.layout.library))
        try FileManager.default.moveItem(atPath: away, toPath: bed.layout.library)
        await store.tend()
        #expect(store.state == .ready)
        try await store.add()
        #expect(try await store.all().count == 2)
        #expect(try await store.verify().isSound)
        await store.close()
    }
}

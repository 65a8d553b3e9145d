import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Limited access")
struct LimitedAccessTests {
    let fixture: TestLibrary
    static let anna = Client.named("share:anna")

    init() throws {
        fixture = try TestLibrary()
    }

    private func open(level: ClientLevel? = nil) async throws -> LibraryStore {
        let policy = try ClientPolicy(client: "share", purpose: "To show photos on another computer.", level: level)
        let store = try await fixture.open(policies: [policy])
        if level == nil { try await store.setGrant(Self.anna, level: .limited) }
        return store
    }

    private func denied(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? PhotosError)?.appleNumber == 3311
        }
    }

    private func fetch(_ store: LibraryStore, _ client: Client = anna) async throws -> [Asset] {
        var options = FetchOptions()
        options.order = .oldestFirst
        return try await store.fetch(options, for: client).assets
    }

    @discardableResult
    private func addOwn(_ store: LibraryStore) async throws -> String {
        let identifier = newIdentifier()
        try await PhotoLibrary(store: store, client: Self.anna).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.addResource(with: .photo, data: photo(identifier), options: nil)
        }
        return identifier
    }

    @Test("an add-only client saves, a fetch gives 3311, the console sees the photo")
    func addOnly() async throws {
        let store = try await open()
        try await store.setGrant(Self.anna, level: .addOnly)
        let own = try await addOwn(store)
        let library = PhotoLibrary(store: store, client: Self.anna)
        await denied { _ = try await library.fetchAssets() }
        await denied { _ = try await library.asset(own) }
        await denied { _ = try await store.statistics(for: Self.anna) }
        await denied { _ = try await store.fetch(FetchOptions(), for: Self.anna) }
        await denied { try await store.delete([own], for: Self.anna) }
        await denied { try await store.setFavorite(own, true, for: Self.anna) }
        #expect(try await store.all().map(\.localIdentifier) == [own])
        await store.close()
    }

    @Test("a limited client sees its selection, by numbers of its own, and nothing of the rest")
    func selection() async throws {
        let store = try await open()
        var all: [String] = []
        for index in 0..<6 { all.append(try await store.add(raw: index == 3)) }
        #expect(try await fetch(store).isEmpty)
        try await store.select(Self.anna, add: ["100-0004", all[1]])
        let seen = try await fetch(store)
        #expect(seen.map(\.localIdentifier) == [all[1], all[3]])
        #expect(seen.map(\.number) == ["100-0002", "100-0001"])
        #expect(seen[1].name == "100PINHL/PINH0001.JPG")
        #expect(seen[1].resources.map(\.name) == ["100PINHL/PINH0001.JPG", "100PINHL/PINH0001.DNG"])
        #expect(seen[1].resources.map(\.originalFilename) == ["PINH0001.JPG", "PINH0001.DNG"])
        // The file itself is where it always was.
        #expect(seen[1].path == fixture.layout.photos + "/100PINHL/PINH0004.JPG")
        let library = PhotoLibrary(store: store, client: Self.anna)
        #expect(try await library.asset("100-0001")?.localIdentifier == all[3])
        #expect(try await library.asset("100-0004") == nil)
        #expect(try await library.asset(all[0]) == nil)
        let statistics = try await store.statistics(for: Self.anna)
        #expect(statistics.assets == 2)
        #expect(statistics.bytes == seen.reduce(0) { $0 + $1.bytes })
        #expect(statistics.trash == 0)
        // The console knows it by its own number.
        #expect(try await store.asset("100-0004", for: .console)?.localIdentifier == all[3])
        await store.close()
    }

    @Test("what a limited client adds joins its selection; what others add does not")
    func ownAdditions() async throws {
        let store = try await open()
        try await store.add()
        let own = try await addOwn(store)
        try await store.add()
        let seen = try await fetch(store)
        #expect(seen.map(\.localIdentifier) == [own])
        #expect(seen.map(\.number) == ["100-0001"])
        #expect(try await store.all().count == 3)
        await store.close()
    }

    @Test("a limited client changes what it sees, and nothing else")
    func changes() async throws {
        let store = try await open()
        let hidden = try await store.add()
        let own = try await addOwn(store)
        try await store.setFavorite("100-0001", true, for: Self.anna)
        #expect(try await store.all().filter(\.isFavorite).map(\.localIdentifier) == [own])
        for name in [hidden, "100-0002"] {
            await #expect(throws: PhotosError.noSuchPhoto(name)) {
                try await store.setFavorite(name, true, for: Self.anna)
            }
            await #expect(throws: PhotosError.noSuchPhoto(name)) { try await store.delete([name], for: Self.anna) }
        }
        await store.close()
    }

    @Test("what is deleted is gone from the selection, with no way for a limited client to see or bring it back")
    func deleted() async throws {
        let store = try await open()
        let own = try await addOwn(store)
        try await store.delete([own], for: .console)
        #expect(try await fetch(store).isEmpty)
        #expect(try await store.asset(own, for: Self.anna) == nil)
        await denied { _ = try await store.trash(for: Self.anna) }
        await denied { _ = try await store.restore([own], for: Self.anna) }
        await denied { _ = try await store.emptyTrash(for: Self.anna) }
        // Restored, it is seen again, as what it was.
        _ = try await store.restore([own], for: .console)
        #expect(try await fetch(store).map(\.number) == ["100-0001"])
        await store.close()
    }

    @Test("a number a limited client has seen never means another photo")
    func numbersStay() async throws {
        var store = try await open()
        let first = try await addOwn(store)
        let second = try await addOwn(store)
        try await store.select(Self.anna, remove: [second])
        #expect(try await store.asset("100-0002", for: Self.anna) == nil)
        try await store.select(Self.anna, add: [second])
        #expect(try await store.asset("100-0002", for: Self.anna) == nil)
        #expect(try await store.asset("100-0003", for: Self.anna)?.localIdentifier == second)
        // Adding what is there already changes nothing.
        try await store.select(Self.anna, add: [first, second])
        #expect(try await fetch(store).map(\.number) == ["100-0001", "100-0003"])
        try await store.delete([second], for: .console)
        _ = try await store.emptyTrash(for: .console)
        await store.close()
        store = try await fixture.open(policies: [try ClientPolicy(client: "share", purpose: "To show photos.")])
        let third = try await addOwn(store)
        #expect(try await fetch(store).map(\.number) == ["100-0001", "100-0004"])
        #expect(try await fetch(store).map(\.localIdentifier) == [first, third])
        await store.close()
        // Not even after the catalog is lost: the copy may know less than the client has seen.
        try fixture.removeCatalog(withBackup: false)
        store = try await fixture.open(policies: [try ClientPolicy(client: "share", purpose: "To show photos.")])
        _ = try await addOwn(store)
        #expect(try await fetch(store).map(\.number) == ["100-0001", "100-0004", "101-0001"])
        await store.close()
    }

    @Test("the numbers of a selection go on in the next directory after 9999, and end after 999-9999")
    func positions() {
        for (position, number) in [
            (1, "100-0001"), (9999, "100-9999"), (10000, "101-0001"), (899 * 9999 + 9999, "999-9999"),
        ] as [(Int64, String)] {
            #expect(DCFNumber(selectionPosition: position)?.description == number)
            #expect(DCFNumber(number)?.selectionPosition == position)
        }
        for position in [0, -1, Int64.min, Int64.max, 900 * 9999 + 1] as [Int64] {
            #expect(DCFNumber(selectionPosition: position) == nil)
        }
    }

    @Test("an edit of the selection is all or nothing, and is reported")
    func edits() async throws {
        let store = try await open()
        let one = try await store.add()
        await #expect(throws: PhotosError.noSuchPhoto("100-0099")) {
            try await store.select(Self.anna, add: [one, "100-0099"])
        }
        #expect(try await fetch(store).isEmpty)
        func reportCount() -> Int {
            fixture.events.withLock { events in
                events.count { if case .selectionChanged(Self.anna) = $0 { true } else { false } }
            }
        }
        let before = reportCount()
        try await store.select(Self.anna, add: [one])
        try await store.select(Self.anna, remove: [one])
        #expect(reportCount() == before + 2)
        #expect(try await fetch(store).isEmpty)
        try await store.setGrant(Self.anna, level: .full)
        await #expect {
            try await store.select(Self.anna, add: [one])
        } throws: { error in
            (error as? PhotosError)?.code == .changeNotSupported
        }
        await store.close()
    }

    @Test("a client that configuration has limited has a selection too, and keeps it")
    func fixedLimited() async throws {
        var store = try await open(level: .limited)
        let one = try await store.add()
        #expect(try await fetch(store).isEmpty)
        try await store.select(Self.anna, add: [one])
        let own = try await addOwn(store)
        await store.close()
        store = try await open(level: .limited)
        #expect(try await fetch(store).map(\.localIdentifier) == [one, own])
        // Not the one of another client of the same kind.
        #expect(try await fetch(store, .named("share:bob")).isEmpty)
        await store.close()
    }

    @Test("fetches, lookups, listings and counts of limited clients agree, whatever happens", arguments: 1...6)
    func agreement(seed: UInt64) async throws {
        let store = try await open()
        var generator = SeededGenerator(seed: seed)
        var photos: [String] = []
        var trashed: Set<String> = []
        /// What the client should see, by the number it should see it by.
        var numbers: [String: Int64] = [:]
        var position: Int64 = 0
        for _ in 0..<60 {
            let listed = photos.filter { !trashed.contains($0) }
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1:
                photos.append(try await store.add(raw: Bool.random(using: &generator)))
            case 2:
                photos.append(try await addOwn(store))
                position += 1
                numbers[photos[photos.count - 1]] = position
            case 3:
                let chosen = listed.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.shuffled(
                    using: &generator)
                try await store.select(Self.anna, add: chosen)
                for one in chosen where numbers[one] == nil {
                    position += 1
                    numbers[one] = position
                }
            case 4:
                let chosen = photos.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                try await store.select(Self.anna, remove: chosen)
                for one in chosen { numbers[one] = nil }
            case 5:
                guard let one = listed.randomElement(using: &generator) else { continue }
                try await store.delete([one], for: .console)
                trashed.insert(one)
            default:
                guard let one = trashed.randomElement(using: &generator) else { continue }
                _ = try await store.restore([one], for: .console)
                trashed.remove(one)
            }
            let expected = photos.filter { numbers[$0] != nil && !trashed.contains($0) }
            var options = FetchOptions()
            options.order = .oldestFirst
            options.fetchLimit = Int.random(in: 1...5, using: &generator)
            var fetched: [Asset] = []
            repeat {
                let result = try await store.fetch(options, for: Self.anna)
                fetched += result.assets
                options.cursor = result.next
            } while options.cursor != nil
            #expect(fetched.map(\.localIdentifier) == expected)
            #expect(
                fetched.map(\.number)
                    == expected.map { DCFNumber(selectionPosition: numbers[$0] ?? 0)?.description ?? "" })
            let files = fetched.flatMap(\.resources)
            #expect(Set(files.map(\.name)).count == files.count)
            for file in files { #expect(FileManager.default.fileExists(atPath: file.path)) }
            let statistics = try await store.statistics(for: Self.anna)
            #expect(statistics.assets == expected.count)
            #expect(statistics.bytes == files.reduce(0) { $0 + $1.bytes })
            for one in photos {
                let found = try await store.asset(one, for: Self.anna)
                #expect((found != nil) == expected.contains(one))
                guard let found else { continue }
                #expect(try await store.asset(found.number, for: Self.anna) == found)
            }
        }
        #expect(position > 0)
        await store.close()
    }
}

import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Swapped cards")
struct SwappedCardTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private func take(_ count: Int) async throws -> [Asset] {
        let store = try await fixture.open()
        for _ in 0..<count { try await store.add() }
        #expect(try await store.verify().isSound)
        let assets = try await store.all()
        await store.close()
        return assets
    }

    /// Puts the card into a drawer, or one from there into the camera.
    private func eject(_ name: String) throws {
        try FileManager.default.moveItem(atPath: fixture.layout.library, toPath: fixture.folder + "/" + name)
    }

    private func insert(_ name: String) throws {
        try FileManager.default.moveItem(atPath: fixture.folder + "/" + name, toPath: fixture.layout.library)
    }

    private func wasInitialized() -> Bool {
        fixture.events.withLock { events in
            defer { events = [] }
            return events.contains { if case .initialized = $0 { true } else { false } }
        }
    }

    @Test(
        "an empty card is made a library, which is said, and goes on with the camera's numbers; the old card with both")
    func emptyAndBack() async throws {
        let first = try await take(3)
        #expect(wasInitialized())
        try eject("first")
        let second = try await take(2)
        #expect(wasInitialized())
        #expect(second.map(\.number) == ["100-0004", "100-0005"])
        try eject("second")
        try insert("first")
        let both = try await take(1)
        #expect(!wasInitialized())
        #expect(both.dropLast() == first[...])
        #expect(both.last?.number == "100-0006")
    }

    @Test(
        "a card from another Pinhole is taken over whole: its photos, identifiers and favorites; numbers go on above")
    func anotherPinhole() async throws {
        _ = try await take(2)
        try eject("mine")
        let other = try TestLibrary()
        let store = try await other.open()
        for index in 0..<5 { try await store.add(raw: index == 1) }
        try await store.setFavorite("100-0002", true, for: .console)
        try await store.delete(["100-0004"], for: .console)
        let theirs = try await store.all()
        await store.close()
        try FileManager.default.moveItem(atPath: other.layout.library, toPath: fixture.layout.library)
        let here = try await take(1)
        #expect(here.dropLast().map(\.localIdentifier) == theirs.map(\.localIdentifier))
        #expect(here.dropLast().map(\.number) == theirs.map(\.number))
        #expect(here[1].isFavorite && here[1].resources.count == 2)
        #expect(here.last?.number == "100-0006")
        let again = try await fixture.open()
        #expect(try await again.trash(for: .console).map(\.number) == ["100-0004"])
        await again.close()
    }

    @Test("a card from another maker's camera keeps every file; ours come in a directory above")
    func anotherMaker() async throws {
        let theirs = [
            "100ABCDE/IMG_0001.JPG": Data("one".utf8), "104_1130/DSC09999.JPG": Data("two".utf8),
            "104_1130/DSC09999.ARW": Data("three".utf8), "MISC/AUTPRINT.MRK": Data("four".utf8),
        ]
        for (name, bytes) in theirs { try fixture.put(bytes, at: fixture.layout.photos + "/" + name) }
        let ours = try await take(2)
        #expect(ours.map(\.name) == ["105PINHL/PINH0001.JPG", "105PINHL/PINH0002.JPG"])
        for (name, bytes) in theirs {
            #expect(FileManager.default.contents(atPath: fixture.layout.photos + "/" + name) == bytes, "\(name)")
        }
        #expect(try fixture.photoFiles().count == theirs.count + 2)
    }

    @Test("after 100-9999 comes 101-0001, also when the directory is full on the card only")
    func endOfDirectory() async throws {
        try fixture.put(photo(newIdentifier()), at: fixture.layout.photos + "/100PINHL/PINH9998.JPG")
        let assets = try await take(2)
        #expect(assets.map(\.number) == ["100-9998", "100-9999", "101-0001"])
    }

    @Test("numbers that have run out stay out: after a deletion, a purge, another start and an empty card")
    func exhaustedForGood() async throws {
        try fixture.put(photo(newIdentifier()), at: fixture.layout.photos + "/999PINHL/PINH9998.JPG")
        var store = try await fixture.open()
        let last = try await store.add()
        #expect(try await store.asset(last, for: .console)?.number == "999-9999")
        try await store.delete([last], for: .console)
        await #expect(throws: PhotosError.exhausted) { try await store.add() }
        #expect(try await store.emptyTrash(for: .console) == 1)
        await #expect(throws: PhotosError.exhausted) { try await store.add() }
        await store.close()
        store = try await fixture.open()
        #expect(store.state == .numberingExhausted)
        await #expect(throws: PhotosError.exhausted) { try await store.add() }
        await store.close()
        try eject("full")
        store = try await fixture.open()
        #expect(store.state == .numberingExhausted)
        await #expect(throws: PhotosError.exhausted) { try await store.add() }
        #expect(try fixture.photoFiles().isEmpty)
        await store.close()
    }
}

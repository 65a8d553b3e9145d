import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

@Suite("Recently Deleted ages")
struct PurgeTests {
    private static let day: Int64 = 86_400_000_000_000
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    private var purged: [String] {
        fixture.events.withLock { events in
            events.flatMap { event -> [String] in
                if case .purged(let identifiers) = event { identifiers } else { [] }
            }
        }
    }

    private var date: Int64 { fixture.time.wallTime(at: fixture.time.now).unixNanoseconds }

    /// A library with one listed photo and one that has just been deleted.
    private func open(_ settings: LibrarySettings = TestLibrary.settings) async throws -> (LibraryStore, String) {
        let store = try await fixture.open(PosixFileOperations(), settings)
        try await store.add()
        let deleted = try await store.add(raw: true)
        try await store.delete([deleted], for: .console)
        await store.tend()
        return (store, deleted)
    }

    private func pass(days: Int, _ store: LibraryStore) async {
        fixture.time.advance(by: .seconds(days * 86_400))
        await store.tend()
    }

    /// The photo goes after so many days, not a day sooner; that is the end of the test.
    private func expectGone(
        _ deleted: String, after days: Int, _ store: LibraryStore, at place: SourceLocation = #_sourceLocation
    ) async {
        await pass(days: days - 1, store)
        #expect(purged.isEmpty, sourceLocation: place)
        await pass(days: 1, store)
        #expect(purged == [deleted], sourceLocation: place)
        await store.close()
    }

    @Test("after 30 days, not a day sooner, a deleted photo is gone for good, and its number never comes again")
    func ages() async throws {
        var (store, deleted) = try await open()
        await pass(days: 29, store)
        #expect(try await store.trash(for: .console).map(\.localIdentifier) == [deleted])
        #expect(purged.isEmpty)
        await pass(days: 1, store)
        #expect(try await store.trash(for: .console).isEmpty)
        #expect(purged == [deleted])
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.trash) == [])
        #expect(try await store.asset(deleted, for: .console) == nil)
        #expect(try await store.all().map(\.number) == ["100-0001"])
        await store.close()
        store = try await fixture.open()
        #expect(try await store.verify().isSound)
        #expect(try await store.statistics(for: .console).trash == 0)
        let next = try await store.add()
        #expect(try await store.asset(next, for: .console)?.number == "100-0003")
        await store.close()
    }

    @Test("the number of days can be chosen")
    func chosen() async throws {
        var settings = TestLibrary.settings
        settings.trashDays = 2
        let (store, deleted) = try await open(settings)
        await expectGone(deleted, after: 2, store)
    }

    @Test("days count over restarts, as long as the camera sees them")
    func restarts() async throws {
        var (store, deleted) = try await open()
        for _ in 1...29 {
            await store.close()
            fixture.time.advance(by: .seconds(86_400))
            store = try await fixture.open()
            await store.tend()
        }
        #expect(purged.isEmpty)
        await store.close()
        fixture.time.advance(by: .seconds(86_400))
        store = try await fixture.open()
        await store.tend()
        #expect(purged == [deleted])
        await store.close()
    }

    @Test("a long time switched off counts as one day")
    func switchedOff() async throws {
        var (store, deleted) = try await open()
        await store.close()
        fixture.time.advance(by: .seconds(400 * 86_400))
        store = try await fixture.open()
        await store.tend()
        #expect(purged.isEmpty)
        await expectGone(deleted, after: 29, store)
    }

    @Test("under a clock that is not trusted nothing is purged, however much time it shows")
    func untrusted() async throws {
        let (store, deleted) = try await open()
        fixture.time.setDate(unixNanosecondsNow: date, isTrusted: false)
        await pass(days: 400, store)
        #expect(purged.isEmpty)
        fixture.time.setDate(unixNanosecondsNow: date, isTrusted: true)
        await pass(days: 1, store)
        #expect(purged.isEmpty)
        #expect(try await store.trash(for: .console).map(\.localIdentifier) == [deleted])
        await store.close()
    }

    @Test("what was deleted under an untrusted clock counts from when the clock is trusted, also after a restart")
    func countsLater() async throws {
        fixture.time.setDate(unixNanosecondsNow: 0, isTrusted: false)
        var (store, deleted) = try await open()
        await pass(days: 40, store)
        await store.close()
        store = try await fixture.open()
        fixture.time.setDate(unixNanosecondsNow: 1_796_030_100_000_000_000, isTrusted: true)
        await store.tend()
        await expectGone(deleted, after: 30, store)
    }

    @Test("a date that jumps years ahead ages nothing by more than a day, and jumping back helps nothing along")
    func jumps() async throws {
        let (store, deleted) = try await open()
        await pass(days: 10, store)
        let right = date
        fixture.time.setDate(unixNanosecondsNow: right + 3650 * Self.day, isTrusted: true)
        fixture.time.advance(by: .seconds(7 * 3600))
        await store.tend()
        #expect(purged.isEmpty)
        await pass(days: 18, store)
        #expect(purged.isEmpty)
        // Back at the right date, it starts to count again from there.
        fixture.time.setDate(unixNanosecondsNow: right + 18 * Self.day, isTrusted: true)
        fixture.time.advance(by: .seconds(7 * 3600))
        await store.tend()
        await expectGone(deleted, after: 30, store)
    }

    @Test("a date that has jumped before the first look ages nothing")
    func jumpsAtOnce() async throws {
        let store = try await fixture.open()
        let deleted = try await store.add()
        try await store.delete([deleted], for: .console)
        fixture.time.setDate(unixNanosecondsNow: date + 3650 * Self.day, isTrusted: true)
        await store.tend()
        #expect(purged.isEmpty)
        await pass(days: 29, store)
        #expect(purged.isEmpty)
        await store.close()
    }

    @Test("a photo that was restored and deleted again counts from its last deletion")
    func restored() async throws {
        let (store, deleted) = try await open()
        await pass(days: 29, store)
        _ = try await store.restore([deleted], for: .console)
        try await store.delete([deleted], for: .console)
        await pass(days: 29, store)
        #expect(purged.isEmpty)
        await pass(days: 1, store)
        #expect(purged == [deleted])
        #expect(try await store.all().count == 1)
        await store.close()
    }

    @Test("many photos go in several pieces, each a commit")
    func many() async throws {
        let store = try await fixture.open()
        for _ in 0..<150 { try await store.add(bytes: 100) }
        try await store.delete(try await store.all().map(\.localIdentifier), for: .console)
        await store.tend()
        await pass(days: 31, store)
        #expect(purged.count == 100)
        await store.tend()
        #expect(purged.count == 150 && Set(purged).count == 150)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.trash) == [])
        await store.close()
    }

    @Test("dates at the ends of what a number can hold purge nothing and break nothing", arguments: [Int64.min, .max])
    func extremes(end: Int64) async throws {
        let (store, deleted) = try await open()
        fixture.time.setDate(unixNanosecondsNow: end / 2, isTrusted: true)
        fixture.time.advance(by: .seconds(7 * 3600))
        await store.tend()
        await store.tend()
        #expect(try await store.trash(for: .console).map(\.localIdentifier) == [deleted])
        #expect(store.state == .ready)
        await store.close()
    }

    @Test("another file with the name that a deleted photo had is not removed with it")
    func anothersFile() async throws {
        let (store, deleted) = try await open()
        let name = fixture.layout.photos + "/100PINHL/PINH0002.JPG"
        let bytes = photo(newIdentifier())
        try fixture.put(bytes, at: name)
        #expect(try await store.emptyTrash(for: .console) == 1)
        #expect(FileManager.default.contents(atPath: name) == bytes)
        #expect(try await store.asset(deleted, for: .console) == nil)
        #expect(try await store.verify().adopted == 1)
        await store.close()
    }
}

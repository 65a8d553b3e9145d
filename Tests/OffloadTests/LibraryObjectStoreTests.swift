import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Offload
@testable import Photos

private let first = UInt32.file(100, 1)
private let rawOfFirst = UInt32.file(100, 1, resource: 1)
private let folder100 = UInt32.directory(100)

@Suite("The library as a store")
struct LibraryObjectStoreTests {
    @Test("before consent it is empty, a session asks once, and a grant replaces everything")
    func consent() async throws {
        let fixture = try await LibraryFixture.open(LibraryFixture.usb)
        fixture.prompter.setAnswer(.unanswered)
        try await fixture.add()
        #expect(fixture.store.access == StoreAccess(mayAdd: false, mayRead: false))
        #expect(try await fixture.table().objects.isEmpty)
        fixture.store.sessionOpened()
        #expect(await fixture.library.requestAuthorization(for: .readWrite, client: fixture.client) == .notDetermined)
        #expect(fixture.prompter.asked.allSatisfy { $0.client == "usb" && $0.subject == .access(.readWrite) })
        #expect(!fixture.prompter.asked.isEmpty)
        await fixture.expectNews([])
        try await fixture.library.setGrant(fixture.client, level: .full)
        await fixture.expectNews([.replaced])
        #expect(fixture.store.access == StoreAccess(mayAdd: true, mayRead: true))
        #expect(try await fixture.table().objects.map(\.handle) == [ObjectHandle.dcim, folder100, first])
        let asked = fixture.prompter.asked.count
        fixture.store.sessionOpened()
        #expect(fixture.prompter.asked.count == asked)
        fixture.library.endSession(fixture.client)
        await fixture.library.tend()
        await fixture.expectNews([.replaced])
        #expect(try await fixture.table().objects.isEmpty)
        await fixture.close()
    }

    @Test("however often sessions are opened while the owner is asked, one of them waits for the answer")
    func manySessions() async throws {
        let fixture = try await LibraryFixture.open(LibraryFixture.usb)
        let prompter = SilentPrompter()
        fixture.library.setPrompter(prompter)
        for _ in 0..<2000 { fixture.store.sessionOpened() }
        let number = await prompter.asked(1)
        // One more request joins those that wait, before it is answered.
        let authority = fixture.library.authority
        let answer = await withCheckedContinuation { continuation in
            authority.request(.readWrite, fixture.client, continuation)
            guard case .access(_, let waiting)? = authority.question(number)?.waiting else {
                Issue.record("no question waits")
                return continuation.resume(returning: .denied)
            }
            #expect(waiting.count == 2)
            prompter.answer()
        }
        #expect(answer == .notDetermined)
        // An unanswered question does not keep the client from asking again after a pause: at the start of a session…
        fixture.time.advance(by: .seconds(60))
        while await !prompter.isAsked(2, after: fixture.connection) { fixture.store.sessionOpened() }
        prompter.answer()
        // …and when it looks for photos again.
        while await !prompter.isAsked(3, after: fixture.connection) {
            fixture.time.advance(by: .seconds(300))
            fixture.store.askForAccess()
        }
        prompter.answer()
        await fixture.close()
    }

    @Test("a file that is being read ends when what its client may see is taken back")
    func revokedWhileReading() async throws {
        let fixture = try await LibraryFixture.open(LibraryFixture.ptpip)
        let identifier = try await fixture.add()
        func open() async throws -> any ObjectContent {
            let photo = try #require(try await fixture.table()[first])
            return try await fixture.call { (store) throws(OffloadError) in try store.content(of: photo) }
        }
        func read(_ content: any ObjectContent) -> Int {
            var bytes = [UInt8](repeating: 0, count: 100)
            return bytes.withUnsafeMutableBytes { content.read(into: $0, at: 50) }
        }
        try await fixture.library.setGrant(fixture.client, level: .full)
        let whole = try await open()
        #expect(read(whole) == 100)
        try await fixture.library.setGrant(fixture.client, level: .limited)
        #expect(read(whole) == 0)
        try await fixture.library.select(fixture.client, add: [identifier])
        let selected = try await open()
        #expect(read(selected) == 100)
        try await fixture.library.setGrant(fixture.client, level: .full)
        #expect(read(selected) == 100, "it may see more than before")
        try await fixture.library.setGrant(fixture.client, level: .addOnly)
        #expect(read(selected) == 0)
        await fixture.close()
    }

    @Test("a client that can only add is notified when it is allowed to, and sees nothing")
    func addOnly() async throws {
        let fixture = try await LibraryFixture.open(LibraryFixture.usb)
        try await fixture.library.setGrant(fixture.client, level: .addOnly)
        await fixture.expectNews([.replaced])
        #expect(fixture.store.access == StoreAccess(mayAdd: true, mayRead: false))
        try await fixture.add()
        await fixture.expectNews([])
        #expect(try await fixture.table().objects.isEmpty)
        await fixture.close()
    }

    @Test("what a photo is said to be is what it is")
    func properties() async throws {
        let fixture = try await LibraryFixture.open()
        let identifier = try await fixture.add(raw: LibraryFixture.tiff)
        let table = try await fixture.table()
        let photo = try #require(table[first])
        let asset = try #require(try await fixture.library.asset(identifier, for: .console))
        let known = try #require(AssetIdentifier(identifier))
        #expect(photo.kind == .file(known, resource: 0))
        #expect(photo.parent == folder100 && photo.name == "PINH0001.JPG" && photo.format == .jpeg)
        #expect(photo.byteCount == UInt64(LibraryFixture.photo.count) && photo.captured == asset.captured)
        #expect(photo.width == 320 && photo.height == 240 && photo.modified == nil)
        let raw = try #require(table[rawOfFirst])
        #expect(raw.name == "PINH0001.TIF" && raw.format == .tiff && raw.byteCount == UInt64(LibraryFixture.tiff.count))
        _ = await fixture.news()
        try await fixture.library.setFavorite(identifier, true, for: .console)
        await fixture.expectNews([.changed([first, rawOfFirst])])
        #expect(try await fixture.table()[first]?.modified != nil)
        await fixture.close()
    }

    @Test("a limited client sees what was selected, by numbers of its own, and loses it at once")
    func limited() async throws {
        let fixture = try await LibraryFixture.open(LibraryFixture.ptpip)
        var identifiers: [String] = []
        for _ in 0..<3 { identifiers.append(try await fixture.add()) }
        try await fixture.library.setGrant(fixture.client, level: .limited)
        #expect(try await fixture.table().objects.map(\.handle) == [ObjectHandle.dcim])
        _ = await fixture.news()
        try await fixture.library.select(fixture.client, add: [identifiers[2]])
        await fixture.expectNews([.added([folder100, first]), .spaceChanged])
        let table = try await fixture.table()
        let photo = try #require(table[first])
        #expect(photo.name == "PINH0001.JPG" && photo.asset?.description == identifiers[2])
        #expect(table.objects.count == 3)
        // What it has is the file of another number.
        let content = try await fixture.call { (store) throws(OffloadError) in try store.content(of: photo) }
        #expect(content.byteCount == UInt64(LibraryFixture.photo.count))
        try await fixture.library.select(fixture.client, add: [identifiers[0]], remove: [identifiers[2]])
        await fixture.expectNews([.removed([first]), .added([first + 1])])
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.content(of: photo) }
                == .notFound)
        let second = try #require(try await fixture.table()[first + 1])
        try await fixture.library.revoke(fixture.client)
        #expect(try await fixture.table().objects.isEmpty)
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.content(of: second) } == .accessDenied
        )
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.thumbnail(of: second) }
                == .accessDenied)
        #expect(await fixture.failure { (store) throws(OffloadError) in try store.delete(second) } == .accessDenied)
        await fixture.expectNews([.replaced])
        await fixture.close()
    }

    @Test("a photo taken while connected is reported with its handle, whether or not the client has listed")
    func live() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add()
        await fixture.expectNews([.added([folder100, first]), .spaceChanged])
        try await fixture.add(raw: LibraryFixture.tiff)
        await fixture.expectNews([.added([first + 1, .file(100, 2, resource: 1)])])
        let identifier = try await fixture.add()
        _ = await fixture.news()
        try await fixture.library.delete([identifier], for: .console)
        await fixture.expectNews([.removed([first + 2])])
        _ = try await fixture.library.restore([identifier], for: .console)
        await fixture.expectNews([.added([first + 2])])
        await fixture.close()
    }

    @Test("a file is read as it is on the card, from any offset")
    func content() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add()
        let photo = try #require(try await fixture.table()[first])
        let read = try await fixture.call { (store) throws(OffloadError) in
            let content = try store.content(of: photo)
            func part(_ offset: UInt64, _ count: Int) -> [UInt8] {
                [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                    initialized = content.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                }
            }
            return [part(0, 1 << 20), part(100, 50), part(content.byteCount - 3, 10), part(.max, 10)]
        }
        let bytes = LibraryFixture.photo
        #expect(read == [bytes, Array(bytes[100..<150]), bytes.suffix(3), []])
        let folder = try #require(try await fixture.table()[folder100])
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.content(of: folder) }
                == .notFound)
        await fixture.close()
    }

    @Test("a small picture is the photo's own, also for the raw file beside it")
    func thumbnails() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add(raw: LibraryFixture.tiff)
        try await fixture.add(LibraryFixture.photoWithoutThumbnail)
        _ = await fixture.news()
        let table = try await fixture.table()
        let (photo, raw) = (try #require(table[first]), try #require(table[rawOfFirst]))
        let small = try await fixture.call { (store) throws(OffloadError) in try store.thumbnail(of: photo) }
        #expect(small.width == 160 && small.height == 120 && small.bytes.starts(with: [0xff, 0xd8]))
        #expect(try await fixture.call { (store) throws(OffloadError) in try store.thumbnail(of: raw) } == small)
        let bare = try #require(table[first + 1])
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.thumbnail(of: bare) }
                == .noThumbnail)
        await fixture.close()
    }

    @Test("a deletion happens when the owner confirms it, and only then")
    func delete() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add(raw: LibraryFixture.tiff)
        try await fixture.add()
        let table = try await fixture.table()
        let (raw, folder) = (try #require(table[rawOfFirst]), try #require(table[folder100]))
        _ = await fixture.news()
        fixture.prompter.setAnswer(.refused)
        #expect(await fixture.failure { (store) throws(OffloadError) in try store.delete(raw) } == .accessDenied)
        await fixture.expectNews([])
        fixture.prompter.setAnswer(.allowed)
        let left = try await fixture.call { (store) throws(OffloadError) in
            try store.delete(raw)
            return try store.objects()
        }
        #expect(left.objects.map(\.handle) == [ObjectHandle.dcim, folder100, first + 1])
        await fixture.expectNews([.removed([rawOfFirst, first])])
        #expect(await fixture.failure { (store) throws(OffloadError) in try store.delete(raw) } == .notFound)
        #expect(await fixture.failure { (store) throws(OffloadError) in try store.delete(folder) } == .isFolder)
        fixture.prompter.setAnswer(.unanswered)
        let other = try #require(left[first + 1])
        #expect(await fixture.failure { (store) throws(OffloadError) in try store.delete(other) } == .accessDenied)
        await fixture.expectNews([])
        #expect(fixture.prompter.asked.map(\.subject) == Array(repeating: .deletion(count: 1), count: 3))
        await fixture.close()
    }

    @Test("a capture is reported as complete after its photo, and also when it has no photo")
    func capture() async throws {
        let waiting = Mutex<[@Sendable (Bool) -> Void]>([])
        let fixture = try await LibraryFixture.open(LibraryFixture.ptpip) { client, completion throws(OffloadError) in
            guard client == LibraryFixture.ptpip else { throw .failed }
            waiting.withLock { $0.append(completion) }
        }
        try await fixture.library.setGrant(fixture.client, level: .limited)
        _ = try await fixture.table()
        _ = await fixture.news()
        try await fixture.call { (store) throws(OffloadError) in try store.capture(request: 7) }
        try await fixture.add(for: fixture.client)
        waiting.withLock { $0 }.forEach { $0(true) }
        await fixture.expectNews([.added([folder100, first]), .spaceChanged, .captureCompleted(request: 7)])
        waiting.withLock { $0 = [] }
        try await fixture.call { (store) throws(OffloadError) in try store.capture(request: 8) }
        waiting.withLock { $0 }.forEach { $0(false) }
        await fixture.expectNews([.captureCompleted(request: 8)])
        await fixture.close()
        let other = try await LibraryFixture.open(.named("none"))
        #expect(
            await other.failure { (store) throws(OffloadError) in try store.capture(request: 1) } == .accessDenied)
        await other.close()
    }

    @Test("free space is reported at most once a second, and a full card at once")
    func space() async throws {
        let fixture = try await LibraryFixture.open(settings: { $0.reservedBytes = 1 << 20 })
        fixture.files.pretend(FileSystemSpace(free: 1 << 30, total: 1 << 31, isReadOnly: false))
        try await fixture.add()
        #expect(fixture.store.space == StoreSpace(capacity: 1 << 31, free: (1 << 30) - (1 << 20)))
        #expect(await fixture.news().last == .spaceChanged)
        try await fixture.add()
        await fixture.expectNews([.added([first + 1])])
        fixture.time.advance(by: .seconds(1))
        try await fixture.add()
        await fixture.expectNews([.added([first + 2]), .spaceChanged])
        fixture.store.libraryDid(.stateChanged(.nearlyFull))
        fixture.store.libraryDid(.stateChanged(.full))
        fixture.store.libraryDid(.selectionChanged(fixture.client))
        await fixture.expectNews([.full])
        fixture.files.pretend(FileSystemSpace(free: 1000, total: 1 << 31, isReadOnly: false))
        await fixture.library.tend()
        #expect(fixture.library.state == .full)
        #expect(fixture.store.space.free == 0)
        await fixture.close()
    }

    @Test("a library that was closed has nothing to give")
    func closed() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add()
        let photo = try #require(try await fixture.table()[first])
        await fixture.library.close()
        #expect(
            await fixture.failure { (store) throws(OffloadError) in _ = try store.content(of: photo) } == .unavailable
        )
        await fixture.connection.stop()
    }
}

import Foundation
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import PTP
@testable import Photos

private let first: UInt32 = 1_000_001
private let folder100: UInt32 = 0x4000_0064

@Suite("The library as a store")
struct LibraryObjectStoreTests {
    @Test("before consent it is empty, a session asks once, and a grant replaces everything")
    func consent() async throws {
        let bed = try await LibraryBed.open(LibraryBed.usb)
        bed.prompter.setAnswer(.unanswered)
        try await bed.add()
        #expect(bed.store.access == StoreAccess(mayAdd: false, mayRead: false))
        #expect(try await bed.table().objects.isEmpty)
        bed.store.sessionOpened()
        #expect(await bed.library.requestAuthorization(for: .readWrite, client: bed.client) == .notDetermined)
        #expect(bed.prompter.asked.allSatisfy { $0.client == "usb" && $0.subject == .access(.readWrite) })
        #expect(!bed.prompter.asked.isEmpty)
        await bed.expectNews([])
        try await bed.library.setGrant(bed.client, level: .full)
        await bed.expectNews([.replaced])
        #expect(bed.store.access == StoreAccess(mayAdd: true, mayRead: true))
        #expect(try await bed.table().objects.map(\.handle) == [ObjectHandle.dcim, folder100, first])
        let asked = bed.prompter.asked.count
        bed.store.sessionOpened()
        #expect(bed.prompter.asked.count == asked)
        bed.library.endSession(bed.client)
        await bed.library.tend()
        await bed.expectNews([.replaced])
        #expect(try await bed.table().objects.isEmpty)
        await bed.close()
    }

    @Test("however often sessions are opened while the owner is asked, one of them waits for the answer")
    func manySessions() async throws {
        let bed = try await LibraryBed.open(LibraryBed.usb)
        let prompter = SilentPrompter()
        bed.library.setPrompter(prompter)
        for _ in 0..<2000 { bed.store.sessionOpened() }
        let number = try #require(await prompter.asked())
        // Whoever asks now waits with those before.
        async let answer = bed.library.requestAuthorization(for: .readWrite, client: bed.client)
        var waiting = 0
        while waiting < 2 {
            await Task.yield()
            guard case .access(_, let all)? = bed.library.authority.question(number)?.waiting else { break }
            waiting = all.count
        }
        #expect(waiting == 2)
        prompter.answer()
        #expect(await answer == .notDetermined)
        // An answer that decided nothing does not keep the next session from asking.
        while await !prompter.hasAsked(2) { bed.store.sessionOpened() }
        // Nor an initiator that has its session still, and looks again.
        prompter.answer()
        while await !prompter.hasAsked(3) { bed.store.askForAccess() }
        prompter.answer()
        await bed.close()
    }

    @Test("a file that is being read ends when what its client may see is taken back")
    func revokedWhileReading() async throws {
        let bed = try await LibraryBed.open(LibraryBed.ptpip)
        let identifier = try await bed.add()
        func open() async throws -> any ObjectContent {
            let photo = try #require(try await bed.table()[first])
            return try await bed.call { (store) throws(ResponseCode) in try store.content(of: photo) }
        }
        func read(_ content: any ObjectContent) -> Int {
            var bytes = [UInt8](repeating: 0, count: 100)
            return bytes.withUnsafeMutableBytes { content.read(into: $0, at: 50) }
        }
        try await bed.library.setGrant(bed.client, level: .full)
        let whole = try await open()
        #expect(read(whole) == 100)
        try await bed.library.setGrant(bed.client, level: .limited)
        #expect(read(whole) == 0)
        try await bed.library.select(bed.client, add: [identifier])
        let selected = try await open()
        #expect(read(selected) == 100)
        try await bed.library.setGrant(bed.client, level: .full)
        #expect(read(selected) == 100, "it may see more than before")
        try await bed.library.setGrant(bed.client, level: .addOnly)
        #expect(read(selected) == 0)
        await bed.close()
    }

    @Test("a client that may add and not read is told when it may, and sees nothing")
    func addOnly() async throws {
        let bed = try await LibraryBed.open(LibraryBed.usb)
        try await bed.library.setGrant(bed.client, level: .addOnly)
        await bed.expectNews([.replaced])
        #expect(bed.store.access == StoreAccess(mayAdd: true, mayRead: false))
        try await bed.add()
        await bed.expectNews([])
        #expect(try await bed.table().objects.isEmpty)
        await bed.close()
    }

    @Test("what a photo is said to be is what it is")
    func facts() async throws {
        let bed = try await LibraryBed.open()
        let identifier = try await bed.add(raw: LibraryBed.tiff)
        let table = try await bed.table()
        let photo = try #require(table[first])
        let asset = try #require(try await bed.library.asset(identifier, for: .console))
        let known = try #require(AssetIdentifier(identifier))
        #expect(photo.kind == .file(known, resource: 0))
        #expect(photo.parent == folder100 && photo.name == "PINH0001.JPG" && photo.format == .exifJPEG)
        #expect(photo.byteCount == UInt64(LibraryBed.photo.count) && photo.captured == asset.captured)
        #expect(photo.width == 320 && photo.height == 240 && photo.modified == nil)
        let raw = try #require(table[1 << 24 | first])
        #expect(raw.name == "PINH0001.TIF" && raw.format == .tiff && raw.byteCount == UInt64(LibraryBed.tiff.count))
        _ = await bed.news()
        try await bed.library.setFavorite(identifier, true, for: .console)
        await bed.expectNews([.changed([first, 1 << 24 | first])])
        #expect(try await bed.table()[first]?.modified != nil)
        await bed.close()
    }

    @Test("a limited client sees what was selected, by numbers of its own, and loses it at once")
    func limited() async throws {
        let bed = try await LibraryBed.open(LibraryBed.ptpip)
        var identifiers: [String] = []
        for _ in 0..<3 { identifiers.append(try await bed.add()) }
        try await bed.library.setGrant(bed.client, level: .limited)
        #expect(try await bed.table().objects.map(\.handle) == [ObjectHandle.dcim])
        _ = await bed.news()
        try await bed.library.select(bed.client, add: [identifiers[2]])
        await bed.expectNews([.added([folder100, first]), .spaceChanged])
        let table = try await bed.table()
        let photo = try #require(table[first])
        #expect(photo.name == "PINH0001.JPG" && photo.asset?.description == identifiers[2])
        #expect(table.objects.count == 3)
        // What it has is the file of another number.
        let content = try await bed.call { (store) throws(ResponseCode) in try store.content(of: photo) }
        #expect(content.byteCount == UInt64(LibraryBed.photo.count))
        try await bed.library.select(bed.client, add: [identifiers[0]], remove: [identifiers[2]])
        await bed.expectNews([.removed([first]), .added([first + 1])])
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.content(of: photo) }
                == .invalidObjectHandle)
        let second = try #require(try await bed.table()[first + 1])
        try await bed.library.revoke(bed.client)
        #expect(try await bed.table().objects.isEmpty)
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.content(of: second) } == .accessDenied)
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.thumbnail(of: second) } == .accessDenied)
        #expect(await bed.failure { (store) throws(ResponseCode) in try store.delete(second) } == .accessDenied)
        await bed.expectNews([.replaced])
        await bed.close()
    }

    @Test("a photo that is taken while connected is told with its handle, whether or not the client has listed")
    func live() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add()
        await bed.expectNews([.added([folder100, first]), .spaceChanged])
        try await bed.add(raw: LibraryBed.tiff)
        await bed.expectNews([.added([first + 1, 1 << 24 | first + 1])])
        let identifier = try await bed.add()
        _ = await bed.news()
        try await bed.library.delete([identifier], for: .console)
        await bed.expectNews([.removed([first + 2])])
        _ = try await bed.library.restore([identifier], for: .console)
        await bed.expectNews([.added([first + 2])])
        await bed.close()
    }

    @Test("a file is read as it is on the card, from any offset")
    func content() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add()
        let photo = try #require(try await bed.table()[first])
        let read = try await bed.call { (store) throws(ResponseCode) in
            let content = try store.content(of: photo)
            func part(_ offset: UInt64, _ count: Int) -> [UInt8] {
                [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                    initialized = content.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                }
            }
            return [part(0, 1 << 20), part(100, 50), part(content.byteCount - 3, 10), part(.max, 10)]
        }
        let bytes = LibraryBed.photo
        #expect(read == [bytes, Array(bytes[100..<150]), bytes.suffix(3), []])
        let folder = try #require(try await bed.table()[folder100])
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.content(of: folder) }
                == .invalidObjectHandle)
        await bed.close()
    }

    @Test("a small picture is the photo's own, also for the raw file beside it")
    func thumbnails() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add(raw: LibraryBed.tiff)
        try await bed.add(LibraryBed.photoWithoutThumbnail)
        _ = await bed.news()
        let table = try await bed.table()
        let (photo, raw) = (try #require(table[first]), try #require(table[1 << 24 | first]))
        let small = try await bed.call { (store) throws(ResponseCode) in try store.thumbnail(of: photo) }
        #expect(small.width == 160 && small.height == 120 && small.bytes.starts(with: [0xff, 0xd8]))
        #expect(try await bed.call { (store) throws(ResponseCode) in try store.thumbnail(of: raw) } == small)
        let bare = try #require(table[first + 1])
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.thumbnail(of: bare) }
                == .noThumbnailPresent)
        await bed.close()
    }

    @Test("a deletion happens when the owner confirms it, and only then")
    func delete() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add(raw: LibraryBed.tiff)
        try await bed.add()
        let table = try await bed.table()
        let (raw, folder) = (try #require(table[1 << 24 | first]), try #require(table[folder100]))
        _ = await bed.news()
        bed.prompter.setAnswer(.refused)
        #expect(await bed.failure { (store) throws(ResponseCode) in try store.delete(raw) } == .accessDenied)
        bed.prompter.setAnswer(.unanswered)
        #expect(await bed.failure { (store) throws(ResponseCode) in try store.delete(raw) } == .accessDenied)
        await bed.expectNews([])
        bed.prompter.setAnswer(.allowed)
        let left = try await bed.call { (store) throws(ResponseCode) in
            try store.delete(raw)
            return try store.objects()
        }
        #expect(left.objects.map(\.handle) == [ObjectHandle.dcim, folder100, first + 1])
        await bed.expectNews([.removed([1 << 24 | first, first])])
        #expect(await bed.failure { (store) throws(ResponseCode) in try store.delete(raw) } == .invalidObjectHandle)
        #expect(await bed.failure { (store) throws(ResponseCode) in try store.delete(folder) } == .objectWriteProtected)
        #expect(bed.prompter.asked.map(\.subject) == Array(repeating: .deletion(count: 1), count: 3))
        await bed.close()
    }

    @Test("a shot is told as completed after its photo was, and also when there is none")
    func capture() async throws {
        let waiting = Mutex<[@Sendable (Bool) -> Void]>([])
        let bed = try await LibraryBed.open(LibraryBed.ptpip) { client, completion throws(ResponseCode) in
            guard client == LibraryBed.ptpip else { throw .generalError }
            waiting.withLock { $0.append(completion) }
        }
        try await bed.library.setGrant(bed.client, level: .limited)
        _ = try await bed.table()
        _ = await bed.news()
        try await bed.call { (store) throws(ResponseCode) in try store.capture(transaction: 7) }
        try await bed.add(for: bed.client)
        waiting.withLock { $0 }.forEach { $0(true) }
        await bed.expectNews([.added([folder100, first]), .spaceChanged, .captureCompleted(transaction: 7)])
        waiting.withLock { $0 = [] }
        try await bed.call { (store) throws(ResponseCode) in try store.capture(transaction: 8) }
        waiting.withLock { $0 }.forEach { $0(false) }
        await bed.expectNews([.captureCompleted(transaction: 8)])
        await bed.close()
        let other = try await LibraryBed.open(.named("none"))
        #expect(
            await other.failure { (store) throws(ResponseCode) in try store.capture(transaction: 1) } == .accessDenied)
        await other.close()
    }

    @Test("room is told of at most once a second, and a full card at once")
    func space() async throws {
        let bed = try await LibraryBed.open(settings: { $0.reservedBytes = 1 << 20 })
        bed.files.pretend(FileSystemSpace(free: 1 << 30, total: 1 << 31, isReadOnly: false))
        try await bed.add()
        #expect(bed.store.space == StoreSpace(capacity: 1 << 31, free: (1 << 30) - (1 << 20)))
        #expect(await bed.news().last == .spaceChanged)
        try await bed.add()
        await bed.expectNews([.added([first + 1])])
        bed.time.advance(by: .seconds(1))
        try await bed.add()
        await bed.expectNews([.added([first + 2]), .spaceChanged])
        bed.store.libraryDid(.stateChanged(.nearlyFull))
        bed.store.libraryDid(.stateChanged(.full))
        bed.store.libraryDid(.selectionChanged(bed.client))
        await bed.expectNews([.full])
        bed.files.pretend(FileSystemSpace(free: 1000, total: 1 << 31, isReadOnly: false))
        await bed.library.tend()
        #expect(bed.library.state == .full)
        #expect(bed.store.space.free == 0)
        await bed.close()
    }

    @Test("a library that was closed has nothing to give")
    func closed() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add()
        let photo = try #require(try await bed.table()[first])
        await bed.library.close()
        #expect(
            await bed.failure { (store) throws(ResponseCode) in _ = try store.content(of: photo) } == .storeNotAvailable
        )
        await bed.connection.stop()
    }
}

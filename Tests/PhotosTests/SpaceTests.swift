import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Space")
struct SpaceTests {
    private func space(free: Int64, isReadOnly: Bool = false) -> FileSystemSpace {
        FileSystemSpace(free: free, total: 1 << 40, isReadOnly: isReadOnly)
    }

    @Test("a photo that may not fit is refused before the shot; room makes the camera ready again by itself")
    func guardsSpace() async throws {
        let fixture = try TestLibrary()
        let files = FaultyFileOperations()
        let settings = TestLibrary.settings
        let store = try await fixture.open(files)
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
        #expect(try fixture.photoFiles().isEmpty)
        files.succeed()
        await store.tend()
        #expect(store.state == .ready)
        try await store.add()
        withExtendedLifetime(second) {}
        await store.close()
    }

    @Test("read-only storage is a state with its error; it ends when the storage can be written again")
    func readOnly() async throws {
        let fixture = try TestLibrary()
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
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
        let fixture = try TestLibrary()
        let files = FaultyFileOperations()
        files.failAll("createDirectory", code: EROFS)
        await #expect(throws: LibraryError.readOnly(fixture.folder)) { try await fixture.open(files) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == [])
        try Data().write(to: URL(fileURLWithPath: fixture.state))
        await #expect(throws: LibraryError.notADirectory(fixture.state)) { try await fixture.open() }
    }

    @Test("a library folder that vanishes is a state; it is found again when it is back, and never created again")
    func vanishes() async throws {
        let fixture = try TestLibrary()
        let store = try await fixture.open()
        try await store.add()
        let away = fixture.folder + "/away"
        try FileManager.default.moveItem(atPath: fixture.layout.library, toPath: away)
        await #expect {
            try await store.add()
        } throws: { error in
            (error as? PhotosError)?.appleNumber == 3114
        }
        #expect(store.state == .offline)
        await store.tend()
        #expect(store.state == .offline)
        #expect(!FileManager.default.fileExists(atPath: fixture.layout.library))
        try FileManager.default.moveItem(atPath: away, toPath: fixture.layout.library)
        await store.tend()
        #expect(store.state == .ready)
        try await store.add()
        #expect(try await store.all().count == 2)
        #expect(try await store.verify().isSound)
        await store.close()
    }
}

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

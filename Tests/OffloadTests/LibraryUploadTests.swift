import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

@testable import Offload
@testable import Photos

@Suite("Uploads into the library")
struct LibraryUploadTests {
    /// Sends a file in pieces; what the end of it fails with.
    private func send(
        _ bytes: [UInt8], as name: String = "IMG_1234.JPG", _ format: FileFormat = .jpeg,
        announced: Int? = nil, to fixture: LibraryFixture
    ) async -> OffloadError? {
        await fixture.failure { (store) throws(OffloadError) in
            let upload = try store.beginUpload(
                name: name, format: format, byteCount: UInt64(announced ?? bytes.count))
            for start in stride(from: 0, to: bytes.count, by: 1000) {
                let piece = Array(bytes[start..<min(start + 1000, bytes.count)])
                guard piece.withUnsafeBytes({ upload.write($0) }) else { break }
            }
            try upload.finish()
        }
    }

    @Test("a photo that is brought has its handle for the session, and an ordinary one in the next")
    func full() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add()
        _ = try await fixture.table()
        _ = await fixture.news()
        #expect(await send(LibraryFixture.photo, to: fixture) == nil)
        // Whoever brought it knows of it.
        await fixture.expectNews([])
        let table = try await fixture.table()
        let photo = try #require(table[ObjectHandle.firstUpload])
        #expect(photo.name == "PINH0002.JPG" && photo.parent == .directory(100))
        #expect(table.objects.count == 4)
        let asset = try #require(photo.asset?.description)
        let found = try #require(try await fixture.library.asset(asset, for: .console))
        #expect(found.resources.map(\.originalFilename) == ["IMG_1234.JPG"])
        #expect(FileManager.default.contents(atPath: found.path) == Data(LibraryFixture.photo))
        #expect(try fixture.staged() == [])
        try await fixture.library.delete([asset], for: .console)
        await fixture.expectNews([.removed([ObjectHandle.firstUpload])])
        _ = try await fixture.library.restore([asset], for: .console)
        fixture.store.sessionOpened()
        #expect(try await fixture.table()[.file(100, 2)]?.asset?.description == asset)
        #expect(try await fixture.table().objects.count == 4)
        await fixture.close()
    }

    @Test("who may only add brings photos and sees none; who is limited sees what it brought; others bring none")
    func levels() async throws {
        let adder = try await LibraryFixture.open(.named("adder"))
        #expect(await send(LibraryFixture.photo, to: adder) == nil)
        #expect(try await adder.table().objects.isEmpty)
        await adder.expectNews([])
        #expect(try await adder.library.statistics(for: .console).assets == 1)
        await adder.close()
        let limited = try await LibraryFixture.open(.named("some"))
        try await limited.add()
        #expect(await send(LibraryFixture.photo, to: limited) == nil)
        #expect(try await limited.names() == ["PINH0001.JPG"])
        #expect(try await limited.table()[ObjectHandle.firstUpload] != nil)
        await limited.close()
        let nobody = try await LibraryFixture.open(.named("none"))
        #expect(await send(LibraryFixture.photo, to: nobody) == .accessDenied)
        #expect(try nobody.staged() == [])
        await nobody.close()
    }

    @Test("what is not a whole photo is refused and leaves nothing")
    func refused() async throws {
        let fixture = try await LibraryFixture.open()
        let photo = LibraryFixture.photo
        #expect(await send(photo.dropLast(100), to: fixture) == .invalidFile)
        #expect(await send(photo, announced: photo.count - 1, to: fixture) == .invalidFile)
        #expect(await send(photo, announced: photo.count + 1, to: fixture) == .incomplete)
        #expect(await send(Array("#!/bin/sh\n".utf8), as: "a.sh", .other, to: fixture) == .unsupportedFormat)
        #expect(await send([0xff, 0xd8], to: fixture) == .unsupportedFormat)
        #expect(await send([], to: fixture) == .unsupportedFormat)
        #expect(await send(photo, as: "a", .folder, to: fixture) == .unsupportedFormat)
        #expect(await send(photo, announced: LibraryStore.photoByteLimit + 1, to: fixture) == .tooLarge)
        #expect(await send(photo, announced: Int.max, to: fixture) == .tooLarge)
        #expect(try fixture.staged() == [])
        #expect(try await fixture.names() == [])
        await fixture.expectNews([])
        await fixture.close()
    }

    @Test("canceled and unfinished uploads leave no file and release their space")
    func cancelled() async throws {
        let fixture = try await LibraryFixture.open(settings: { $0.largestPhotoBytes = 1000 })
        fixture.files.pretend(FileSystemSpace(free: 1 << 20, total: 1 << 30, isReadOnly: false))
        await fixture.library.tend()
        for isCancelled in [true, false] {
            let free = fixture.store.space.free
            let upload = try await fixture.call { (store) throws(OffloadError) in
                try store.beginUpload(name: "a.jpg", format: .jpeg, byteCount: 500_000)
            }
            #expect(fixture.store.space.free == free - 500_000)
            #expect(LibraryFixture.photo.prefix(2000).withUnsafeBytes { upload.write($0) })
            #expect(try fixture.staged().count == 1)
            if isCancelled {
                upload.cancel()
                #expect(try fixture.staged() == [])
                #expect(!LibraryFixture.photo.prefix(2000).withUnsafeBytes { upload.write($0) })
                #expect(throws: OffloadError.incomplete) { try upload.finish() }
            }
        }
        #expect(try fixture.staged() == [])
        #expect(fixture.store.space.free == 1 << 20)
        await fixture.close()
    }

    @Test("a card without room for it says so, before anything is sent or after")
    func fullCard() async throws {
        let fixture = try await LibraryFixture.open(settings: { $0.largestPhotoBytes = 1000 })
        fixture.files.pretend(FileSystemSpace(free: 10_000, total: 1 << 30, isReadOnly: false))
        await fixture.library.tend()
        #expect(await send(LibraryFixture.photo, announced: 20_000, to: fixture) == .storeFull)
        #expect(await send(LibraryFixture.photo, announced: 9_999, to: fixture) == .invalidFile)
        let photo = LibraryFixture.photoWithoutThumbnail
        fixture.files.pretend(FileSystemSpace(free: Int64(photo.count) + 5000, total: 1 << 30, isReadOnly: false))
        await fixture.library.tend()
        // The catalog's commit fails: nothing of the photo stays.
        fixture.files.failAll("commit", code: 28)
        #expect(await send(photo, to: fixture) != nil)
        fixture.files.succeed()
        #expect(try fixture.staged() == [])
        #expect(try await fixture.library.statistics(for: .console).assets == 0)
        await fixture.close()
    }

    @Test("what a crash leaves of an upload is removed by the next start, and is never listed")
    func crash() async throws {
        let fixture = try await LibraryFixture.open()
        let path = fixture.library.layout.incoming(AssetIdentifier())
        try Data(LibraryFixture.photo).write(to: URL(fileURLWithPath: path))
        await fixture.library.close()
        let again = try await LibraryStore.open(
            library: fixture.library.layout.library, state: fixture.library.layout.state, files: PosixFileOperations(),
            time: fixture.time, policies: try LibraryFixture.policies(), photoReader: LibraryFileReader())
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await again.statistics(for: .console).assets == 0)
        await again.close()
        await fixture.connection.stop()
    }

    @Test(
        "a name is text to remember, with an extension that is true",
        arguments: [
            ("IMG_1.JPG", "IMG_1.JPG", "JPG"), ("a.jpeg", "a.jpeg", "JPG"), ("b.exe", "b.exe.JPG", "JPG"),
            ("../../etc/passwd", "PTP.JPG", "JPG"), ("", "PTP.JPG", "JPG"), ("a\nb.jpg", "PTP.JPG", "JPG"),
            ("a\u{0}.jpg", "PTP.JPG", "JPG"), ("..", "...JPG", "JPG"), ("Löwe 🦁.jpg", "Löwe 🦁.jpg", "JPG"),
        ])
    func names(name: String, kept: String, fileExtension: String) async throws {
        let fixture = try await LibraryFixture.open()
        #expect(await send(LibraryFixture.photo, as: name, to: fixture) == nil)
        let asset = try #require(try await PhotoLibrary(store: fixture.library, client: .console).fetchAssets().first)
        #expect(asset.resources.map(\.originalFilename) == [kept])
        #expect(asset.name == "100PINHL/PINH0001.JPG")
        await fixture.close()
    }

    @Test("a raw file becomes a photo of its own, by the format that is announced where its name says nothing")
    func raw() async throws {
        let fixture = try await LibraryFixture.open()
        #expect(await send(LibraryFixture.tiff, as: "scan", .tiff, to: fixture) == nil)
        #expect(await send(LibraryFixture.tiff, as: "raw", .dng, to: fixture) == nil)
        #expect(await send(LibraryFixture.tiff, as: "a.dng", .other, to: fixture) == nil)
        #expect(try await fixture.names() == ["PINH0001.TIF", "PINH0002.DNG", "PINH0003.DNG"])
        await fixture.close()
    }
}

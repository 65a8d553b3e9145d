import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

@testable import PTP
@testable import Photos

@Suite("Uploads into the library")
struct LibraryUploadTests {
    /// Sends a file in pieces; what the end of it fails with.
    private func send(
        _ bytes: [UInt8], as name: String = "IMG_1234.JPG", _ format: ObjectFormat = .exifJPEG,
        announced: Int? = nil, to bed: LibraryBed
    ) async -> ResponseCode? {
        await bed.failure { (store) throws(ResponseCode) in
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
        let bed = try await LibraryBed.open()
        try await bed.add()
        _ = try await bed.table()
        _ = await bed.news()
        #expect(await send(LibraryBed.photo, to: bed) == nil)
        // Whoever brought it knows of it.
        await bed.expectNews([])
        let table = try await bed.table()
        let photo = try #require(table[ObjectHandle.firstUpload])
        #expect(photo.name == "PINH0002.JPG" && photo.parent == 0x4000_0064)
        #expect(table.objects.count == 4)
        let asset = try #require(photo.asset?.description)
        let found = try #require(try await bed.library.asset(asset, for: .console))
        #expect(found.resources.map(\.originalFilename) == ["IMG_1234.JPG"])
        #expect(FileManager.default.contents(atPath: found.path) == Data(LibraryBed.photo))
        #expect(try bed.staged() == [])
        try await bed.library.delete([asset], for: .console)
        await bed.expectNews([.removed([ObjectHandle.firstUpload])])
        _ = try await bed.library.restore([asset], for: .console)
        bed.store.sessionOpened()
        #expect(try await bed.table()[1_000_002]?.asset?.description == asset)
        #expect(try await bed.table().objects.count == 4)
        await bed.close()
    }

    @Test("who may only add brings photos and sees none; who is limited sees what it brought; others bring none")
    func levels() async throws {
        let adder = try await LibraryBed.open(.named("adder"))
        #expect(await send(LibraryBed.photo, to: adder) == nil)
        #expect(try await adder.table().objects.isEmpty)
        await adder.expectNews([])
        #expect(try await adder.library.statistics(for: .console).assets == 1)
        await adder.close()
        let limited = try await LibraryBed.open(.named("some"))
        try await limited.add()
        #expect(await send(LibraryBed.photo, to: limited) == nil)
        #expect(try await limited.names() == ["PINH0001.JPG"])
        #expect(try await limited.table()[ObjectHandle.firstUpload] != nil)
        await limited.close()
        let nobody = try await LibraryBed.open(.named("none"))
        #expect(await send(LibraryBed.photo, to: nobody) == .accessDenied)
        #expect(try nobody.staged() == [])
        await nobody.close()
    }

    @Test("what is not a whole photo is refused and leaves nothing")
    func refused() async throws {
        let bed = try await LibraryBed.open()
        let photo = LibraryBed.photo
        #expect(await send(photo.dropLast(100), to: bed) == .invalidDataset)
        #expect(await send(photo, announced: photo.count - 1, to: bed) == .invalidDataset)
        #expect(await send(photo, announced: photo.count + 1, to: bed) == .incompleteTransfer)
        #expect(await send(Array("#!/bin/sh\n".utf8), as: "a.sh", .undefined, to: bed) == .invalidObjectFormatCode)
        #expect(await send([0xff, 0xd8], to: bed) == .invalidObjectFormatCode)
        #expect(await send([], to: bed) == .invalidObjectFormatCode)
        #expect(await send(photo, as: "a", .association, to: bed) == .invalidObjectFormatCode)
        #expect(await send(photo, announced: LibraryStore.photoByteLimit + 1, to: bed) == .objectTooLarge)
        #expect(await send(photo, announced: Int.max, to: bed) == .objectTooLarge)
        #expect(try bed.staged() == [])
        #expect(try await bed.names() == [])
        await bed.expectNews([])
        await bed.close()
    }

    @Test("a cancelled upload, and one that nobody finishes, leave nothing and give their room back")
    func cancelled() async throws {
        let bed = try await LibraryBed.open(settings: { $0.largestPhotoBytes = 1000 })
        bed.files.pretend(FileSystemSpace(free: 1 << 20, total: 1 << 30, isReadOnly: false))
        await bed.library.tend()
        for isCancelled in [true, false] {
            let free = bed.store.space.free
            let upload = try await bed.call { (store) throws(ResponseCode) in
                try store.beginUpload(name: "a.jpg", format: .exifJPEG, byteCount: 500_000)
            }
            #expect(bed.store.space.free == free - 500_000)
            #expect(LibraryBed.photo.prefix(2000).withUnsafeBytes { upload.write($0) })
            #expect(try bed.staged().count == 1)
            if isCancelled {
                upload.cancel()
                #expect(try bed.staged() == [])
                #expect(!LibraryBed.photo.prefix(2000).withUnsafeBytes { upload.write($0) })
                #expect(throws: ResponseCode.incompleteTransfer) { try upload.finish() }
            }
        }
        #expect(try bed.staged() == [])
        #expect(bed.store.space.free == 1 << 20)
        await bed.close()
    }

    @Test("a card without room for it says so, before anything is sent or after")
    func fullCard() async throws {
        let bed = try await LibraryBed.open(settings: { $0.largestPhotoBytes = 1000 })
        bed.files.pretend(FileSystemSpace(free: 10_000, total: 1 << 30, isReadOnly: false))
        await bed.library.tend()
        #expect(await send(LibraryBed.photo, announced: 20_000, to: bed) == .storeFull)
        #expect(await send(LibraryBed.photo, announced: 9_999, to: bed) == .invalidDataset)
        let photo = LibraryBed.photoWithoutThumbnail
        bed.files.pretend(FileSystemSpace(free: Int64(photo.count) + 5000, total: 1 << 30, isReadOnly: false))
        await bed.library.tend()
        // The catalog's commit fails: nothing of the photo stays.
        bed.files.failAll("commit", code: 28)
        #expect(await send(photo, to: bed) != nil)
        bed.files.succeed()
        #expect(try bed.staged() == [])
        #expect(try await bed.library.statistics(for: .console).assets == 0)
        await bed.close()
    }

    @Test("what a crash leaves of an upload is removed by the next start, and is never listed")
    func crash() async throws {
        let bed = try await LibraryBed.open()
        let path = bed.library.layout.incoming(AssetIdentifier())
        try Data(LibraryBed.photo).write(to: URL(fileURLWithPath: path))
        await bed.library.close()
        let again = try await LibraryStore.open(
            library: bed.library.layout.library, state: bed.library.layout.state, files: PosixFileOperations(),
            time: bed.time, policies: try LibraryBed.policies(), photoReader: LibraryFileReader())
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await again.statistics(for: .console).assets == 0)
        await again.close()
        await bed.connection.stop()
    }

    @Test(
        "a name is text to remember, with an extension that is true",
        arguments: [
            ("IMG_1.JPG", "IMG_1.JPG", "JPG"), ("a.jpeg", "a.jpeg", "JPG"), ("b.exe", "b.exe.JPG", "JPG"),
            ("../../etc/passwd", "PTP.JPG", "JPG"), ("", "PTP.JPG", "JPG"), ("a\nb.jpg", "PTP.JPG", "JPG"),
            ("a\u{0}.jpg", "PTP.JPG", "JPG"), ("..", "...JPG", "JPG"), ("Löwe 🦁.jpg", "Löwe 🦁.jpg", "JPG"),
        ])
    func names(name: String, kept: String, fileExtension: String) async throws {
        let bed = try await LibraryBed.open()
        #expect(await send(LibraryBed.photo, as: name, to: bed) == nil)
        let asset = try #require(try await bed.library.fetch(FetchOptions(), for: .console).first)
        #expect(asset.resources.map(\.originalFilename) == [kept])
        #expect(asset.name == "100PINHL/PINH0001.JPG")
        await bed.close()
    }

    @Test("a raw file becomes a photo of its own, by the format that is announced where its name says nothing")
    func raw() async throws {
        let bed = try await LibraryBed.open()
        #expect(await send(LibraryBed.tiff, as: "scan", .tiff, to: bed) == nil)
        #expect(await send(LibraryBed.tiff, as: "raw", .dng, to: bed) == nil)
        #expect(await send(LibraryBed.tiff, as: "a.dng", .undefined, to: bed) == nil)
        #expect(try await bed.names() == ["PINH0001.TIF", "PINH0002.DNG", "PINH0003.DNG"])
        await bed.close()
    }
}

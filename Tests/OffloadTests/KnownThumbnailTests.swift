import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

@testable import Offload
@testable import Photos

private let first = UInt32.file(100, 1)
private let rawOfFirst = UInt32.file(100, 1, resource: 1)

@Suite("Thumbnails that the catalog knows of")
struct KnownThumbnailTests {
    /// The thumbnails of a listing by the names of their files, as a door lists them.
    private func list(
        _ fixture: LibraryFixture, _ store: LibraryObjectStore? = nil
    ) async throws -> [String: StoredObject.Thumbnail] {
        let store = store ?? fixture.store
        let listed = try await fixture.connection.run { () throws(OffloadError) -> [(String, StoredObject.Thumbnail)] in
            try store.objects().objects.map { object in
                guard object.thumbnail == .unknown, object.kind != .folder else {
                    return (object.name, object.thumbnail)
                }
                return (object.name, (try? store.thumbnail(of: object))?.size ?? .absent)
            }
        }
        return Dictionary(uniqueKeysWithValues: listed)
    }

    private func change(_ fixture: LibraryFixture, _ sql: String) throws {
        try SQLiteConnection(path: fixture.library.layout.catalog, mode: .readWrite).execute(sql)
    }

    private func thumbnail(_ fixture: LibraryFixture, _ handle: UInt32) async throws -> ObjectThumbnail {
        let object = try #require(try await fixture.table()[handle])
        return try await fixture.call { (store) throws(OffloadError) in try store.thumbnail(of: object) }
    }

    @Test("a listing opens no file")
    func listing() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add(raw: LibraryFixture.tiff)
        try await fixture.add(LibraryFixture.photoWithoutThumbnail)
        let small = try await thumbnail(fixture, first)
        // What is gone cannot be opened.
        try FileManager.default.removeItem(atPath: fixture.library.layout.photos)
        let infos = try await list(fixture)
        #expect(infos.keys.sorted() == ["100PINHL", "DCIM", "PINH0001.JPG", "PINH0001.TIF", "PINH0002.JPG"])
        for name in ["PINH0001.JPG", "PINH0001.TIF"] {
            #expect(infos[name] == .jpeg(byteCount: UInt32(small.bytes.count), width: 160, height: 120))
        }
        #expect(infos["PINH0002.JPG"] == .absent)
        await fixture.close()
    }

    @Test("of photos of an earlier version the file is asked")
    func earlier() async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add(raw: LibraryFixture.tiff)
        let known = try await list(fixture)
        try change(
            fixture,
            """
            UPDATE resource SET thumbnail_offset = NULL, thumbnail_bytes = NULL, thumbnail_width = NULL,
                thumbnail_height = NULL
            """)
        let store = LibraryObjectStore(
            library: fixture.library, client: fixture.client, time: fixture.time, capture: LibraryFixture.noCapture)
        let objects = try await fixture.connection.run { () throws(OffloadError) in try store.objects() }
        #expect(objects[first]?.thumbnail == .unknown && objects[rawOfFirst]?.thumbnail == .unknown)
        #expect(try await list(fixture, store) == known)
        await fixture.close()
    }

    @Test(
        "a place that is wrong is not what is sent",
        arguments: [
            "thumbnail_offset = thumbnail_offset + 1", "thumbnail_offset = 2", "thumbnail_bytes = thumbnail_bytes - 1",
            "thumbnail_bytes = thumbnail_bytes + 1", "thumbnail_offset = 0, thumbnail_bytes = bytes",
            "thumbnail_offset = 1, thumbnail_bytes = bytes - 1", "thumbnail_width = 320, thumbnail_height = 240",
            "thumbnail_offset = bytes - 10", "thumbnail_offset = 4294967295, bytes = 9000000000",
            "thumbnail_offset = 0, thumbnail_bytes = 0, thumbnail_width = 0, thumbnail_height = 0",
            "thumbnail_offset = -1", "thumbnail_offset = NULL",
        ])
    func wrong(_ change: String) async throws {
        let fixture = try await LibraryFixture.open()
        try await fixture.add(raw: LibraryFixture.tiff)
        let small = try await thumbnail(fixture, first)
        #expect(small.bytes == EmbeddedThumbnail(file: LibraryFixture.photo)?.bytes)
        try self.change(fixture, "UPDATE resource SET \(change) WHERE extension = 'JPG'")
        #expect(try await thumbnail(fixture, first) == small)
        #expect(try await thumbnail(fixture, rawOfFirst) == small)
        await fixture.close()
    }

    @Test("an uploaded photo is known too, and so is one that a selection shows by another number")
    func others() async throws {
        let fixture = try await LibraryFixture.open(.named("some"))
        try await fixture.add()
        let identifier = try await fixture.add()
        try await fixture.library.select(fixture.client, add: [identifier])
        let bytes = LibraryFixture.photo
        try await fixture.call { (store) throws(OffloadError) in
            let upload = try store.beginUpload(name: "a.jpg", format: .jpeg, byteCount: UInt64(bytes.count))
            _ = bytes.withUnsafeBytes { upload.write($0) }
            try upload.finish()
        }
        let table = try await fixture.table()
        let photos = table.objects.filter { $0.kind != .folder }
        #expect(photos.count == 2)
        for photo in photos {
            let found = try await thumbnail(fixture, photo.handle)
            #expect(photo.thumbnail == found.size, "\(photo.name)")
        }
        await fixture.close()
    }
}

extension EmbeddedThumbnail {
    fileprivate init?(file: [UInt8]) {
        guard let found = file.withUnsafeBytes({ EmbeddedThumbnail(file: $0) }) else { return nil }
        self = found
    }
}

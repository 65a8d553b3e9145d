import Foundation
import Imaging
import PinholeTesting
import Platform
import Testing

@testable import PTP
@testable import Photos

private let first: UInt32 = 1_000_001
private let rawOfFirst: UInt32 = 1 << 24 | first

@Suite("Thumbnails that the catalog knows of")
struct KnownThumbnailTests {
    /// What GetObjectInfo says of every object, asked as an initiator asks.
    private func list(_ bed: LibraryBed, _ store: LibraryObjectStore? = nil) async throws -> [String: ObjectInfoDataset]
    {
        let store = store ?? bed.store
        let listed = await bed.connection.run { () -> [ObjectInfoDataset] in
            var responder = Responder(
                identity: Initiator.identity, store: store, properties: FixedDeviceProperties(batteryLevel: nil))
            var transaction: UInt32 = 0
            func ask(_ operation: OperationCode, _ parameters: UInt32...) -> [UInt8] {
                transaction += 1
                let request = OperationRequest(operation.rawValue, transaction: transaction, parameters: parameters)
                guard case .reply(let reply) = responder.begin(request), case .bytes(let bytes) = reply.data else {
                    return []
                }
                return bytes
            }
            _ = ask(.openSession, 1)
            let handles = Initiator.numbers(.init(.ok, data: ask(.getObjectHandles, .max)))
            return handles.compactMap { try? ObjectInfoDataset(reading: ask(.getObjectInfo, $0)) }
        }
        return Dictionary(uniqueKeysWithValues: listed.map { ($0.name, $0) })
    }

    private func change(_ bed: LibraryBed, _ sql: String) throws {
        try SQLiteConnection(path: bed.library.layout.catalog, mode: .readWrite).execute(sql)
    }

    private func thumbnail(_ bed: LibraryBed, _ handle: UInt32) async throws -> ObjectThumbnail {
        let object = try #require(try await bed.table()[handle])
        return try await bed.call { (store) throws(ResponseCode) in try store.thumbnail(of: object) }
    }

    @Test("a listing opens no file")
    func listing() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add(raw: LibraryBed.tiff)
        try await bed.add(LibraryBed.photoWithoutThumbnail)
        let small = try await thumbnail(bed, first)
        // What is gone cannot be opened.
        try FileManager.default.removeItem(atPath: bed.library.layout.photos)
        let infos = try await list(bed)
        #expect(infos.keys.sorted() == ["100PINHL", "DCIM", "PINH0001.JPG", "PINH0001.TIF", "PINH0002.JPG"])
        for name in ["PINH0001.JPG", "PINH0001.TIF"] {
            let info = try #require(infos[name])
            #expect(info.thumbnailFormat == 0x3808 && Int(info.thumbnailCompressedSize) == small.bytes.count)
            #expect(info.thumbnailWidth == 160 && info.thumbnailHeight == 120)
        }
        for name in ["DCIM", "100PINHL", "PINH0002.JPG"] { #expect(infos[name]?.thumbnailFormat == 0) }
        await bed.close()
    }

    @Test("of photos of an earlier version the file is asked")
    func earlier() async throws {
        let bed = try await LibraryBed.open()
        try await bed.add(raw: LibraryBed.tiff)
        let known = try await list(bed)
        try change(
            bed,
            """
            UPDATE resource SET thumbnail_offset = NULL, thumbnail_bytes = NULL, thumbnail_width = NULL,
                thumbnail_height = NULL
            """)
        let store = LibraryObjectStore(
            library: bed.library, client: bed.client, time: bed.time, capture: LibraryBed.noCapture)
        let objects = try await bed.connection.run { () throws(ResponseCode) in try store.objects() }
        #expect(objects[first]?.thumbnail == .unknown && objects[rawOfFirst]?.thumbnail == .unknown)
        #expect(try await list(bed, store) == known)
        await bed.close()
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
        let bed = try await LibraryBed.open()
        try await bed.add(raw: LibraryBed.tiff)
        let small = try await thumbnail(bed, first)
        #expect(small.bytes == EmbeddedThumbnail(file: LibraryBed.photo)?.bytes)
        try self.change(bed, "UPDATE resource SET \(change) WHERE extension = 'JPG'")
        #expect(try await thumbnail(bed, first) == small)
        #expect(try await thumbnail(bed, rawOfFirst) == small)
        await bed.close()
    }

    @Test("an uploaded photo is known too, and so is one that a selection shows by another number")
    func others() async throws {
        let bed = try await LibraryBed.open(.named("some"))
        try await bed.add()
        let identifier = try await bed.add()
        try await bed.library.select(bed.client, add: [identifier])
        let bytes = LibraryBed.photo
        try await bed.call { (store) throws(ResponseCode) in
            let upload = try store.beginUpload(name: "a.jpg", format: .exifJPEG, byteCount: UInt64(bytes.count))
            _ = bytes.withUnsafeBytes { upload.write($0) }
            try upload.finish()
        }
        let table = try await bed.table()
        let photos = table.objects.filter { $0.kind != .folder }
        #expect(photos.count == 2)
        for photo in photos {
            let found = try await thumbnail(bed, photo.handle)
            #expect(photo.thumbnail == found.size, "\(photo.name)")
        }
        await bed.close()
    }
}

extension EmbeddedThumbnail {
    fileprivate init?(file: [UInt8]) {
        guard let found = file.withUnsafeBytes({ EmbeddedThumbnail(file: $0) }) else { return nil }
        self = found
    }
}

import Foundation
import Imaging
import Platform
import Testing

@testable import Photos

@Suite("Where thumbnails lie, in the catalog")
struct ThumbnailPlaceTests {
    let fixture: TestLibrary
    let path: String

    init() throws {
        fixture = try TestLibrary()
        path = fixture.folder + "/catalog.sqlite"
    }

    private func record(_ number: String, _ thumbnail: ThumbnailPlace) throws -> AssetRecord {
        AssetRecord(
            number: try #require(DCFNumber(number)), identifier: AssetIdentifier(),
            captured: WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true), width: 4, height: 3,
            resources: [
                AssetRecord.Resource(
                    type: .photo, fileExtension: "JPG", bytes: 1000, checksum: 7, thumbnail: thumbnail)
            ])
    }

    /// A catalog as an earlier version left it, with the photo 100-0001.
    private func makeCatalog(version: Int) throws {
        let old = try SQLiteConnection(path: path, mode: .readWrite)
        for migration in Catalog.migrations.prefix(version) { try old.execute(migration.sql) }
        try old.execute(
            """
            PRAGMA application_id = \(Catalog.applicationIdentifier);
            PRAGMA user_version = \(version);
            INSERT INTO asset (number, identifier, status, settled, captured, zone, trusted, width, height, bytes, favorite)
                VALUES (1000001, x'000102030405060708090a0b0c0d0e0f', 0, 1, 5, 0, 1, 4, 3, 1000, 0);
            INSERT INTO resource VALUES (1000001, 0, 1, 'JPG', 'a.jpg', NULL, 1000, 7);
            UPDATE fact SET value = 1000001 WHERE name = 'highest_number';
            """)
    }

    @Test("a place, and that there is none, come out as they went in")
    func roundTrip() throws {
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        let places: [ThumbnailPlace] = [
            .unknown, .absent, .at(offset: 600, byteCount: 400, width: 160, height: 120),
            .at(offset: 1, byteCount: 1, width: .max, height: .max),
        ]
        for (index, place) in places.enumerated() {
            let asset = try record("100-000\(index + 1)", place)
            try catalog.assets.insert(asset)
            #expect(try catalog.assets.find(asset.number) == asset)
        }
    }

    @Test("a catalog of any earlier version is taken over, and of its photos nobody knows", arguments: 1...3)
    func migration(from version: Int) throws {
        try makeCatalog(version: version)
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        let number = try #require(DCFNumber("100-0001"))
        let old = try #require(try catalog.assets.find(number))
        #expect(old.identifier.description == "000102030405060708090a0b0c0d0e0f")
        let resource = try #require(old.resources.first)
        #expect(resource.originalFilename == "a.jpg" && resource.bytes == 1000 && resource.checksum == 7)
        #expect(resource.thumbnail == .unknown)
        let new = try record("100-0002", .at(offset: 600, byteCount: 400, width: 160, height: 120))
        try catalog.transaction { () throws(SQLiteError) in try catalog.assets.insert(new) }
        #expect(try catalog.assets.find(new.number) == new)
        let again = try Catalog(reading: path, files: PosixFileOperations())
        #expect(try again.assets.find(new.number) == new && again.version == 4)
    }

    @Test("a catalog of the version before is read where it cannot be changed", arguments: [2, 3])
    func readOnly(version: Int) throws {
        try makeCatalog(version: version)
        let catalog = try Catalog(reading: path, mode: .immutable, files: PosixFileOperations())
        let number = try #require(DCFNumber("100-0001"))
        let asset = try #require(try catalog.assets.find(number))
        #expect(asset.resources.map(\.bytes) == [1000] && asset.resources.map(\.thumbnail) == [.unknown])
    }

    @Test("whatever a row says, what comes out lies inside the file")
    func hostile() throws {
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        let asset = try record("100-0001", .at(offset: 600, byteCount: 400, width: 160, height: 120))
        try catalog.assets.insert(asset)
        let values = ["NULL", "-1", "9223372036854775807", "-9223372036854775808", "'text'", "x'ff'", "1e300", "601"]
        for column in ["offset", "bytes", "width", "height"] {
            for value in values where !(value == "601" && ["width", "height"].contains(column)) {
                try catalog.connection.execute("SAVEPOINT before")
                try catalog.connection.execute("UPDATE resource SET thumbnail_\(column) = \(value)")
                let found = try #require(try catalog.assets.find(asset.number))
                #expect(found.resources.map(\.thumbnail) == [.unknown], "\(column) is \(value)")
                try catalog.connection.execute("ROLLBACK TO before; RELEASE before")
            }
        }
        try catalog.connection.execute("UPDATE resource SET bytes = 999")
        #expect(try catalog.assets.find(asset.number)?.resources.map(\.thumbnail) == [.unknown])
    }

    // MARK: The library

    private func open() async throws(LibraryError) -> LibraryStore {
        try await LibraryStore.open(
            library: fixture.layout.library, state: fixture.state, files: PosixFileOperations(), time: fixture.time,
            settings: TestLibrary.settings, photoReader: LibraryFileReader())
    }

    private func places(_ store: LibraryStore) async throws -> [String: ThumbnailPlace] {
        let resources = try await store.all().flatMap(\.resources)
        return Dictionary(uniqueKeysWithValues: resources.map { ($0.name, $0.thumbnail) })
    }

    private func place(_ file: Data) -> ThumbnailPlace { file.withUnsafeBytes { ThumbnailPlace(file: $0) } }

    @Test(
        "it is known of a photo that is taken, brought or found, and survives a lost catalog with and without a copy")
    func filled() async throws {
        let (taken, bare) = (try photograph(320, 240), try photograph(320, 240, thumbnail: false))
        let (copied, moved) = (try photograph(400, 300), try photograph(640, 480))
        #expect(place(bare) == .absent && place(taken) != .absent && place(copied) != place(moved))
        var store = try await open()
        _ = try await store.add(photograph: taken, raw: Data("RAW".utf8))
        _ = try await store.add(photograph: bare)
        for (name, content) in [("copied.jpg", copied), ("moved.jpg", moved)] {
            try fixture.put(content, at: fixture.folder + "/" + name)
        }
        let source = URL(fileURLWithPath: fixture.folder + "/copied.jpg")
        try await PhotoLibrary(store: store, client: .console).performChanges {
            AssetCreationRequest.forAsset().addResource(with: .photo, fileURL: source, options: nil)
        }
        try await store.moveIn([fixture.folder + "/moved.jpg"])
        // An untracked file, as another program may leave it.
        try fixture.put(taken, at: fixture.layout.photos + "/100PINHL/PINH0005.JPG")
        #expect(try await store.verify().adopted == 1)
        let expected = [
            "100PINHL/PINH0001.JPG": place(taken), "100PINHL/PINH0001.BIN": .absent,
            "100PINHL/PINH0002.JPG": .absent, "100PINHL/PINH0003.JPG": place(copied),
            "100PINHL/PINH0004.JPG": place(moved), "100PINHL/PINH0005.JPG": place(taken),
        ]
        #expect(try await places(store) == expected)
        await store.close()

        try fixture.removeCatalog(withBackup: false)
        store = try await open()
        #expect(try await places(store) == expected)
        await store.close()

        try? FileManager.default.removeItem(atPath: fixture.layout.backup)
        try fixture.removeCatalog(withBackup: false)
        store = try await open()
        #expect(try await store.verify().adopted == 5)
        var rebuilt = expected
        // Beside a JPEG nothing else is looked at.
        rebuilt["100PINHL/PINH0001.BIN"] = .unknown
        #expect(try await places(store) == rebuilt)
        await store.close()
    }
}

import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Hostile cards")
struct HostileCardTests {
    let fixture: TestLibrary

    init() throws {
        fixture = try TestLibrary()
    }

    /// Photos in a library that is closed again.
    private func fill(_ count: Int) async throws -> [Asset] {
        let store = try await fixture.open()
        for _ in 0..<count { try await store.add() }
        let assets = try await store.all()
        await store.close()
        return assets
    }

    private func change(_ path: String, _ sql: String) throws {
        let database = try SQLiteConnection(path: path, mode: .readWrite)
        try database.execute(sql)
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func path(_ name: String) -> String { fixture.layout.photos + "/100PINHL/" + name }

    @Test("a missing photo that is found twice is listed twice, and everything else too")
    func foundTwice() async throws {
        let before = try await fill(3)
        try FileManager.default.moveItem(atPath: path("PINH0001.JPG"), toPath: path("PINH0101.JPG"))
        try FileManager.default.copyItem(atPath: path("PINH0101.JPG"), toPath: path("PINH0102.JPG"))
        let store = try await fixture.open()
        #expect(try await store.verify().isSound)
        #expect(store.state == .ready)
        let after = try await store.all()
        #expect(after.map(\.number) == ["100-0002", "100-0003", "100-0101", "100-0102"])
        #expect(after[2].localIdentifier == before[0].localIdentifier)
        await store.close()
    }

    @Test("files in Recently Deleted that claim one identifier or one number do not keep the others from being found")
    func claimsInTrash() async throws {
        let assets = try await fill(2)
        var store = try await fixture.open()
        try await store.delete(assets.map(\.localIdentifier), for: .console)
        await store.close()
        let (one, other) = (assets[0].localIdentifier, newIdentifier())
        for name in ["100-0003.\(one).JPG", "100-0001.\(other).JPG"] {
            try FileManager.default.copyItem(
                atPath: fixture.layout.trash + "/100-0001.\(one).JPG", toPath: fixture.layout.trash + "/" + name)
        }
        try fixture.removeCatalog(withBackup: true)
        store = try await fixture.open()
        _ = try await store.verify()
        #expect(store.state == .ready)
        #expect(Set(try await store.trash(for: .console).map(\.number)).isSuperset(of: ["100-0001", "100-0002"]))
        await store.close()
    }

    @Test("a copy of the catalog with an impossible version is no copy")
    func version() async throws {
        let before = try await fill(2)
        try change(fixture.layout.backup, "PRAGMA user_version = -1")
        try fixture.removeCatalog(withBackup: false)
        let store = try await fixture.open()
        #expect(try await store.verify().isSound)
        #expect(try await store.all().map(\.localIdentifier) == before.map(\.localIdentifier))
        await store.close()
    }

    @Test("numbers, dates and places at the end of what the catalog can hold are no reason to stop")
    func extremes() async throws {
        _ = try await fill(3)
        try change(
            fixture.layout.catalog,
            """
            UPDATE asset SET number = 9223372036854775807, identifier = randomblob(16) WHERE number = 1000001;
            UPDATE resource SET number = 9223372036854775807 WHERE number = 1000001;
            UPDATE asset SET captured = -9223372036854775808, zone = -9223372036854775808 WHERE number = 1000002;
            UPDATE asset SET captured = 9223372036854775807, zone = 9223372036854775807 WHERE number = 1000003;
            INSERT INTO history (row, block, kind, identifier) VALUES (-9223372036854775808, 1, 2, randomblob(16));
            """)
        let store = try await fixture.open()
        await store.tend()
        #expect(try await store.verify().isSound)
        let assets = try await store.all()
        #expect(assets.map(\.number) == ["100-0001", "100-0002", "100-0003"])
        #expect(assets.allSatisfy { !$0.captured.rfc3339.isEmpty && !$0.captured.exifDateTime.isEmpty })
        let token = try PhotoLibrary(store: store, client: .console).currentChangeToken
        try await store.setFavorite("100-0002", true, for: .console)
        #expect(try await PhotoLibrary(store: store, client: .console).fetchPersistentChanges(since: token).count == 1)
        await store.close()
    }

    @Test("where a selection or an album has no place left that is an answer, not the end")
    func noPlaceLeft() async throws {
        let assets = try await fill(2)
        var store = try await fixture.open()
        try await PhotoLibrary(store: store, client: .console).performChanges {
            AssetCollectionChangeRequest.creationRequestForAssetCollection(withTitle: "All").addAssets([assets[0]])
        }
        await store.close()
        try change(
            fixture.layout.catalog,
            """
            INSERT OR REPLACE INTO fact VALUES ('selection_floor', 9223372036854775807);
            UPDATE album_member SET position = 9223372036854775807;
            """)
        let policy = try ClientPolicy(client: "share", purpose: "To show photos.", level: .limited)
        store = try await fixture.open(policies: [policy])
        await #expect(throws: PhotosError.exhausted) {
            try await store.select(.named("share"), add: ["100-0001"])
        }
        let library = PhotoLibrary(store: store, client: .console)
        let album = try #require(try await library.fetchAssetCollections(with: .album).firstObject)
        try await library.performChanges { AssetCollectionChangeRequest(for: album).addAssets([assets[1]]) }
        #expect(try await library.fetchAssets(in: album).assets.map(\.number) == ["100-0001", "100-0002"])
        await store.close()
        // The copy of the catalog has the same.
        try fixture.removeCatalog(withBackup: false)
        store = try await fixture.open(policies: [policy])
        #expect(try await store.all().count == 2)
        await store.close()
    }

    @Test("a catalog whose names of files lead elsewhere leads nowhere")
    func names() async throws {
        let assets = try await fill(2)
        let precious = fixture.folder + "/precious"
        try fixture.put(Data("precious".utf8), at: precious)
        // With a folder that has the rest of the name, the path would lead to the file.
        let name = "PINH0001."
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        let step = "/../../../../../precious"
        #expect(FileManager.default.fileExists(atPath: path(name) + step))
        try change(
            fixture.layout.catalog,
            """
            UPDATE resource SET extension = '\(step)', bytes = 8 WHERE number = 1000001;
            UPDATE asset SET status = 1 WHERE number = 1000001;
            """)
        let store = try await fixture.open()
        let found = try #require(try await store.asset(assets[0].localIdentifier, for: .console))
        #expect(!found.path.contains("..") && found.resources.isEmpty)
        #expect(try await store.emptyTrash(for: .console) == 1)
        #expect(FileManager.default.contents(atPath: precious) == Data("precious".utf8))
        // What is forgotten is found again under the name it has.
        #expect(try await store.verify().ok == 2)
        #expect(try await store.all().map(\.number) == ["100-0001", "100-0002"])
        await store.close()
    }

    @Test("one file that cannot be read keeps no other from being found, and is found when it can be")
    func unreadable() async throws {
        let files = FaultyFileOperations()
        let store = try await fixture.open(files)
        for number in 1...3 {
            try fixture.put(photo(newIdentifier()), at: path("PINH000\(number).JPG"))
        }
        files.failReading(path("PINH0002.JPG"), code: 5)
        var report = try await store.verify()
        #expect(report.adopted == 2 && report.quarantined == 0 && report.damaged == 1)
        #expect(store.state == .ready)
        #expect(try await store.all().map(\.number) == ["100-0001", "100-0003"])
        files.succeed()
        report = try await store.verify()
        #expect(report.adopted == 1 && report.isSound)
        await store.close()
    }
}

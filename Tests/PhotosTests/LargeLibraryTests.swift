import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Large libraries")
struct LargeLibraryTests {
    /// The calls that a start makes on the file system, in a library of so many photos.
    private func workOfStart(photos: Int) throws -> [String: Int] {
        let folder = try TestFolder()
        let files = try SimulatedFileSystem(
            root: folder.path, databaseFolders: CrashFixture.databaseFolders(folder.path))
        try files.createDirectory(folder.path + "/state")
        let fixture = CrashFixture(files, filesPerDirectory: 9999)
        try fixture.open()
        var number = try #require(DCFNumber("100-0001"))
        let content = Array("PHOTO".utf8)
        try fixture.engine.storage.commit { catalog throws(SQLiteError) in
            for _ in 0..<photos {
                let record = AssetRecord(
                    number: number, identifier: AssetIdentifier(),
                    captured: WallTime(unixNanoseconds: number.position, offsetSeconds: 0, isTrusted: true), width: 1,
                    height: 1,
                    resources: [
                        AssetRecord.Resource(type: .photo, fileExtension: "JPG", bytes: 5, checksum: 0)
                    ])
                try catalog.assets.insert(record)
                number = number.successor(filesPerDirectory: 9999) ?? number
            }
        }
        number = try #require(DCFNumber("100-0001"))
        for _ in 0..<photos {
            if try files.metadata(fixture.layout.directory(number.directory)) == nil {
                try files.createDirectory(fixture.layout.directory(number.directory))
            }
            try files.writeNew(fixture.layout.path(number, "JPG"), content)
            number = number.successor(filesPerDirectory: 9999) ?? number
        }
        fixture.close()
        fixture.settle()
        try fixture.open()
        let calls = files.calls
        #expect(try fixture.engine.assetsToCheck() == photos)
        #expect(fixture.engine.context.shared.state == .ready)
        fixture.die()
        return calls
    }

    @Test("a start makes as many calls at 100,000 photos as at 100")
    func startIsBounded() throws {
        let small = try workOfStart(photos: 100)
        let large = try workOfStart(photos: 100_000)
        print("calls of a start: \(small.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
        #expect(large == small)
        #expect(large.values.reduce(0, +) < 100)
    }

    @Test("what a start and a comparison ask of the catalog is found by its indexes")
    func queriesAreBounded() throws {
        let folder = try TestFolder()
        let catalog = try Catalog(writing: folder.path + "/catalog.sqlite", files: PosixFileOperations())
        for query in [
            "SELECT * FROM asset WHERE settled = 0 ORDER BY number", "SELECT * FROM asset WHERE status = 2",
            "SELECT * FROM asset WHERE status = 1 AND number > 5 ORDER BY number LIMIT 5",
            "SELECT * FROM history WHERE row > 5 ORDER BY row",
            "SELECT value FROM fact WHERE name = 'highest_number'", "SELECT * FROM asset WHERE number = 5",
            "SELECT min(number) FROM asset WHERE number >= 1000000",
            "SELECT * FROM asset JOIN resource ON resource.number = asset.number "
                + "WHERE asset.number BETWEEN 1 AND 9 ORDER BY asset.number, resource.position",
        ] {
            let plan = try catalog.connection.statement("EXPLAIN QUERY PLAN \(query)")
            defer { plan.reset() }
            var lines: [String] = []
            while try plan.step() { lines.append(plan.text(3) ?? "") }
            // The index of unsettled assets has no other entries, so that it may be read whole.
            let isBounded = lines.allSatisfy { !$0.hasPrefix("SCAN") || $0.hasSuffix("USING INDEX asset_unsettled") }
            #expect(!lines.isEmpty && isBounded, "\(query): \(lines)")
        }
    }

    @Test(
        "a page is read from an index in its order, or from an index that has little more than what it asks for",
        arguments: [
            ("1", "asset.number", "asset_by_status"), ("1", "captured", "asset_by_captured"),
            ("favorite = 1", "asset.number", "asset_favorite"), ("favorite = 1", "captured", "asset_favorite"),
            ("burst IS NOT NULL", "asset.number", "asset_burst"), ("raw = 1", "asset.number", "asset_raw"),
            ("timelapse IS NOT NULL", "asset.number", "asset_timelapse"),
            ("(burst IS NOT NULL AND burst = x'00')", "asset.number", "asset_of_burst"),
            ("(captured >= 5 AND captured < 9)", "asset.number", "asset_by_captured"),
            ("(captured, asset.number) < (5, 9)", "captured", "asset_by_captured"),
            ("identifier IN (x'00', x'01')", "asset.number", "sqlite_autoindex_asset_1"),
        ])
    func pagesUseIndexes(condition: String, order: String, index: String) throws {
        let folder = try TestFolder()
        let catalog = try Catalog(writing: folder.path + "/catalog.sqlite", files: PosixFileOperations())
        let plan = try catalog.connection.statement(
            "EXPLAIN QUERY PLAN SELECT * FROM asset WHERE status = 0 AND 1 AND \(condition) "
                + "ORDER BY \(order) DESC, asset.number DESC LIMIT 101")
        defer { plan.reset() }
        var lines: [String] = []
        while try plan.step() { lines.append(plan.text(3) ?? "") }
        let isUsed = lines.first?.contains("INDEX \(index)") ?? false
        #expect(isUsed, "\(lines)")
    }
}

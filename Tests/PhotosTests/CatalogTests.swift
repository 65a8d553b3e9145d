import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Catalog")
struct CatalogTests {
    let fixture: TestLibrary
    let path: String

    init() throws {
        fixture = try TestLibrary()
        path = fixture.folder + "/catalog with ? and # and %.sqlite"
    }

    private func record(_ number: String, bytes: Int64 = 10) throws -> AssetRecord {
        AssetRecord(
            number: try #require(DCFNumber(number)), identifier: AssetIdentifier(),
            captured: WallTime(unixNanoseconds: -5, offsetSeconds: -3600, isTrusted: false), width: 4, height: 3,
            burst: AssetIdentifier(), lag: -7,
            resources: [
                AssetRecord.Resource(
                    type: AssetResourceType(rawValue: 77), fileExtension: "XYZ", originalFilename: "ä'\"; --",
                    uniformTypeIdentifier: nil, bytes: bytes, checksum: .max)
            ])
    }

    @Test("what goes in comes out, unknown resource types included")
    func roundTrip() throws {
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        let asset = try record("123-4567")
        try catalog.transaction { () throws(SQLiteError) in try catalog.assets.insert(asset) }
        #expect(try catalog.assets.find(asset.number) == asset)
        #expect(try catalog.assets.find(asset.identifier) == asset)
        #expect(FileManager.default.fileExists(atPath: path))
        let beside = try Catalog(reading: path, files: PosixFileOperations())
        #expect(try beside.assets.find(asset.number) == asset)
        #expect(throws: SQLiteError.self) { try beside.setFact("x", 1) }
    }

    @Test("a transaction that fails leaves nothing, and totals follow every change")
    func totals() throws {
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        let first = try record("100-0001", bytes: 3)
        let second = try record("100-0002", bytes: 5)
        try catalog.transaction { () throws(SQLiteError) in
            try catalog.assets.insert(first)
            try catalog.assets.insert(second)
        }
        #expect(throws: SQLiteError.self) {
            try catalog.transaction { () throws(SQLiteError) in
                try catalog.assets.delete(first.number)
                try catalog.assets.insert(second)
            }
        }
        #expect(try catalog.assets.total(.listed) == (2, 8))
        try catalog.assets.setTrashed(
            first.number, WallTime(unixNanoseconds: 9, offsetSeconds: 0, isTrusted: true), isSettled: true)
        #expect(try catalog.assets.total(.listed) == (1, 5))
        #expect(try catalog.assets.total(.trashed) == (1, 3))
        try catalog.assets.delete(first.number)
        #expect(try catalog.assets.total(.trashed) == (0, 0))
        #expect(try catalog.connection.integer("SELECT count(*) FROM resource") == 1)
        #expect(try catalog.fact("highest_number") == second.number.position)
    }

    @Test("every index a listing needs is used, so that a page costs the same in a library of any size")
    func plans() throws {
        let catalog = try Catalog(writing: path, files: PosixFileOperations())
        for condition in [
            "status = 0 ORDER BY number DESC LIMIT 100", "status = 0 AND number < 5 ORDER BY number DESC LIMIT 100",
            "status = 0 AND number > 5 ORDER BY number LIMIT 100",
            "status = 0 AND favorite = 1 ORDER BY number DESC LIMIT 100",
            "status = 0 AND burst IS NOT NULL ORDER BY number DESC LIMIT 100", "settled = 0 ORDER BY number",
        ] {
            let plan = try catalog.connection.statement("EXPLAIN QUERY PLAN SELECT * FROM asset WHERE \(condition)")
            defer { plan.reset() }
            var lines: [String] = []
            while try plan.step() { lines.append(plan.text(3) ?? "") }
            #expect(lines.allSatisfy { $0.contains("USING INDEX") }, "\(condition): \(lines)")
            #expect(!lines.contains { $0.contains("TEMP B-TREE") }, "\(condition): \(lines)")
        }
    }

    @Test("bytes that are not one of our databases are recognized")
    func headers() {
        #expect(Catalog.Header([]) == .empty)
        #expect(Catalog.Header([1, 2, 3]) == .damaged)
        #expect(Catalog.Header([UInt8](repeating: 0xff, count: 100)) == .damaged)
        var bytes = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
        #expect(Catalog.Header(bytes) == .empty)
        bytes[43] = 1
        #expect(Catalog.Header(bytes) == .foreign)
        bytes.replaceSubrange(68..<72, with: Array("PINH".utf8))
        bytes[63] = 7
        #expect(Catalog.Header(bytes) == .ours(version: 7))
    }

    @Test("identifiers and staging names read back as they were written, and nothing else does")
    func names() throws {
        let identifier = AssetIdentifier()
        #expect(AssetIdentifier(identifier.description.uppercased()) == identifier)
        #expect(AssetIdentifier(bytes: identifier.bytes) == identifier)
        for text in ["", "0", String(repeating: "g", count: 32), String(repeating: "+", count: 32), "\(identifier)0"] {
            #expect(AssetIdentifier(text) == nil, "\(text)")
        }
        let number = try #require(DCFNumber("100-0002"))
        let name = StagingName(
            first: try #require(DCFNumber("100-0001")), count: 3, number: number, identifier: identifier,
            fileExtension: "JPG")
        #expect(StagingName(name.text) == name)
        for text in [
            "", "...", "probe", "100-0001x0.100-0001.\(identifier).JPG", "100-0001x1.100-0001.\(identifier).jpg",
            "100-0001x99999999999999999999.100-0001.\(identifier).JPG", "x.100-0001.\(identifier).JPG",
        ] {
            #expect(StagingName(text) == nil, "\(text)")
        }
    }
}

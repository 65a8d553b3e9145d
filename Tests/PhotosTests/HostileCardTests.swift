import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Hostile cards")
struct HostileCardTests {
    let bed: TestLibrary

    init() throws {
        bed = try TestLibrary()
    }

    /// Photos in a library that is closed again.
    private func fill(_ count: Int) async throws -> [Asset] {
        let store = try await bed.open()
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

    private func path(_ name: String) -> String { bed.layout.photos + "/100PINHL/" + name }

    @Test("a missing photo that is found twice is listed twice, and everything else too")
    func foundTwice() async throws {
        let before = try await fill(3)
        try FileManager.default.moveItem(atPath: path("PINH0001.JPG"), toPath: path("PINH0101.JPG"))
        try FileManager.default.copyItem(atPath: path("PINH0101.JPG"), toPath: path("PINH0102.JPG"))
        let store = try await bed.open()
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
        var store = try await bed.open()
        try await store.delete(assets.map(\.localIdentifier), for: .console)
        await store.close()
        let (one, other) = (assets[0].localIdentifier, newIdentifier())
        for name in ["100-0003.\(one).JPG", "100-0001.\(other).JPG"] {
            try FileManager.default.copyItem(
                atPath: bed.layout.trash + "/100-0001.\(one).JPG", toPath: bed.layout.trash + "/" + name)
        }
        try bed.removeCatalogue(withBackup: true)
        store = try await bed.open()
        _ = try await store.verify()
        #expect(store.state == .ready)
        #expect(Set(try await store.trash(for: .console).map(\.number)).isSuperset(of: ["100-0001", "100-0002"]))
        await store.close()
    }

    @Test("one file that cannot be read keeps no other from being found, and is found when it can be")
    func unreadable() async throws {
        let files = FaultyFileOperations()
        let store = try await bed.open(files)
        for number in 1...3 {
            try bed.put(photo(newIdentifier()), at: path("PINH000\(number).JPG"))
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

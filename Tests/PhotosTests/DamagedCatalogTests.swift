import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

@Suite("Damaged catalogs")
struct DamagedCatalogTests {
    /// Ways a catalog goes bad.
    enum Damage: CaseIterable, Sendable {
        case gone, empty, cutInHeader, cutToOnePage, cutInHalf, cutByOne, randomHead, randomMiddle, randomAll, zeros

        func apply(to bytes: Data, using generator: inout SeededGenerator) -> Data? {
            var bytes = bytes
            func spoil(_ range: Range<Int>) {
                for index in range { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
            }
            switch self {
            case .gone: return nil
            case .empty: return Data()
            case .cutInHeader: return bytes.prefix(60)
            case .cutToOnePage: return bytes.prefix(4096)
            case .cutInHalf: return bytes.prefix(bytes.count / 2)
            case .cutByOne: return bytes.dropLast()
            case .randomHead: spoil(0..<100)
            case .randomMiddle: spoil(4096..<bytes.count)
            case .randomAll: spoil(0..<bytes.count)
            case .zeros: return Data(count: bytes.count)
            }
            return bytes
        }
    }

    @Test(
        "whatever happens to the catalog, no photo, no identifier and no number is lost, and none comes twice",
        arguments: Damage.allCases, [true, false])
    func damage(damage: Damage, hasCopy: Bool) async throws {
        let fixture = try TestLibrary()
        var generator = SeededGenerator(seed: 11)
        var store = try await fixture.open()
        for index in 0..<6 { try await store.add(raw: index == 2) }
        // One that came from elsewhere: its bytes do not contain its identifier.
        let imported = newIdentifier()
        try await PhotoLibrary(store: store, client: .shutter).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = imported
            request.addResource(
                with: .photo, data: photo(String(repeating: "-", count: 32)), options: nil)
        }
        // A raw file alone, one with what only its maker understands, and a file of a kind nobody knows.
        let others = (0..<3).map { _ in newIdentifier() }
        try await PhotoLibrary(store: store, client: .console).performChanges {
            let contents = [raw(others[0]), Data("TIFF \(others[1]) END".utf8), Data("unknown".utf8)]
            for (identifier, content) in zip(others, contents) {
                let request = AssetCreationRequest.forAsset()
                request.identifier = identifier
                request.addResource(with: .photo, data: content, options: nil)
            }
            let request = AssetCreationRequest.forAsset()
            request.identifier = "00000000000000000000000000000abc"
            request.addResource(with: .photo, data: raw("00000000000000000000000000000abc"), options: nil)
            let options = AssetResourceCreationOptions()
            options.originalFilename = "edit.xmp"
            request.addResource(with: AssetResourceType(rawValue: 7), data: Data("edit".utf8), options: options)
        }
        try await store.delete(["100-0002", "100-0004", "100-0005"], for: .console)
        _ = try await store.restore(["100-0002"], for: .console)
        #expect(try await store.emptyTrash(for: .console) == 2)
        try await store.delete(["100-0003"], for: .console)
        // The newest number is gone for good too.
        let newest = try await store.add()
        try await store.delete([newest], for: .console)
        let before = try await store.all()
        let trash = try await store.trash(for: .console)
        await store.close()

        let bytes = try #require(FileManager.default.contents(atPath: fixture.layout.catalog))
        #expect(bytes.count > 3 * 4096)
        try FileManager.default.removeItem(atPath: fixture.layout.catalog)
        if let spoiled = damage.apply(to: bytes, using: &generator) {
            try fixture.put(spoiled, at: fixture.layout.catalog)
        }
        if !hasCopy { try FileManager.default.removeItem(atPath: fixture.layout.backup) }

        store = try await fixture.open()
        #expect(store.state == .ready)
        let new = try await store.add()
        let report = try await store.verify()
        #expect(report.isSound && report.quarantined == 0, "\(report.problems)")
        var after = try await store.all()
        let added = try #require(after.last)
        #expect(added.localIdentifier == new && added.number == "100-0013")
        after.removeLast()
        #expect(after.map(\.number) == before.map(\.number))
        #expect(after.map { $0.resources.map(\.name) } == before.map { $0.resources.map(\.name) })
        for (one, other) in zip(before, after)
        where hasCopy || (one.localIdentifier != imported && one.localIdentifier != others[2]) {
            #expect(one.localIdentifier == other.localIdentifier)
            #expect(one.isRaw == other.isRaw && one.mediaType == other.mediaType)
        }
        let trashAfter = try await store.trash(for: .console)
        #expect(trashAfter.map(\.localIdentifier) == trash.map(\.localIdentifier))
        #expect(trashAfter.map(\.number) == ["100-0003", "100-0012"])
        await store.close()
    }

    @Test("a catalog rebuilt while the camera runs is compared with the files without a restart")
    func comparesByItself() async throws {
        let fixture = try TestLibrary()
        var store = try await fixture.open()
        for _ in 0..<20 { try await store.add() }
        await store.close()
        try FileManager.default.removeItem(atPath: fixture.layout.backup)
        store = try await fixture.open()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.layout.catalog))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try handle.close()
        for _ in 0..<3 {
            _ = try? await store.all()
            _ = try? await store.delete(["100-0001"], for: .console)
        }
        for _ in 0..<12 { await store.tend() }
        #expect(store.state == .ready)
        #expect(try await store.all().count >= 19)
        await store.close()
    }
}

import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Offload
@testable import Photos

@Suite("The store's table over time")
struct LibraryObjectStorePropertyTests {
    @Test(
        "whatever happens, the table that is kept up, and what an initiator derives from events, are what a new store loads",
        arguments: 1...6 as ClosedRange<UInt64>)
    func converges(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try await LibraryFixture.open(LibraryFixture.ptpip)
        var (here, trashed): ([String], [String]) = ([], [])
        var handles = Set(try await fixture.table().objects.map(\.handle))
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                try await step(fixture, &here, &trashed, &random)
            }
            var isReplaced = false
            for change in await fixture.news() {
                switch change {
                case .added(let added): handles.formUnion(added)
                case .removed(let removed): handles.subtract(removed)
                case .replaced: isReplaced = true
                default: break
                }
            }
            let fresh = LibraryObjectStore(
                library: fixture.library, client: fixture.client, time: fixture.time, capture: LibraryFixture.noCapture)
            let table = try await fixture.table()
            let new = try await fixture.call { (_) throws(OffloadError) in try fresh.objects() }
            let listed = table.objects.map(\.handle)
            let isSame = table.objects == new.objects
            #expect(isSame, "\(listed) is not \(new.objects.map(\.handle))")
            if isReplaced { handles = Set(listed) }
            // An initiator keeps the folder for all photos, which is there as long as anything is to be seen.
            #expect(handles.subtracting([ObjectHandle.dcim]) == Set(listed).subtracting([ObjectHandle.dcim]))
        }
        await fixture.close()
    }

    private func step(
        _ fixture: LibraryFixture, _ here: inout [String], _ trashed: inout [String], _ random: inout SeededGenerator
    ) async throws {
        let library = fixture.library
        let isLimited = library.rights(of: fixture.client).isLimited
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<4:
            let raw = Bool.random(using: &random) ? LibraryFixture.tiff : nil
            here.append(try await fixture.add(LibraryFixture.photoWithoutThumbnail, raw: raw))
        case 4 where library.rights(of: fixture.client).mayAdd:
            here.append(try await fixture.add(LibraryFixture.photoWithoutThumbnail, for: fixture.client))
        case 5 where !here.isEmpty:
            let gone = here.remove(at: Int.random(in: here.indices, using: &random))
            try await library.delete([gone], for: .console)
            trashed.append(gone)
        case 6 where !trashed.isEmpty:
            let back = trashed.remove(at: Int.random(in: trashed.indices, using: &random))
            _ = try await library.restore([back], for: .console)
            here.append(back)
        case 7 where !here.isEmpty:
            let one = here[Int.random(in: here.indices, using: &random)]
            try await library.setFavorite(one, Bool.random(using: &random), for: .console)
        case 8:
            let levels: [ClientLevel] = [.nothing, .addOnly, .limited, .full]
            try await library.setGrant(fixture.client, level: levels[Int.random(in: 0..<4, using: &random)])
        case 9:
            try await library.setGrant(fixture.client, level: .limited)
        case 10...13 where isLimited && !here.isEmpty:
            let add = here.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let remove = here.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            try await library.select(fixture.client, add: add, remove: remove)
        default: break
        }
    }
}

import Foundation
import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Photos

/// What a test does to a library while faults happen.
enum Operation: String, CaseIterable, Sendable {
    case addPhoto, addPhotoWithRaw, addThreeInOneBlock, addAndDeleteInOneBlock, favorite, delete, restore, emptyTrash,
        purge
    case importFiles
    case close
}

/// A library with two listed photos and one in Recently Deleted, one operation on it, and what must hold afterwards.
struct Scene {
    let fixture: TestLibrary
    let files = FaultyFileOperations()
    let kept: [String]
    let deleted: String
    let new = (0..<3).map { _ in newIdentifier() }
    let source: [String]
    var store: LibraryStore

    init() async throws {
        fixture = try TestLibrary()
        store = try await fixture.open(files)
        kept = [try await store.add(raw: true), try await store.add()]
        deleted = try await store.add(raw: true)
        try await store.delete([deleted], for: .console)
        source = [fixture.folder + "/card/IMG_1.JPG", fixture.folder + "/card/IMG_1.DNG"]
        try fixture.put(photo(new[0]), at: source[0])
        try fixture.put(Data("RAW".utf8), at: source[1])
    }

    /// Whether the operation was reported as done.
    func perform(_ operation: Operation) async -> Bool {
        do throws(PhotosError) {
            switch operation {
            case .addPhoto: try await store.add(new[0])
            case .addPhotoWithRaw: try await store.add(new[0], raw: true)
            case .addThreeInOneBlock:
                try await PhotoLibrary(store: store, client: .shutter).performChanges {
                    for identifier in new {
                        let request = AssetCreationRequest.forAsset()
                        request.identifier = identifier
                        request.addResource(with: .photo, data: photo(identifier), options: nil)
                    }
                }
            case .addAndDeleteInOneBlock:
                var changes = ChangeSet()
                var asset = NewAsset()
                asset.identifier = AssetIdentifier(new[0]) ?? AssetIdentifier()
                asset.resources = [NewAsset.Resource(type: .photo, content: .data(photo(new[0])))]
                changes.changes = [.create(asset), .delete(identifier: kept[0])]
                let result = await withCheckedContinuation { continuation in
                    store.apply(changes, for: .console) { continuation.resume(returning: $0) }
                }
                try result.get()
            case .favorite: try await store.setFavorite(kept[0], true, for: .console)
            case .delete: try await store.delete(kept, for: .console)
            case .restore: _ = try await store.restore([deleted], for: .console)
            case .emptyTrash: _ = try await store.emptyTrash(for: .console)
            case .purge:
                await store.tend()
                fixture.time.advance(by: .seconds(31 * 86_400))
                await store.tend()
                return try await store.trash(for: .console).isEmpty
            case .importFiles: try await store.moveIn(source, identifier: new[0])
            case .close: await store.close()
            }
            return true
        } catch {
            return false
        }
    }

    /// Checks a library that works again.
    func check(_ operation: Operation, wasDone: Bool, _ store: LibraryStore, _ comment: Comment) async throws {
        let report = try await store.verify()
        #expect(report.isSound && report.ok == report.assets, "\(comment): \(report.problems)")
        #expect(report.quarantined == 0, comment)
        let listed = Set(try await store.all().map(\.localIdentifier))
        let trash = Set(try await store.trash(for: .console).map(\.localIdentifier))
        #expect(listed.isDisjoint(with: trash), comment)

        // Nothing but whole files in DCIM, and each belongs to a listed asset.
        for name in try fixture.photoFiles().keys {
            let bytes = try #require(FileManager.default.contents(atPath: fixture.layout.photos + "/" + name))
            #expect(name.hasSuffix("DNG") ? bytes == Data("RAW".utf8) : bytes.suffix(3) == Data("END".utf8), comment)
        }
        let names = Set(try await store.all().flatMap { $0.resources.map(\.name) })
        let onCard = Set(try fixture.photoFiles().keys)
        #expect(names == onCard, comment)

        let isNewThere = new.map { listed.contains($0) }
        switch operation {
        case .importFiles:
            #expect(!wasDone || isNewThere[0], comment)
            let isSourceThere = source.map { FileManager.default.fileExists(atPath: $0) }
            #expect(isNewThere[0] || isSourceThere == [true, true], "\(comment): the source is gone")
            #expect(listed.isSuperset(of: kept) && trash == [deleted], comment)
        case .addPhoto, .addPhotoWithRaw:
            #expect(!wasDone || isNewThere[0], comment)
            #expect(listed.isSuperset(of: kept) && trash == [deleted], comment)
        case .addThreeInOneBlock:
            #expect(!wasDone || isNewThere[0], comment)
            #expect(Set(isNewThere).count == 1, "\(comment): half a block, \(isNewThere)")
        case .addAndDeleteInOneBlock:
            #expect(!wasDone || (isNewThere[0] && trash.contains(kept[0])), comment)
            #expect(listed.contains(kept[0]) != trash.contains(kept[0]), comment)
        case .favorite:
            let favorites = try await store.all(.favorites).map(\.localIdentifier)
            #expect(favorites == [kept[0]] || (!wasDone && favorites.isEmpty), comment)
        case .delete:
            let gone = kept.map { trash.contains($0) }
            #expect(gone == kept.map { !listed.contains($0) } && Set(gone).count == 1, comment)
            #expect(!wasDone || gone[0], comment)
        case .restore:
            #expect(listed.contains(deleted) != trash.contains(deleted), comment)
            #expect(!wasDone || listed.contains(deleted), comment)
        case .emptyTrash, .purge:
            #expect(!listed.contains(deleted), comment)
            #expect(!wasDone || trash.isEmpty, comment)
            let left = try FileManager.default.contentsOfDirectory(atPath: fixture.layout.trash)
            #expect(left.isEmpty == trash.isEmpty, comment)
        case .close:
            #expect(listed == Set(kept) && trash == [deleted], comment)
        }

        // No number comes twice.
        let highest = max("100-0003", try await store.all().map(\.number).max() ?? "")
        let next = try await store.add()
        let number = try #require(try await store.asset(next, for: .console)).number
        #expect(number > highest, comment)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.layout.staging) == [], comment)
    }
}

@Suite("Faults and power cuts")
struct FaultTests {
    @Test("whatever step a stop hits, the next start finds everything whole", arguments: Operation.allCases)
    func stops(operation: Operation) async throws {
        var steps = 0
        while true {
            let scene = try await Scene()
            scene.files.stopDead(after: steps)
            let wasDone = await scene.perform(operation)
            let wasCut = scene.files.isDead
            await scene.store.close()
            let store = try await scene.fixture.open()
            try await scene.check(operation, wasDone: wasDone, store, "\(operation) stopped after \(steps) steps")
            await store.close()
            if !wasCut { break }
            steps += 1
        }
        #expect(steps > 0)
    }

    @Test(
        "whatever step fails, the library comes back by itself with everything whole, before and after a restart",
        arguments: Operation.allCases, [ENOSPC, EDQUOT, EIO, EROFS])
    func failures(operation: Operation, code: Int32) async throws {
        var step = 0
        while true {
            let scene = try await Scene()
            let before = scene.files.count
            scene.files.fail(at: step, code: code)
            let wasDone = await scene.perform(operation)
            let steps = scene.files.count - before
            scene.files.succeed()
            let comment: Comment = "\(operation), step \(step) failed with \(code)"
            if operation != .close {
                for _ in 0..<3 { await scene.store.tend() }
                #expect(scene.store.state == .ready, comment)
                // Not even a whole file of a photo that was refused is left for a comparison to find.
                let names = Set(try await scene.store.all().flatMap { $0.resources.map(\.name) })
                let onCard = Set(try scene.fixture.photoFiles().keys)
                #expect(names == onCard, comment)
                try await scene.check(operation, wasDone: wasDone, scene.store, comment)
                await scene.store.close()
            }
            let store = try await scene.fixture.open()
            #expect(try await store.verify().isSound, comment)
            await store.close()
            if step >= steps { break }
            step += 1
        }
        #expect(step > 0)
    }

    @Test("a start that is stopped at any step can be made again")
    func startIsStopped() async throws {
        for operation in [Operation.addThreeInOneBlock, .importFiles, .delete, .restore, .emptyTrash] {
            for cut in 1...6 {
                var steps = 0
                while true {
                    let scene = try await Scene()
                    scene.files.stopDead(after: cut)
                    let wasDone = await scene.perform(operation)
                    await scene.store.close()
                    let files = FaultyFileOperations()
                    files.stopDead(after: steps)
                    if let store = try? await scene.fixture.open(files) { await store.close() }
                    let store = try await scene.fixture.open()
                    let comment: Comment = "\(operation) stopped after \(cut), start after \(steps)"
                    try await scene.check(operation, wasDone: wasDone, store, comment)
                    await store.close()
                    if !files.isDead { break }
                    steps += 1
                }
            }
        }
    }
}

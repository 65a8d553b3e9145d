import PinholeTesting
import Platform

@testable import Photos

/// What happens to a library while the power is cut.
enum CrashScenario: String, CaseIterable, Sendable {
    case firstStart = "first start and first photo"
    case create = "create one"
    case createWithCompanion = "create with a raw companion"
    case createBlock = "create three in one block, with companions"
    case createFromFiles = "move files in as two photos with companions"
    case createManyAndDelete = "create several, delete between"
    case delete, restore
    case emptyTrash = "empty the trash"
    case purge = "purge after 30 days"
    case favorite = "favorite"
    case albums = "make, rearrange and delete albums"
    case albumOfNewPhotos = "favorites with companions and an album of them in one block"
    case refusedAlbum = "the commit of an album of new photos fails"
    case selection = "change a selection"
    case reservation = "numbers across a reserved block"
    case rollover = "block across two directories"
    case refusal = "a commit fails and the photo is refused"
    case orderlyEnd = "close and start again"
    case startAfterCut = "start with a photo half there"
    case rebuildFromCopy = "lost catalog with its copy"
    case rebuildFromFiles = "lost catalog without a copy"
    case damagedCatalog = "damaged catalog"
    case lostWhileDeleting = "lost catalog without a copy, a photo half deleted"
    case lostWhileRestoring = "lost catalog without a copy, a photo half restored"
    case adoption = "adoption of untracked files"
    case firstGrant = "first grant and its selection"
    case grants = "grants, selections and photos of a limited client"

    var filesPerDirectory: Int { self == .rollover ? 2 : 9999 }

    /// What was there before, durably.
    func prepare(_ fixture: CrashFixture) throws {
        if self == .firstStart { return }
        try fixture.open()
        let first = try fixture.add(raw: true)
        switch self {
        case .firstStart, .create, .createWithCompanion, .createBlock, .createManyAndDelete, .favorite, .rollover,
            .refusal, .orderlyEnd, .firstGrant:
            break
        case .createFromFiles:
            try fixture.putSources()
        case .lostWhileDeleting, .lostWhileRestoring:
            if self == .lostWhileRestoring { try fixture.delete(first) }
            // The intent and the raw file's move.
            fixture.files.stopDead(after: 2)
            if self == .lostWhileDeleting { _ = try? fixture.delete(first) } else { _ = try? fixture.restore(first) }
            fixture.die()
            _ = fixture.files.revive()
            try fixture.loseCatalog(withBackup: true)
            fixture.note { $0.photos[first[0]]?.places = [.trashed] }
        case .grants:
            try fixture.grant(.limited)
            try fixture.add(for: CrashFixture.asker)
        case .delete:
            try fixture.makeAlbum(1, of: first + (try fixture.add()))
            try fixture.select(first)
        case .albumOfNewPhotos, .refusedAlbum: break
        case .albums, .selection:
            let others = try fixture.add(2)
            try fixture.makeAlbum(1, of: first + others)
            try fixture.select(first)
        case .restore, .emptyTrash, .purge:
            let second = try fixture.add()
            try fixture.delete(first + second)
        case .reservation:
            // The marks are durable up to 100-0066.
            if let number = DCFNumber("100-0064") { fixture.engine.numbering.skip(to: number) }
        case .startAfterCut:
            let second = try fixture.add()
            try fixture.delete(second)
            // Everything is under way at once: a block half renamed, a deletion, a restoration.
            fixture.files.stopDead(after: 9)
            _ = try? fixture.add(2, raw: true)
            fixture.die()
            _ = fixture.files.revive()
        case .rebuildFromCopy, .rebuildFromFiles, .damagedCatalog:
            let others = try fixture.add(3)
            try fixture.favorite(first[0])
            try fixture.delete([others[0]])
            let album = try fixture.makeAlbum(1, of: first + others.dropFirst())
            try fixture.select(first)
            fixture.close()
            let copied = fixture.expectation.collections
            try fixture.open()
            // The copy knows nothing of these.
            try fixture.makeAlbum(2, of: try fixture.add(raw: true))
            try fixture.turnRound(album)
            try fixture.select([others[1]])
            try fixture.delete([others[1]])
            fixture.die()
            fixture.loseCollections(keeping: self == .rebuildFromFiles ? nil : copied)
            if self == .damagedCatalog {
                try fixture.damageCatalog()
            } else {
                try fixture.loseCatalog(withBackup: self == .rebuildFromFiles)
            }
        case .adoption:
            fixture.close()
            let whole = Array(photo("abababababababab00000000000000f1", bytes: 90))
            let cut = Array(whole.prefix(40))
            try fixture.put(whole, at: "100PINHL/PINH0100.JPG")
            try fixture.put(Array("RAW".utf8), at: "100PINHL/PINH0100.DNG")
            try fixture.put(cut, at: "100PINHL/PINH0101.JPG")
            fixture.note { expectation in
                expectation.kept = [whole, cut]
                expectation.photos["abababababababab00000000000000f1"] = CrashExpectation.Photo(
                    places: [.listed], number: "100-0100", files: ["JPG": whole, "DNG": Array("RAW".utf8)])
                expectation.isCatalogWhole = false
            }
        }
    }

    /// What is going on when the power is cut.
    func act(_ fixture: CrashFixture) throws {
        switch self {
        case .firstStart:
            try fixture.open()
            try fixture.add()
        case .create:
            try fixture.add()
        case .createWithCompanion:
            try fixture.add(raw: true)
        case .createBlock:
            try fixture.add(3, raw: true)
        case .createFromFiles:
            try fixture.moveSources()
            try fixture.add()
        case .purge:
            try fixture.purge()
            try fixture.add()
        case .createManyAndDelete:
            let one = try fixture.add()
            try fixture.add(2)
            try fixture.delete(one)
            try fixture.add(raw: true)
        case .delete:
            try fixture.delete(Array(fixture.expectation.photos.keys.sorted()))
        case .restore:
            try fixture.restore(Array(fixture.expectation.photos.keys.sorted()))
        case .emptyTrash:
            try fixture.emptyTrash()
            try fixture.add()
        case .favorite:
            try fixture.favorite(fixture.expectation.photos.keys.sorted()[0])
        case .albums:
            let names = fixture.expectation.photos.keys.sorted()
            try fixture.makeAlbum(2, of: names)
            if let old = try fixture.albumNames().first { try fixture.turnRound(old) }
            try fixture.deleteAlbum(try fixture.albumNames()[1])
        case .albumOfNewPhotos:
            try fixture.add(2, raw: true, album: 3)
            try fixture.add(album: 4)
        case .refusedAlbum:
            try fixture.refuse(raw: true, album: 3)
            try fixture.add()
        case .selection:
            let names = fixture.expectation.photos.keys.sorted()
            try fixture.select(names)
            try fixture.select([names[2]])
            try fixture.delete([names[2]])
        case .reservation:
            for _ in 0..<4 { try fixture.add() }
        case .rollover:
            try fixture.add(3)
        case .refusal:
            try fixture.refuse(raw: true)
            try fixture.add()
        case .firstGrant:
            try fixture.grant(.limited)
            try fixture.select(fixture.expectation.photos.keys.sorted())
        case .grants:
            let others = Array(Set(fixture.expectation.photos.keys).subtracting(fixture.expectation.selected))
            try fixture.select(others)
            let own = try fixture.add(raw: true, for: CrashFixture.asker)
            try fixture.select([], remove: own)
            try fixture.grant(.full)
            try fixture.grant(nil)
            try fixture.grant(.addOnly)
        case .orderlyEnd:
            try fixture.add()
            fixture.close()
            try fixture.open()
            try fixture.add()
        case .startAfterCut, .rebuildFromCopy, .rebuildFromFiles, .damagedCatalog, .adoption, .lostWhileDeleting,
            .lostWhileRestoring:
            try fixture.open()
            try fixture.compare()
            try fixture.add()
        }
    }
}

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
    case favorite = "favourite"
    case albums = "make, rearrange and delete albums"
    case albumOfNewPhotos = "favourites with companions and an album of them in one block"
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
    case adoption = "adoption of strangers"
    case firstGrant = "first grant and its selection"
    case grants = "grants, selections and photos of a limited client"

    var filesPerDirectory: Int { self == .rollover ? 2 : 9999 }

    /// What was there before, durably.
    func prepare(_ stage: CrashStage) throws {
        if self == .firstStart { return }
        try stage.open()
        let first = try stage.add(raw: true)
        switch self {
        case .firstStart, .create, .createWithCompanion, .createBlock, .createManyAndDelete, .favorite, .rollover,
            .refusal, .orderlyEnd, .firstGrant:
            break
        case .createFromFiles:
            try stage.putSources()
        case .lostWhileDeleting, .lostWhileRestoring:
            if self == .lostWhileRestoring { try stage.delete(first) }
            // The intent and the raw file's move.
            stage.files.stopDead(after: 2)
            if self == .lostWhileDeleting { _ = try? stage.delete(first) } else { _ = try? stage.restore(first) }
            stage.die()
            _ = stage.files.revive()
            try stage.loseCatalog(withBackup: true)
            stage.note { $0.photos[first[0]]?.places = [.trashed] }
        case .grants:
            try stage.grant(.limited)
            try stage.add(for: CrashStage.asker)
        case .delete:
            try stage.makeAlbum(1, of: first + (try stage.add()))
            try stage.select(first)
        case .albumOfNewPhotos, .refusedAlbum: break
        case .albums, .selection:
            let others = try stage.add(2)
            try stage.makeAlbum(1, of: first + others)
            try stage.select(first)
        case .restore, .emptyTrash, .purge:
            let second = try stage.add()
            try stage.delete(first + second)
        case .reservation:
            // The marks are durable up to 100-0066.
            if let number = DCFNumber("100-0064") { stage.engine.numbering.skip(to: number) }
        case .startAfterCut:
            let second = try stage.add()
            try stage.delete(second)
            // Everything is under way at once: a block half renamed, a deletion, a restoration.
            stage.files.stopDead(after: 9)
            _ = try? stage.add(2, raw: true)
            stage.die()
            _ = stage.files.revive()
        case .rebuildFromCopy, .rebuildFromFiles, .damagedCatalog:
            let others = try stage.add(3)
            try stage.favorite(first[0])
            try stage.delete([others[0]])
            let album = try stage.makeAlbum(1, of: first + others.dropFirst())
            try stage.select(first)
            stage.close()
            let copied = stage.ledger.collections
            try stage.open()
            // The copy knows nothing of these.
            try stage.makeAlbum(2, of: try stage.add(raw: true))
            try stage.turnRound(album)
            try stage.select([others[1]])
            try stage.delete([others[1]])
            stage.die()
            stage.loseCollections(keeping: self == .rebuildFromFiles ? nil : copied)
            if self == .damagedCatalog {
                try stage.damageCatalog()
            } else {
                try stage.loseCatalog(withBackup: self == .rebuildFromFiles)
            }
        case .adoption:
            stage.close()
            let whole = Array(photo("abababababababab00000000000000f1", bytes: 90))
            let cut = Array(whole.prefix(40))
            try stage.put(whole, at: "100PINHL/PINH0100.JPG")
            try stage.put(Array("RAW".utf8), at: "100PINHL/PINH0100.DNG")
            try stage.put(cut, at: "100PINHL/PINH0101.JPG")
            stage.note { ledger in
                ledger.kept = [whole, cut]
                ledger.photos["abababababababab00000000000000f1"] = CrashLedger.Photo(
                    places: [.listed], number: "100-0100", files: ["JPG": whole, "DNG": Array("RAW".utf8)])
                ledger.isCatalogWhole = false
            }
        }
    }

    /// What is going on when the power is cut.
    func act(_ stage: CrashStage) throws {
        switch self {
        case .firstStart:
            try stage.open()
            try stage.add()
        case .create:
            try stage.add()
        case .createWithCompanion:
            try stage.add(raw: true)
        case .createBlock:
            try stage.add(3, raw: true)
        case .createFromFiles:
            try stage.moveSources()
            try stage.add()
        case .purge:
            try stage.purge()
            try stage.add()
        case .createManyAndDelete:
            let one = try stage.add()
            try stage.add(2)
            try stage.delete(one)
            try stage.add(raw: true)
        case .delete:
            try stage.delete(Array(stage.ledger.photos.keys.sorted()))
        case .restore:
            try stage.restore(Array(stage.ledger.photos.keys.sorted()))
        case .emptyTrash:
            try stage.emptyTrash()
            try stage.add()
        case .favorite:
            try stage.favorite(stage.ledger.photos.keys.sorted()[0])
        case .albums:
            let names = stage.ledger.photos.keys.sorted()
            try stage.makeAlbum(2, of: names)
            if let old = try stage.albumNames().first { try stage.turnRound(old) }
            try stage.deleteAlbum(try stage.albumNames()[1])
        case .albumOfNewPhotos:
            try stage.add(2, raw: true, album: 3)
            try stage.add(album: 4)
        case .refusedAlbum:
            try stage.refuse(raw: true, album: 3)
            try stage.add()
        case .selection:
            let names = stage.ledger.photos.keys.sorted()
            try stage.select(names)
            try stage.select([names[2]])
            try stage.delete([names[2]])
        case .reservation:
            for _ in 0..<4 { try stage.add() }
        case .rollover:
            try stage.add(3)
        case .refusal:
            try stage.refuse(raw: true)
            try stage.add()
        case .firstGrant:
            try stage.grant(.limited)
            try stage.select(stage.ledger.photos.keys.sorted())
        case .grants:
            let others = Array(Set(stage.ledger.photos.keys).subtracting(stage.ledger.selected))
            try stage.select(others)
            let own = try stage.add(raw: true, for: CrashStage.asker)
            try stage.select([], remove: own)
            try stage.grant(.full)
            try stage.grant(nil)
            try stage.grant(.addOnly)
        case .orderlyEnd:
            try stage.add()
            stage.close()
            try stage.open()
            try stage.add()
        case .startAfterCut, .rebuildFromCopy, .rebuildFromFiles, .damagedCatalog, .adoption, .lostWhileDeleting,
            .lostWhileRestoring:
            try stage.open()
            try stage.compare()
            try stage.add()
        }
    }
}

import PinholeTesting
import Platform

@testable import Photos

/// What happens to a library while the power is cut.
enum CrashScenario: String, CaseIterable, Sendable {
    case firstStart = "first start and first photo"
    case create = "create one"
    case createWithCompanion = "create with a raw companion"
    case createBlock = "create three in one block, with companions"
    case createManyAndDelete = "create several, delete between"
    case delete, restore
    case emptyTrash = "empty the trash"
    case favorite = "favourite"
    case reservation = "numbers across a reserved block"
    case rollover = "block across two directories"
    case refusal = "a commit fails and the photo is refused"
    case orderlyEnd = "close and start again"
    case startAfterCut = "start with a photo half there"
    case rebuildFromCopy = "lost catalogue with its copy"
    case rebuildFromFiles = "lost catalogue without a copy"
    case damagedCatalogue = "damaged catalogue"
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
        case .grants:
            try stage.grant(.limited)
            try stage.add(for: CrashStage.asker)
        case .delete:
            try stage.add()
        case .restore, .emptyTrash:
            let second = try stage.add()
            try stage.delete(first + second)
        case .reservation:
            // The marks are durable up to 100-0066.
            if let number = DCFNumber("100-0064") { stage.engine.numbers.skip(to: number) }
        case .startAfterCut:
            let second = try stage.add()
            try stage.delete(second)
            // Everything is under way at once: a block half renamed, a deletion, a restoration.
            stage.files.stopDead(after: 9)
            _ = try? stage.add(2, raw: true)
            stage.die()
            _ = stage.files.revive()
        case .rebuildFromCopy, .rebuildFromFiles, .damagedCatalogue:
            let others = try stage.add(3)
            try stage.favorite(first[0])
            try stage.delete([others[0]])
            stage.close()
            try stage.open()
            // The copy knows nothing of these.
            try stage.add(raw: true)
            try stage.delete([others[1]])
            stage.die()
            if self == .damagedCatalogue {
                try stage.damageCatalogue()
            } else {
                try stage.loseCatalogue(withBackup: self == .rebuildFromFiles)
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
                ledger.isCatalogueWhole = false
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
        case .startAfterCut, .rebuildFromCopy, .rebuildFromFiles, .damagedCatalogue, .adoption:
            try stage.open()
            try stage.compare()
            try stage.add()
        }
    }
}

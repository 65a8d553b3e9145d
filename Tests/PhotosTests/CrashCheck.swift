import Foundation
import PinholeTesting
import Platform

@testable import Photos

/// Opens what a power cut left and looks for what must not be.
///
/// It reads the disk and the catalog by itself, with none of the engine's own checks.
struct CrashCheck {
    /// What was found: announced photos that are gone or not whole, and other breaches.
    struct Findings {
        var announced = 0
        var lost: [String] = []
        var breaches: [String] = []
    }

    let ledger: CrashLedger
    var findings = Findings()

    init(_ ledger: CrashLedger) {
        self.ledger = ledger
    }

    /// Opens the library as a start does, lets the comparison run, takes a photo; looks after each.
    ///
    /// - Returns: what stood between the start and the end, for another cut.
    mutating func run(_ stage: CrashStage) {
        noHalfFiles(stage, "before the start")
        do {
            try stage.open()
            try look(stage, isCompared: false, "after the start")
            try stage.compare()
            try look(stage, isCompared: true, "after the comparison")
            try stage.noteWhatIsThere()
            guard let new = try stage.add().first, let number = try stage.engine.find(new)?.number else {
                findings.breaches.append("the next photo is not there")
                return
            }
            let earlier = ledger.photos.values.compactMap { $0.number.flatMap { DCFNumber($0) } }
            if let highest = earlier.max(), number <= highest {
                findings.breaches.append("number \(number) comes again")
            }
        } catch {
            findings.breaches.append("the start failed: \(error)")
        }
    }

    /// Nothing of ours under `DCIM` may be cut short, not even before a start has looked at it.
    private mutating func noHalfFiles(_ stage: CrashStage, _ moment: String) {
        let known = Set(ledger.photos.values.flatMap { Array($0.files.values) } + ledger.kept)
        for (path, content) in stage.files.image.files
        where path.contains("/DCIM/") && !known.contains(content.bytes) {
            findings.breaches.append("\(moment): \(path) is not whole (\(content.bytes.count) bytes)")
        }
    }

    private mutating func look(_ stage: CrashStage, isCompared: Bool, _ moment: String) throws {
        noHalfFiles(stage, moment)
        let files = stage.files.image.files
        let listed = try stage.engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(.listed, after: nil, limit: 1000)
        }
        let trashed = try stage.engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(.trashed, after: nil, limit: 1000)
        }
        let places = Dictionary(
            listed.map { ($0.identifier.description, CrashLedger.Place.listed) }
                + trashed.map { ($0.identifier.description, CrashLedger.Place.trashed) }
        ) { first, _ in
            findings.breaches.append("\(moment): an identifier is there twice")
            return first
        }
        // What a listing shows is whole, to the last byte that was written and by its checksum.
        var shown: Set<String> = []
        for record in listed + trashed {
            let name = record.identifier.description
            let photo = ledger.photos[name]
            if photo == nil { findings.breaches.append("\(moment): \(record.number) is nobody's") }
            for resource in record.resources {
                let path =
                    record.status == .listed
                    ? stage.layout.path(record.number, resource.fileExtension)
                    : stage.layout.trashPath(record.number, record.identifier, resource.fileExtension)
                shown.insert(String(path.dropFirst(stage.files.root.count)))
                let bytes = files[String(path.dropFirst(stage.files.root.count))]?.bytes
                if let bytes, bytes == photo?.files[resource.fileExtension],
                    bytes.withUnsafeBytes({ Checksum.of($0) }) == resource.checksum
                {
                    continue
                }
                let text = "\(moment): \(path) is shown and not whole"
                if photo?.isAnnounced == true { findings.lost.append(text) } else { findings.breaches.append(text) }
            }
            if let photo, record.resources.count != photo.files.count {
                findings.breaches.append("\(moment): \(record.number) is shown without all its files")
            }
        }
        if isCompared {
            for path in files.keys where path.contains("/DCIM/") && !shown.contains(path) {
                findings.breaches.append("\(moment): \(path) belongs to no photo")
            }
            for source in ledger.sources
            where places[source.identifier] == nil && files[source.path]?.bytes != source.bytes {
                findings.lost.append("\(moment): \(source.path) is gone and has not become a photo")
            }
            for block in ledger.blocks where Set(block.map { places[$0] != nil }).count > 1 {
                findings.breaches.append("\(moment): half a block is there")
            }
        }
        if isCompared || ledger.isCatalogWhole {
            try lookAtCollections(stage, moment)
            for (name, photo) in ledger.photos {
                if photo.isAnnounced { findings.announced += 1 }
                let place = places[name] ?? .nowhere
                if !photo.places.contains(place) {
                    let text = "\(moment): \(photo.number ?? name) is \(place) instead of \(photo.places)"
                    if photo.isAnnounced { findings.lost.append(text) } else { findings.breaches.append(text) }
                }
                guard let record = (listed + trashed).first(where: { $0.identifier.description == name }) else {
                    continue
                }
                if let number = photo.number, number != record.number.description {
                    findings.breaches.append("\(moment): \(number) has become \(record.number)")
                }
                if let isFavorite = photo.isFavorite, isFavorite != record.isFavorite {
                    findings.breaches.append("\(moment): \(record.number) is no longer the favourite it was, or is one")
                }
            }
            let grant = stage.engine.authority.grant(of: CrashStage.asker)
            if !ledger.levels.contains(grant.level) {
                findings.breaches.append("\(moment): the client has \(grant.level) instead of \(ledger.levels)")
            }
            let visibility = grant.rights.visibility
            if grant.level == .limited, ledger.isCatalogWhole {
                let seen = try stage.engine.storage.read { catalog throws(SQLiteError) in
                    Set(try catalog.fetch(FetchOptions(), visibility).page.map(\.identifier.description))
                }
                let must = ledger.selected.intersection(listed.map(\.identifier.description))
                if !must.isSubset(of: seen) || !seen.isSubset(of: ledger.selected.union(ledger.perhapsSelected)) {
                    findings.breaches.append("\(moment): the client sees \(seen) instead of \(must)")
                }
            }
            let contents = Set(files.values.map(\.bytes))
            for bytes in ledger.kept where !contents.contains(bytes) {
                findings.breaches.append("\(moment): a file of somebody else's is gone")
            }
        }
        let numbers = listed.map(\.number) + trashed.map(\.number)
        if Set(numbers).count != numbers.count { findings.breaches.append("\(moment): a number is there twice") }
    }
}

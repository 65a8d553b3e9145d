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

    let expectation: CrashExpectation
    var findings = Findings()

    init(_ expectation: CrashExpectation) {
        self.expectation = expectation
    }

    /// Opens the library as a start does, lets the comparison run, takes a photo; looks after each.
    ///
    /// - Returns: what stood between the start and the end, for another cut.
    mutating func run(_ fixture: CrashFixture) {
        noHalfFiles(fixture, "before the start")
        do {
            try fixture.open()
            try look(fixture, isCompared: false, "after the start")
            try fixture.compare()
            try look(fixture, isCompared: true, "after the comparison")
            try fixture.noteWhatIsThere()
            guard let new = try fixture.add().first, let number = try fixture.engine.find(new)?.number else {
                findings.breaches.append("the next photo is not there")
                return
            }
            let earlier = expectation.photos.values.compactMap { $0.number.flatMap { DCFNumber($0) } }
            if let highest = earlier.max(), number <= highest {
                findings.breaches.append("number \(number) comes again")
            }
        } catch {
            findings.breaches.append("the start failed: \(error)")
        }
    }

    /// Nothing of ours under `DCIM` may be cut short, not even before a start has looked at it.
    private mutating func noHalfFiles(_ fixture: CrashFixture, _ moment: String) {
        let known = Set(expectation.photos.values.flatMap { Array($0.files.values) } + expectation.kept)
        for (path, content) in fixture.files.image.files
        where path.contains("/DCIM/") && !known.contains(content.bytes) {
            findings.breaches.append("\(moment): \(path) is not whole (\(content.bytes.count) bytes)")
        }
    }

    private mutating func look(_ fixture: CrashFixture, isCompared: Bool, _ moment: String) throws {
        noHalfFiles(fixture, moment)
        let files = fixture.files.image.files
        let listed = try fixture.engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(.listed, after: nil, limit: 1000)
        }
        let trashed = try fixture.engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(.trashed, after: nil, limit: 1000)
        }
        let places = Dictionary(
            listed.map { ($0.identifier.description, CrashExpectation.Place.listed) }
                + trashed.map { ($0.identifier.description, CrashExpectation.Place.trashed) }
        ) { first, _ in
            findings.breaches.append("\(moment): an identifier is there twice")
            return first
        }
        // What a listing shows is whole, to the last byte that was written and by its checksum.
        var shown: Set<String> = []
        for record in listed + trashed {
            let name = record.identifier.description
            let photo = expectation.photos[name]
            if photo == nil { findings.breaches.append("\(moment): \(record.number) is nobody's") }
            for resource in record.resources {
                let path =
                    record.status == .listed
                    ? fixture.layout.path(record.number, resource.fileExtension)
                    : fixture.layout.trashPath(record.number, record.identifier, resource.fileExtension)
                shown.insert(String(path.dropFirst(fixture.files.root.count)))
                let bytes = files[String(path.dropFirst(fixture.files.root.count))]?.bytes
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
            for source in expectation.sources
            where places[source.identifier] == nil && files[source.path]?.bytes != source.bytes {
                findings.lost.append("\(moment): \(source.path) is gone and has not become a photo")
            }
            for block in expectation.blocks where Set(block.map { places[$0] != nil }).count > 1 {
                findings.breaches.append("\(moment): half a block is there")
            }
        }
        if isCompared || expectation.isCatalogWhole {
            try lookAtCollections(fixture, moment)
            for (name, photo) in expectation.photos {
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
                    findings.breaches.append("\(moment): \(record.number) is no longer the favorite it was, or is one")
                }
            }
            let grant = fixture.engine.authority.grant(of: CrashFixture.asker)
            if !expectation.levels.contains(grant.level) {
                findings.breaches.append("\(moment): the client has \(grant.level) instead of \(expectation.levels)")
            }
            let visibility = grant.rights.visibility
            if grant.level == .limited, expectation.isCatalogWhole {
                let seen = try fixture.engine.storage.read { catalog throws(SQLiteError) in
                    Set(try catalog.fetch(FetchOptions(), visibility).page.map(\.identifier.description))
                }
                let must = expectation.selected.intersection(listed.map(\.identifier.description))
                if !must.isSubset(of: seen)
                    || !seen.isSubset(of: expectation.selected.union(expectation.perhapsSelected))
                {
                    findings.breaches.append("\(moment): the client sees \(seen) instead of \(must)")
                }
            }
            let contents = Set(files.values.map(\.bytes))
            for bytes in expectation.kept where !contents.contains(bytes) {
                findings.breaches.append("\(moment): a file of somebody else's is gone")
            }
        }
        let numbers = listed.map(\.number) + trashed.map(\.number)
        if Set(numbers).count != numbers.count { findings.breaches.append("\(moment): a number is there twice") }
    }
}

import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

/// The real engine on a simulated file system, with a expectation of what was announced.
final class CrashFixture {
    let files: SimulatedFileSystem
    let settings: LibrarySettings
    private let time = ScriptedTime()
    private(set) var engine: LibraryEngine
    private(set) var expectations: [CrashExpectation]
    private var made: UInt64

    /// A fixture whose library is closed.
    init(
        _ files: SimulatedFileSystem, expectation: CrashExpectation = CrashExpectation(), filesPerDirectory: Int,
        seed: UInt64 = 0
    ) {
        self.files = files
        var settings = TestLibrary.settings
        settings.filesPerDirectory = filesPerDirectory
        self.settings = settings
        expectations = [expectation]
        made = seed
        engine = Self.engine(files, settings, time)
    }

    static func layout(_ root: String) -> LibraryLayout {
        LibraryLayout(library: root + "/state/library", state: root + "/state")
    }

    static func databaseFolders(_ root: String) -> [String] { [layout(root).own, layout(root).quarantine] }

    private static func engine(
        _ files: SimulatedFileSystem, _ settings: LibrarySettings, _ time: ScriptedTime
    ) -> LibraryEngine {
        let authority = Authority(time: time)
        authority.setPolicies([try? ClientPolicy(client: asker.name, purpose: "To look at photos.")].compactMap { $0 })
        return LibraryEngine(
            layout: layout(files.root), files: files, time: time, settings: settings,
            reader: FakePhotoReader(), shared: SharedLibraryState(), authority: authority, report: { _ in })
    }

    /// A client that has what it was allowed.
    static let asker = Client.named("share:anna")

    var layout: LibraryLayout { engine.context.layout }
    var expectation: CrashExpectation { expectations[expectations.count - 1] }

    /// Begins a new stretch: what was done so far is durable.
    func settle() {
        files.settle()
        expectations = [expectation]
    }

    /// Changes the expectation at this moment.
    func note(_ change: (inout CrashExpectation) -> Void) {
        var expectation = expectation
        change(&expectation)
        expectations.append(expectation)
        files.mark(expectations.count - 1)
    }

    /// From now on everything that is listed or in Recently Deleted counts as announced, there where it is.
    func noteWhatIsThere() throws {
        var expectation = expectation
        for name in expectation.photos.keys {
            let record = try engine.find(name)
            switch record?.status {
            case .listed: expectation.photos[name]?.places = [.listed]
            case .trashed: expectation.photos[name]?.places = [.trashed]
            default: expectation.photos[name]?.places = [.nowhere]
            }
            if let record { expectation.photos[name]?.number = record.number.description }
        }
        note { [expectation] in $0 = expectation }
        try noteCollections()
    }

    // MARK: What is done to the library

    func open() throws {
        engine = Self.engine(files, settings, time)
        try engine.open()
        engine.prepareForFirstPhoto()
    }

    /// What runs in the background after a start.
    func compare() throws {
        var comparison = try engine.comparison.begin()
        while try engine.comparison.advance(&comparison) != nil {}
    }

    func close() { engine.close() }

    /// The process ends without closing anything.
    func die() { engine.letGo() }

    /// Adds one block of photos.
    ///
    /// - Returns: whether it was announced.
    ///
    /// - Parameter album: puts them, as favorites, into a new album in the same block.
    @discardableResult
    func add(
        _ count: Int = 1, raw: Bool = false, album: UInt8? = nil, for client: Client = .shutter
    ) throws -> [String] {
        var set = ChangeSet()
        var photos: [String: CrashExpectation.Photo] = [:]
        var identifiers: [String] = []
        for _ in 0..<count {
            let identifier = try makeIdentifier()
            var asset = NewAsset()
            asset.identifier = identifier
            asset.isFavorite = album != nil
            var files = ["JPG": photo(identifier.description, bytes: 90)]
            asset.resources = [.init(type: .photo, content: .data(photo(identifier.description, bytes: 90)))]
            if raw {
                files["DNG"] = Data("RAW \(identifier) END".utf8)
                asset.resources.append(.init(type: .alternatePhoto, content: .data(files["DNG"] ?? Data())))
            }
            set.changes.append(.create(asset))
            identifiers.append(identifier.description)
            photos[identifier.description] = CrashExpectation.Photo(
                places: [.nowhere, .listed], number: nil, files: files.mapValues { Array($0) },
                isFavorite: album != nil)
        }
        let new = album.flatMap { AssetIdentifier(bytes: [UInt8](repeating: $0, count: 16)) }
        if let new {
            set.changes.insert(.editAlbum(identifier: new.description, [.add(identifiers)]), at: 0)
            set.changes.insert(.createAlbum(new, title: "Album"), at: 0)
        }
        try apply(set, identifiers, photos, album: new?.description, for: client)
        return identifiers
    }

    private func makeIdentifier() throws -> AssetIdentifier {
        made += 1
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: made >> (8 * $0)) }
        return try #require(AssetIdentifier(bytes: [UInt8](repeating: 0xAB, count: 8) + bytes))
    }

    private func apply(
        _ set: ChangeSet, _ identifiers: [String], _ photos: [String: CrashExpectation.Photo], album: String? = nil,
        for client: Client = .shutter
    ) throws {
        note { expectation in
            expectation.photos.merge(photos) { $1 }
            if identifiers.count > 1 { expectation.blocks.append(identifiers) }
            if client == Self.asker { expectation.perhapsSelected.formUnion(identifiers) }
            if let album {
                expectation.collections.albums[album] = [nil, .init(title: "Album", members: identifiers)]
                expectation.collections.filled[album] = identifiers
            }
        }
        try engine.apply(set, for: album == nil ? client : .console)
        if let album {
            note { $0.collections.albums[album] = [.init(title: "Album", members: identifiers)] }
        }
        let numbers = try identifiers.map { try engine.find($0)?.number.description }
        note { expectation in
            for (identifier, number) in zip(identifiers, numbers) {
                expectation.photos[identifier]?.places = [.listed]
                expectation.photos[identifier]?.number = number
            }
            if client == Self.asker { expectation.selected.formUnion(identifiers) }
        }
        try noteHistory()
    }

    /// Puts files beside the library: a photo with its raw file, and a raw file alone.
    func putSources() throws {
        try files.createDirectory(files.root + "/card")
        let (both, alone) = (try makeIdentifier().description, try makeIdentifier().description)
        let sources = [
            CrashExpectation.Source(path: "/card/1.JPG", bytes: Array(photo(both, bytes: 90)), identifier: both),
            CrashExpectation.Source(path: "/card/1.DNG", bytes: Array("RAW \(both) END".utf8), identifier: both),
            CrashExpectation.Source(path: "/card/2.DNG", bytes: Array("RAW \(alone) END".utf8), identifier: alone),
        ]
        for source in sources { try files.writeNew(files.root + source.path, source.bytes) }
        note { $0.sources = sources }
    }

    /// Moves these files into the library in one block, with what only their maker understands.
    func moveSources() throws {
        var set = ChangeSet()
        var photos: [String: CrashExpectation.Photo] = [:]
        let identifiers = Set(expectation.sources.map(\.identifier)).sorted()
        for identifier in identifiers {
            var asset = NewAsset()
            asset.identifier = try #require(AssetIdentifier(identifier))
            asset.resources = [
                .init(
                    type: AssetResourceType(rawValue: 7), content: .data(Data("edit \(identifier)".utf8)),
                    originalFilename: "edit.xmp")
            ]
            var files = ["XMP": Array("edit \(identifier)".utf8)]
            for source in expectation.sources where source.identifier == identifier {
                let isPhoto = source.path != "/card/1.DNG"
                asset.resources.append(
                    .init(
                        type: isPhoto ? .photo : .alternatePhoto,
                        content: .file(path: self.files.root + source.path, isMoved: true)))
                files[String(source.path.suffix(3))] = source.bytes
            }
            photos[identifier] = CrashExpectation.Photo(places: [.nowhere, .listed], number: nil, files: files)
            set.changes.append(.create(asset))
        }
        try apply(set, identifiers, photos)
    }

    /// Lets so much time pass that Recently Deleted is emptied.
    func purge() throws {
        let trashed = expectation.photos.filter { $0.value.places == [.trashed] }.map(\.key)
        _ = try engine.maintenance.purgeOld()
        try move(trashed, to: .nowhere) {
            time.advance(by: .seconds(31 * 86_400))
            while try engine.maintenance.purgeOld() {}
        }
    }

    func delete(_ identifiers: [String]) throws {
        var set = ChangeSet()
        set.changes = identifiers.map { .delete(identifier: $0) }
        try move(identifiers, to: .trashed) { try engine.apply(set, for: .console) }
    }

    func restore(_ identifiers: [String]) throws {
        try move(identifiers, to: .listed) { _ = try engine.restore(identifiers, for: .console) }
    }

    func emptyTrash() throws {
        let trashed = expectation.photos.filter { $0.value.places == [.trashed] }.map(\.key)
        try move(trashed, to: .nowhere) { _ = try engine.emptyTrash(for: .console) }
    }

    func favorite(_ identifier: String) throws {
        var set = ChangeSet()
        set.changes = [.edit(identifier: identifier, AssetEdit(isFavorite: true))]
        note { $0.photos[identifier]?.isFavorite = nil }
        try engine.apply(set, for: .console)
        note { $0.photos[identifier]?.isFavorite = true }
        try noteHistory()
    }

    /// Gives the asking client a level; nil makes it undecided.
    func grant(_ level: ClientLevel?) throws {
        note { $0.levels.insert(level ?? .nothing) }
        if let level { try engine.setGrant(level, of: Self.asker) } else { try engine.revoke(Self.asker) }
        note {
            $0.levels = [level ?? .nothing]
            // What is allowed later begins with an empty selection.
            if level != .limited { ($0.selected, $0.perhapsSelected) = ([], []) }
        }
    }

    /// Changes what the asking client sees.
    func select(_ add: [String], remove: [String] = []) throws {
        note {
            $0.perhapsSelected.formUnion(add + remove)
            $0.selected.subtract(remove)
        }
        try engine.select(Self.asker, add: add, remove: remove)
        note {
            $0.selected.formUnion(add)
            $0.perhapsSelected.subtract(remove)
        }
    }

    private func move(_ identifiers: [String], to place: CrashExpectation.Place, _ body: () throws -> Void) throws {
        note { expectation in for identifier in identifiers { expectation.photos[identifier]?.places.insert(place) } }
        try body()
        note { expectation in for identifier in identifiers { expectation.photos[identifier]?.places = [place] } }
        try noteHistory()
    }

    /// A commit fails, so that a photo is refused and must leave nothing behind.
    func refuse(raw: Bool, album: UInt8? = nil) throws {
        files.failCommits(1)
        let before = Set(expectation.photos.keys)
        do {
            try add(raw: raw, album: album)
        } catch {
            // After the power cut nothing is announced.
            guard !files.isDead else { throw error }
            note { expectation in
                for identifier in expectation.photos.keys where !before.contains(identifier) {
                    expectation.photos[identifier]?.places = [.nowhere]
                }
                for (album, states) in expectation.collections.albums where states.contains(nil) {
                    expectation.collections.albums[album] = [nil]
                }
            }
        }
    }

    /// Takes the catalog away, its copy too when asked.
    func loseCatalog(withBackup: Bool) throws {
        for path in [layout.catalog, layout.catalog + "-wal"] + (withBackup ? [layout.backup] : [])
        where try files.metadata(path) != nil {
            try files.remove(path)
        }
        note { expectation in
            expectation.isCatalogWhole = false
            // Only the catalog and its copy know the favorites.
            if withBackup {
                for identifier in expectation.photos.keys { expectation.photos[identifier]?.isFavorite = nil }
            }
        }
    }

    /// Fills the catalog with what is no database, and leaves a log beside it.
    func damageCatalog() throws {
        try Data(repeating: 0xA5, count: 9000).write(to: URL(fileURLWithPath: layout.catalog))
        try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: layout.catalog + "-wal"))
        note { $0.isCatalogWhole = false }
    }

    /// Puts a file where another program would.
    func put(_ bytes: [UInt8], at name: String) throws {
        try files.writeNew(layout.photos + "/" + name, bytes)
    }
}

import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

/// What a person has been told, and what may be the case besides because it was under way.
struct CrashLedger {
    enum Place: Hashable { case listed, trashed, nowhere }

    struct Photo {
        /// Where it may be. One place once it was announced.
        var places: Set<Place>
        /// Its number, once it was announced.
        var number: String?
        /// Its files by extension.
        var files: [String: [UInt8]]
        /// Whether it is a favourite; nil when both may be the case.
        var isFavorite: Bool? = false

        /// True when a person was told that it is there.
        var isAnnounced: Bool { places == [.listed] || places == [.trashed] }
    }

    /// A file outside the library that is moved into it.
    struct Source {
        /// Its path from the disk's root.
        var path: String
        var bytes: [UInt8]
        /// The photo it becomes a part of.
        var identifier: String
    }

    /// Photos by identifier.
    var photos: [String: Photo] = [:]
    /// Photos that come together or not at all.
    var blocks: [[String]] = []
    /// Contents that must be somewhere, whatever they are.
    var kept: [[UInt8]] = []
    /// Files that must be there as long as their photos are not.
    var sources: [Source] = []
    /// How much the client that asks may have; one level once that was announced.
    var levels: Set<ClientLevel> = [.nothing]
    /// Photos that client must see, as long as they are listed.
    var selected: Set<String> = []
    /// Photos it may see besides.
    var perhapsSelected: Set<String> = []
    /// False after the loss of a catalog: what only it knew may be gone, and listings fill after the start.
    var isCatalogWhole = true
    /// Albums, the selection and the history.
    var collections = CrashCollections()
}

/// The real engine on a simulated file system, with a ledger of what was announced.
final class CrashStage {
    let files: SimulatedFileSystem
    let settings: LibrarySettings
    private let time = ScriptedTime()
    private(set) var engine: LibraryEngine
    private(set) var ledgers: [CrashLedger]
    private var made: UInt64

    /// A stage with the library closed.
    init(_ files: SimulatedFileSystem, ledger: CrashLedger = CrashLedger(), filesPerDirectory: Int, seed: UInt64 = 0) {
        self.files = files
        var settings = TestLibrary.settings
        settings.filesPerDirectory = filesPerDirectory
        self.settings = settings
        ledgers = [ledger]
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
    var ledger: CrashLedger { ledgers[ledgers.count - 1] }

    /// Begins a new stretch: what was done so far is durable.
    func settle() {
        files.settle()
        ledgers = [ledger]
    }

    /// Changes the ledger at this moment.
    func note(_ change: (inout CrashLedger) -> Void) {
        var ledger = ledger
        change(&ledger)
        ledgers.append(ledger)
        files.mark(ledgers.count - 1)
    }

    /// From now on everything that is listed or in Recently Deleted counts as announced, there where it is.
    func noteWhatIsThere() throws {
        var ledger = ledger
        for name in ledger.photos.keys {
            let record = try engine.find(name)
            switch record?.status {
            case .listed: ledger.photos[name]?.places = [.listed]
            case .trashed: ledger.photos[name]?.places = [.trashed]
            default: ledger.photos[name]?.places = [.nowhere]
            }
            if let record { ledger.photos[name]?.number = record.number.description }
        }
        note { [ledger] in $0 = ledger }
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

    /// Adds one block of photos; the result tells whether it was announced.
    ///
    /// - Parameter album: puts them, as favourites, into a new album in the same block.
    @discardableResult
    func add(
        _ count: Int = 1, raw: Bool = false, album: UInt8? = nil, for client: Client = .shutter
    ) throws -> [String] {
        var set = ChangeSet()
        var photos: [String: CrashLedger.Photo] = [:]
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
            photos[identifier.description] = CrashLedger.Photo(
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
        _ set: ChangeSet, _ identifiers: [String], _ photos: [String: CrashLedger.Photo], album: String? = nil,
        for client: Client = .shutter
    ) throws {
        note { ledger in
            ledger.photos.merge(photos) { $1 }
            if identifiers.count > 1 { ledger.blocks.append(identifiers) }
            if client == Self.asker { ledger.perhapsSelected.formUnion(identifiers) }
            if let album {
                ledger.collections.albums[album] = [nil, .init(title: "Album", members: identifiers)]
                ledger.collections.filled[album] = identifiers
            }
        }
        try engine.apply(set, for: album == nil ? client : .console)
        if let album {
            note { $0.collections.albums[album] = [.init(title: "Album", members: identifiers)] }
        }
        let numbers = try identifiers.map { try engine.find($0)?.number.description }
        note { ledger in
            for (identifier, number) in zip(identifiers, numbers) {
                ledger.photos[identifier]?.places = [.listed]
                ledger.photos[identifier]?.number = number
            }
            if client == Self.asker { ledger.selected.formUnion(identifiers) }
        }
        try noteHistory()
    }

    /// Puts files beside the library: a photo with its raw file, and a raw file alone.
    func putSources() throws {
        try files.createDirectory(files.root + "/card")
        let (both, alone) = (try makeIdentifier().description, try makeIdentifier().description)
        let sources = [
            CrashLedger.Source(path: "/card/1.JPG", bytes: Array(photo(both, bytes: 90)), identifier: both),
            CrashLedger.Source(path: "/card/1.DNG", bytes: Array("RAW \(both) END".utf8), identifier: both),
            CrashLedger.Source(path: "/card/2.DNG", bytes: Array("RAW \(alone) END".utf8), identifier: alone),
        ]
        for source in sources { try files.writeNew(files.root + source.path, source.bytes) }
        note { $0.sources = sources }
    }

    /// Moves these files into the library in one block, with what only their maker understands.
    func moveSources() throws {
        var set = ChangeSet()
        var photos: [String: CrashLedger.Photo] = [:]
        let identifiers = Set(ledger.sources.map(\.identifier)).sorted()
        for identifier in identifiers {
            var asset = NewAsset()
            asset.identifier = try #require(AssetIdentifier(identifier))
            asset.resources = [
                .init(
                    type: AssetResourceType(rawValue: 7), content: .data(Data("edit \(identifier)".utf8)),
                    originalFilename: "edit.xmp")
            ]
            var files = ["XMP": Array("edit \(identifier)".utf8)]
            for source in ledger.sources where source.identifier == identifier {
                let isPhoto = source.path != "/card/1.DNG"
                asset.resources.append(
                    .init(
                        type: isPhoto ? .photo : .alternatePhoto,
                        content: .file(path: self.files.root + source.path, isMoved: true)))
                files[String(source.path.suffix(3))] = source.bytes
            }
            photos[identifier] = CrashLedger.Photo(places: [.nowhere, .listed], number: nil, files: files)
            set.changes.append(.create(asset))
        }
        try apply(set, identifiers, photos)
    }

    /// Lets so much time pass that Recently Deleted is emptied.
    func purge() throws {
        let trashed = ledger.photos.filter { $0.value.places == [.trashed] }.map(\.key)
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
        let trashed = ledger.photos.filter { $0.value.places == [.trashed] }.map(\.key)
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

    private func move(_ identifiers: [String], to place: CrashLedger.Place, _ body: () throws -> Void) throws {
        note { ledger in for identifier in identifiers { ledger.photos[identifier]?.places.insert(place) } }
        try body()
        note { ledger in for identifier in identifiers { ledger.photos[identifier]?.places = [place] } }
        try noteHistory()
    }

    /// A commit fails, so that a photo is refused and must leave nothing behind.
    func refuse(raw: Bool, album: UInt8? = nil) throws {
        files.failCommits(1)
        let before = Set(ledger.photos.keys)
        do {
            try add(raw: raw, album: album)
        } catch {
            // The dead tell nobody.
            guard !files.isDead else { throw error }
            note { ledger in
                for identifier in ledger.photos.keys where !before.contains(identifier) {
                    ledger.photos[identifier]?.places = [.nowhere]
                }
                for (album, states) in ledger.collections.albums where states.contains(nil) {
                    ledger.collections.albums[album] = [nil]
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
        note { ledger in
            ledger.isCatalogWhole = false
            // Only the catalog and its copy know the favourites.
            if withBackup { for identifier in ledger.photos.keys { ledger.photos[identifier]?.isFavorite = nil } }
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

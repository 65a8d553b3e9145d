import Foundation
import PinholeTesting
import Platform
import Testing

@testable import Photos

/// Random changes, and random fetches that are compared with what plain Swift makes of all assets.
@Suite("Fetches, observers' indexes and history under random changes")
struct FetchPropertyTests {
    @Test(
        "a fetch gives what it says, its indexes rebuild what is there, its history gives the difference",
        arguments: 1...12)
    func randomChanges(seed: Int) throws {
        let script = try RandomScript(seed: UInt64(seed))
        for _ in 0..<40 { try script.step() }
        #expect(script.compared > 1000)
        script.engine.letGo()
    }
}

/// A library that is changed at random, with the fetches of several clients that watch it.
private final class RandomScript {
    private struct Watch {
        let options: FetchOptions
        let visibility: Rights.Visibility
        let collection: AssetCollection?
        var result: FetchResult<Asset>
    }

    let engine: LibraryEngine
    private let fixture: TestLibrary
    private let reader: LibraryReader
    private var random: SeededGenerator
    private var watches: [Watch] = []
    private let selections = [AssetIdentifier(), AssetIdentifier()]
    private let bursts = (0..<3).map { _ in AssetIdentifier() }
    private let albums = [AssetIdentifier(), AssetIdentifier()]
    private var position: Int64 = 0
    private(set) var compared = 0

    init(seed: UInt64) throws {
        fixture = try TestLibrary()
        random = SeededGenerator(seed: seed)
        let shared = SharedLibraryState()
        let files = PosixFileOperations()
        engine = LibraryEngine(
            layout: fixture.layout, files: files, time: fixture.time, settings: TestLibrary.settings,
            reader: FakePhotoReader(),
            shared: shared, authority: Authority(time: fixture.time), report: { _ in })
        try engine.open()
        reader = LibraryReader(layout: fixture.layout, files: files, shared: shared)
        try apply(albums.map { .createAlbum($0, title: "Album") })
        for _ in 0..<30 { watches.append(try watch()) }
    }

    private func apply(_ changes: [Change]) throws {
        var set = ChangeSet()
        set.changes = changes
        try engine.apply(set, for: .console)
    }

    private func pick<T>(_ values: [T]) -> T? { values.randomElement(using: &random) }
    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func records(_ status: AssetRecord.Status = .listed) throws -> [AssetRecord] {
        try engine.storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(status, after: nil, limit: 10_000)
        }
    }

    // MARK: Changes

    /// Makes a random change and looks at every watch.
    func step() throws {
        let before = try Dictionary(
            uniqueKeysWithValues: visibilities.map { visibility in
                (visibility, Set(try whole(visibility).map(\.localIdentifier)))
            })
        let token = try #require(engine.context.shared.changeToken)
        for _ in 0..<number(1...3) { try change() }
        for (visibility, known) in before { try compareHistory(since: token, visibility, known) }
        for index in watches.indices { try compare(&watches[index]) }
    }

    private func change() throws {
        let listed = try records()
        let some = listed.shuffled(using: &random).prefix(number(1...3)).map(\.identifier.description)
        switch number(0...9) {
        case 0...2: try apply((0..<number(1...3)).map { _ in .create(newAsset()) })
        case 3: try apply(some.map { .edit(identifier: $0, AssetEdit(isFavorite: Bool.random(using: &random))) })
        case 4:
            try apply(
                some.map { .edit(identifier: $0, AssetEdit(captured: date(), burst: pick(bursts))) })
        case 5: try apply(some.map { .delete(identifier: $0) })
        case 6:
            let trashed = try records(.trashed).shuffled(using: &random).prefix(2).map(\.identifier.description)
            _ = try engine.restore(trashed, for: .console)
        case 7:
            guard let album = pick(albums)?.description else { return }
            let edit: AlbumEdit? =
                switch number(0...2) {
                case 0: .add(some)
                case 1: .remove(some)
                default: nil
                }
            let shown = try whole(.everything, in: collection(album)).count
            let move = shown > 1 ? AlbumEdit.move(at: [number(0...shown - 1)], to: number(0...shown - 1)) : .title("T")
            try apply([.editAlbum(identifier: album, [edit ?? move])])
        case 8: if number(0...4) == 0 { _ = try engine.emptyTrash(for: .console) }
        default: try select(listed.shuffled(using: &random).prefix(3).map { $0 })
        }
    }

    /// Changes a selection as its owner does: a member leaves, another asset joins.
    private func select(_ records: [AssetRecord]) throws {
        guard let selection = pick(selections) else { return }
        try engine.storage.commit { catalog throws(SQLiteError) in
            for record in records {
                position += 1
                let key: [SQLiteValue] = [.bytes(selection.bytes), .integer(record.number.position)]
                let isMember = try catalog.connection.integer(
                    "SELECT 1 FROM selection WHERE selection = ? AND number = ?", key)
                if isMember == nil {
                    try catalog.connection.run(
                        "INSERT INTO selection (selection, number, position) VALUES (?, ?, ?)",
                        key + [.integer(position)])
                } else {
                    try catalog.connection.run("DELETE FROM selection WHERE selection = ? AND number = ?", key)
                }
                try catalog.history.record(isMember == nil ? .joined : .left, [record.identifier], selection: selection)
            }
        }
    }

    private func date() -> WallTime {
        WallTime(unixNanoseconds: Int64(number(0...9)) * 1_000_000_000, offsetSeconds: 0, isTrusted: true)
    }

    private func newAsset() -> NewAsset {
        var asset = NewAsset()
        asset.captured = date()
        (asset.width, asset.height) = (number(1...4), number(1...4))
        asset.isFavorite = number(0...2) == 0
        asset.burst = number(0...2) == 0 ? pick(bursts) : nil
        asset.resources = [
            .init(type: .photo, content: .data(photo(asset.identifier.description, bytes: 90 + number(0...3))))
        ]
        if number(0...2) == 0 { asset.resources.append(.init(type: .alternatePhoto, content: .data(Data("RAW".utf8)))) }
        return asset
    }

    // MARK: Fetches

    private var visibilities: [Rights.Visibility] { [.everything] + selections.map { .selection($0) } }

    private func collection(_ album: String) -> AssetCollection {
        AssetCollection(localIdentifier: album, type: .album, subtype: .albumRegular, localizedTitle: "")
    }

    private func view(_ visibility: Rights.Visibility) throws -> CatalogView {
        try #require(try reader.view(Rights(mayAdd: false, visibility: visibility)))
    }

    private func whole(
        _ visibility: Rights.Visibility, in collection: AssetCollection? = nil
    ) throws -> FetchResult<Asset> {
        try view(visibility).fetch(FetchOptions(), in: collection)
    }

    private func watch() throws -> Watch {
        var options = FetchOptions()
        options.filter = number(0...3) == 0 ? nil : filter(depth: 2)
        options.order = order()
        options.fetchLimit = number(0...2) == 0 ? 0 : number(1...8)
        let visibility = visibilities[number(0...2)]
        var collection: AssetCollection?
        switch number(0...3) {
        case 0: collection = pick(albums).map { self.collection($0.description) }
        case 1: collection = pick(AssetCollection.smartAlbums)
        default: break
        }
        let result = try view(visibility).fetch(options, in: collection)
        return Watch(options: options, visibility: visibility, collection: collection, result: result)
    }

    private func order() -> FetchOptions.Order {
        let ascending = Bool.random(using: &random)
        return switch number(0...8) {
        case 0: .newestFirst
        case 1: .oldestFirst
        case 2: .album
        case 3: .by(AssetKey.creationDate, ascending: ascending)
        case 4: .by(AssetKey.modificationDate, ascending: ascending)
        case 5: .by(AssetKey.bytes, ascending: ascending)
        case 6: .by(AssetKey.isFavorite, ascending: ascending)
        case 7: .by(AssetKey.isRaw, ascending: ascending)
        default: .by(AssetKey.pixelWidth, ascending: ascending)
        }
    }

    private func filter(depth: Int) -> FetchOptions.Filter {
        let moment = Date(timeIntervalSince1970: Double(number(0...9)))
        let size = number(1...4)
        if depth > 0, number(0...2) == 0 {
            let some = (0..<number(0...3)).map { _ in filter(depth: depth - 1) }
            switch number(0...2) {
            case 0: return .not(filter(depth: depth - 1))
            case 1: return .any(some)
            default: return .all(some)
            }
        }
        switch number(0...15) {
        case 0: return .images
        case 1: return .favorites
        case 2: return .bursts
        case 3: return .burst(bursts[0].description)
        case 4: return .raw
        case 5: return .timelapse
        case 6: return .mediaType(number(0...1) == 0 ? .image : .video)
        case 7: return .created(in: moment..<moment.addingTimeInterval(3))
        case 8:
            let some = (try? records())?.shuffled(using: &random).prefix(3).map(\.identifier.description) ?? []
            return .identifiers(some + ["nonsense", newIdentifier()])
        case 9: return AssetKey.pixelWidth >= size
        case 10: return AssetKey.pixelHeight != size
        case 11: return AssetKey.pixelWidth < size
        case 12: return AssetKey.creationDate == moment
        case 13: return AssetKey.creationDate > moment
        case 14: return AssetKey.isFavorite != true
        default: return AssetKey.modificationDate <= moment
        }
    }

    // MARK: Comparing

    private func compare(_ watch: inout Watch) throws {
        let after = try view(watch.visibility).fetch(watch.options, in: watch.collection)
        let expected = try expected(watch)
        #expect(after.map(\.localIdentifier) == expected, "\(watch.options)")
        if let details = FetchResultChangeDetails(before: watch.result, after: after) {
            let rebuilt = applied(
                details.removedIndexes, details.insertedIndexes, details.changedIndexes,
                to: Array(details.fetchResultBeforeChanges), from: Array(details.fetchResultAfterChanges))
            #expect(rebuilt == Array(after))
        } else {
            #expect(Array(watch.result) == Array(after))
        }
        try comparePages(watch)
        watch.result = after
        compared += 1
    }

    /// Pages of three join to the whole.
    private func comparePages(_ watch: Watch) throws {
        var options = watch.options
        options.fetchLimit = 0
        let whole = try view(watch.visibility).fetch(options, in: watch.collection)
        options.fetchLimit = 3
        var paged: [Asset] = []
        repeat {
            let page = try view(watch.visibility).fetch(options, in: watch.collection)
            paged += page
            options.cursor = page.next
        } while options.cursor != nil && paged.count < 1000
        #expect(paged == Array(whole), "\(watch.options)")
    }

    /// What the fetch should give, worked out from all assets.
    private func expected(_ watch: Watch) throws -> [String] {
        var members: [DCFNumber: Int64] = [:]
        let listed = try records()
        let album = watch.collection?.album
        var found = listed
        if let album {
            for record in listed {
                members[record.number] = try engine.storage.read { catalog throws(SQLiteError) in
                    try catalog.albums.position(of: record.number, in: album)
                }
            }
            found = watch.visibility == .everything ? found.filter { members[$0.number] != nil } : []
        }
        if case .selection(let selection) = watch.visibility {
            let visible = Set(try chosen(selection))
            found = found.filter { visible.contains($0.number.position) }
        }
        found = found.filter { Self.matches($0, watch.collection?.filter) && Self.matches($0, watch.options.filter) }
        var order = watch.options.order
        if order.column == .position && album == nil { order = .newestFirst }
        func key(_ record: AssetRecord) -> (Int64, Int64) {
            (order.column.value(of: record) ?? members[record.number] ?? 0, record.number.position)
        }
        found.sort { order.isAscending ? key($0) < key($1) : key($0) > key($1) }
        let limit = watch.options.fetchLimit
        return (limit > 0 ? Array(found.prefix(limit)) : found).map(\.identifier.description)
    }

    private func chosen(_ selection: AssetIdentifier) throws -> [Int64] {
        try engine.storage.read { catalog throws(SQLiteError) in
            let rows = try catalog.connection.statement(
                "SELECT number FROM selection WHERE selection = ?", [.bytes(selection.bytes)])
            defer { rows.reset() }
            var found: [Int64] = []
            while try rows.step() { found.append(rows.integer(0)) }
            return found
        }
    }

    private static func matches(_ record: AssetRecord, _ filter: FetchOptions.Filter?) -> Bool {
        switch filter {
        case nil: return true
        case .images: return record.media == .image
        case .favorites: return record.isFavorite
        case .bursts: return record.burst != nil
        case .burst(let name): return record.burst?.description == name
        case .raw: return record.isRaw
        case .timelapse: return record.timelapse != nil
        case .mediaType(let type): return record.media == type
        case .since(let moment): return record.captured.unixNanoseconds >= moment.unixNanoseconds
        case .identifiers(let names): return names.contains(record.identifier.description)
        case .comparison(let comparison):
            let value = comparison.column.value(of: record) ?? 0
            switch comparison.relation {
            case .equal: return comparison.numbers.contains(value)
            case .less: return value < comparison.numbers.lowerBound
            case .lessOrEqual: return value <= comparison.numbers.upperBound
            case .greater: return value > comparison.numbers.upperBound
            case .greaterOrEqual: return value >= comparison.numbers.lowerBound
            }
        case .not(let other): return !matches(record, other)
        case .any(let filters): return filters.contains { matches(record, $0) }
        case .all(let filters): return filters.allSatisfy { matches(record, $0) }
        }
    }

    /// The history leads from what was visible to what is visible.
    private func compareHistory(
        since token: PersistentChangeToken, _ visibility: Rights.Visibility, _ before: Set<String>
    ) throws {
        let read = try view(visibility).changes(since: token)
        let history = try #require(read)
        var known = before
        for change in history.changes {
            let details = change.assets
            #expect(known.isDisjoint(with: details.insertedLocalIdentifiers))
            #expect(known.isSuperset(of: details.deletedLocalIdentifiers))
            #expect(known.isSuperset(of: details.updatedLocalIdentifiers))
            known.formUnion(details.insertedLocalIdentifiers)
            known.subtract(details.deletedLocalIdentifiers)
        }
        let now = try Set(whole(visibility).map(\.localIdentifier))
        #expect(known == now)
    }
}

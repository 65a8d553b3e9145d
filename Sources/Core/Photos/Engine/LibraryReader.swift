import Platform

/// Reads the catalog beside the library's thread, so that a listing does not wait for a photo's sync.
///
/// - Isolation: made and used on the reading thread only.
final class LibraryReader {
    private let layout: LibraryLayout
    private let files: any FileOperations
    let shared: SharedLibraryState
    private var catalog: Catalog?
    private var generation = 0

    init(layout: LibraryLayout, files: any FileOperations, shared: SharedLibraryState) {
        self.layout = layout
        self.files = files
        self.shared = shared
    }

    /// The asset with an identifier or a number, in listings or, for who sees everything, in Recently Deleted.
    func asset(_ name: String, _ visibility: Rights.Visibility) throws(SQLiteError) -> Asset?? {
        guard let catalog = try current() else { return nil }
        let durations = shared.durations
        guard let record = try catalog.find(name, visibility),
            record.status == .listed || (record.status == .trashed && visibility == .everything)
        else { return .some(nil) }
        return .some(try snapshots(of: [record], catalog, visibility, durations).first)
    }

    /// Recently Deleted, in order of numbers.
    func trash() throws(SQLiteError) -> [Asset]? {
        guard let catalog = try current() else { return nil }
        let durations = shared.durations
        return try catalog.assets(.trashed, after: nil, limit: Int(Int32.max))
            .map { Asset($0, durable: durations[$0.number], layout: layout) }
    }

    /// Size of the library, as far as a client sees it.
    func statistics(_ visibility: Rights.Visibility) throws(SQLiteError) -> LibraryStatistics? {
        guard let catalog = try current() else { return nil }
        let listed = try catalog.total(visibility)
        let trashed = visibility == .everything ? try catalog.total(.trashed) : (assets: 0, bytes: 0)
        return LibraryStatistics(
            assets: listed.assets, bytes: listed.bytes, trash: trashed.assets, trashBytes: trashed.bytes,
            freeBytes: shared.freeBytes)
    }

    /// Assets as a client sees them, with the numbers it knows them by.
    func snapshots(
        of records: [AssetRecord], _ catalog: Catalog, _ visibility: Rights.Visibility,
        _ durations: [DCFNumber: Int64]
    ) throws(SQLiteError) -> [Asset] {
        var assets: [Asset] = []
        for record in records {
            // Nil when it has left the selection since the page was read.
            guard let shown = try catalog.shownNumber(record.number, visibility) else { continue }
            assets.append(Asset(record, durable: durations[record.number], layout: layout, shownAs: shown))
        }
        return assets
    }

    /// Lets go of the catalog.
    func close() {
        catalog = nil
        generation = 0
    }

    /// The catalog as it is now; nil while the library is offline.
    func current() throws(SQLiteError) -> Catalog? {
        let now = shared.generation
        if now != generation || catalog == nil {
            close()
            guard now != 0 else { return nil }
            catalog = try Catalog(reading: layout.catalog, files: files)
            generation = now
        }
        return catalog
    }
}

/// The catalog as one client sees it, for the length of one request.
///
/// - Isolation: the reading thread.
struct CatalogView {
    let catalog: Catalog
    let rights: Rights
    let layout: LibraryLayout
    /// Times to durable that are not in the catalog yet, read before it: what is committed in between is in one of them.
    let durations: [DCFNumber: Int64]
    private var visibility: Rights.Visibility { rights.visibility }

    init(_ catalog: Catalog, _ rights: Rights, layout: LibraryLayout, durations: [DCFNumber: Int64]) {
        self.catalog = catalog
        self.rights = rights
        self.layout = layout
        self.durations = durations
    }

    /// The asset with an identifier or a number, in listings or, for clients with full access, in Recently Deleted.
    func asset(_ name: String) throws(SQLiteError) -> Asset? {
        guard let record = try catalog.find(name, visibility),
            record.status == .listed || (record.status == .trashed && visibility == .everything)
        else { return nil }
        return try assets(of: [record]).first
    }

    /// Recently Deleted, in order of numbers.
    func trash() throws(SQLiteError) -> [Asset] {
        try catalog.assets.all(.trashed, after: nil, limit: Int(Int32.max))
            .map { Asset($0, durable: durations[$0.number], layout: layout) }
    }

    /// The size of the part of the library that the client sees.
    func statistics(freeBytes: Int64) throws(SQLiteError) -> LibraryStatistics {
        let listed = try catalog.total(visibility)
        let trashed = visibility == .everything ? try catalog.assets.total(.trashed) : (assets: 0, bytes: 0)
        return LibraryStatistics(
            assets: listed.assets, bytes: listed.bytes, trash: trashed.assets, trashBytes: trashed.bytes,
            freeBytes: freeBytes)
    }

    /// One page of assets, of one collection when it is given.
    func fetch(
        _ options: FetchOptions, in collection: AssetCollection? = nil
    ) throws(SQLiteError) -> FetchResult<Asset> {
        let source = FetchSource.assets(options, in: collection)
        guard let scope = Scope(collection, options.filter, visibility) else { return FetchResult([], source: source) }
        var scoped = options
        scoped.filter = scope.filter
        let (page, next) = try catalog.fetch(scoped, visibility, in: scope.album)
        return FetchResult(try assets(of: page), next: next, source: source)
    }

    /// The number of assets that a fetch without limit and cursor gives.
    func count(_ filter: FetchOptions.Filter?, in collection: AssetCollection?) throws(SQLiteError) -> Int {
        guard let scope = Scope(collection, filter, visibility) else { return 0 }
        return try catalog.count(scope.filter, visibility, in: scope.album)
    }

    /// Collections, smart albums first.
    func fetch(_ query: CollectionQuery) throws(SQLiteError) -> FetchResult<AssetCollection> {
        FetchResult(try catalog.collections(query, visibility), source: .collections(query))
    }

    /// What has happened since a token, and where that ends; nil when the token has expired.
    func changes(
        since token: PersistentChangeToken
    ) throws(SQLiteError) -> (changes: [PersistentChange], end: PersistentChangeToken)? {
        try catalog.history.changes(since: token, visibility)
    }

    /// Assets with the numbers that the client knows them by.
    private func assets(of records: [AssetRecord]) throws(SQLiteError) -> [Asset] {
        var assets: [Asset] = []
        for record in records {
            // Nil when it has left the selection since the page was read.
            guard let shown = try catalog.selections.shownNumber(record.number, visibility) else { continue }
            assets.append(Asset(record, durable: durations[record.number], layout: layout, shownAs: shown))
        }
        return assets
    }
}

/// Where a fetch looks, and with which filter.
private struct Scope {
    let album: AssetIdentifier?
    let filter: FetchOptions.Filter?

    /// Nil when there is nothing to find: only clients with full access see albums.
    init?(_ collection: AssetCollection?, _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility) {
        let filters = [collection?.filter, filter].compactMap { $0 }
        self.filter = filters.count > 1 ? .all(filters) : filters.first
        album = collection?.album
        if collection?.assetCollectionType == .album, album == nil || visibility != .everything { return nil }
    }
}

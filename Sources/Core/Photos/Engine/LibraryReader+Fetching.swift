/// Fetches, collections and history, each on behalf of a client's visibility. Nil while the library is offline.
extension LibraryReader {
    /// One page of assets, of one collection when it is given.
    func fetch(
        _ options: FetchOptions, _ visibility: Rights.Visibility, in collection: AssetCollection? = nil
    ) throws(SQLiteError) -> FetchResult<Asset>? {
        guard let catalog = try current() else { return nil }
        let source = FetchSource.assets(options, in: collection)
        guard let scope = Scope(collection, options.filter, visibility) else { return FetchResult([], source: source) }
        // Before the page is read: what is committed in between is in one of the two.
        let durations = shared.durations
        var asked = options
        asked.filter = scope.filter
        let (page, next) = try catalog.fetch(asked, visibility, in: scope.album)
        let assets = try snapshots(of: page, catalog, visibility, durations)
        return FetchResult(assets, next: next, source: source)
    }

    /// How many assets a fetch without limit and cursor gives.
    func count(
        _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility, in collection: AssetCollection?
    ) throws(SQLiteError) -> Int? {
        guard let catalog = try current() else { return nil }
        guard let scope = Scope(collection, filter, visibility) else { return 0 }
        return try catalog.count(scope.filter, visibility, in: scope.album)
    }

    /// Collections.
    func fetch(
        _ query: CollectionQuery, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> FetchResult<AssetCollection>? {
        guard let catalog = try current() else { return nil }
        return FetchResult(try catalog.collections(query, visibility), source: .collections(query))
    }

    /// What has happened since a token, and where that ends; the inner nil is an expired token.
    func changes(
        since token: PersistentChangeToken, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> (changes: [PersistentChange], end: PersistentChangeToken)?? {
        guard let catalog = try current() else { return nil }
        return .some(try catalog.changes(since: token, visibility))
    }
}

/// Where a fetch looks, and with which filter.
private struct Scope {
    let album: AssetIdentifier?
    let filter: FetchOptions.Filter?

    /// Nil when there is nothing to find: an album is there only for clients that see everything.
    init?(_ collection: AssetCollection?, _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility) {
        let filters = [collection?.filter, filter].compactMap { $0 }
        self.filter = filters.count > 1 ? .all(filters) : filters.first
        album = collection?.album
        if collection?.assetCollectionType == .album, album == nil || visibility != .everything { return nil }
    }
}

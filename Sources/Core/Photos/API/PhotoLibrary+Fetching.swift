extension PhotoLibrary {
    // MARK: Assets

    /// One page of assets.
    public func fetchAssets(
        with options: FetchOptions = FetchOptions()
    ) async throws(PhotosError) -> FetchResult<Asset> {
        try await fetch(options, in: nil)
    }

    /// Those assets of the identifiers that there are, in the order of the options.
    public func fetchAssets(
        withLocalIdentifiers identifiers: [String], options: FetchOptions = FetchOptions()
    ) async throws(PhotosError) -> FetchResult<Asset> {
        var options = options
        options.filter = .all([.identifiers(identifiers), options.filter].compactMap { $0 })
        return try await fetch(options, in: nil)
    }

    /// One page of a collection's assets. Without options, all of them: an album's in its own order, a smart album's with
    /// the newest first.
    public func fetchAssets(
        in collection: AssetCollection, options: FetchOptions? = nil
    ) async throws(PhotosError) -> FetchResult<Asset> {
        var whole = FetchOptions()
        whole.order = .album
        return try await fetch(options ?? whole, in: collection)
    }

    /// How many assets a filter gives, of one collection when it is given; nothing is loaded for it.
    public func countOfAssets(
        with filter: FetchOptions.Filter? = nil, in collection: AssetCollection? = nil
    ) async throws(PhotosError) -> Int {
        var options = FetchOptions()
        options.filter = filter
        try options.check()
        return try await store.read(for: client) { view throws(SQLiteError) in try view.count(filter, in: collection) }
    }

    /// One page of assets, of one collection when it is given, with these options exactly.
    func fetch(
        _ options: FetchOptions, in collection: AssetCollection?
    ) async throws(PhotosError) -> FetchResult<Asset> {
        try options.check()
        return try await store.read(for: client) { view throws(SQLiteError) in
            try view.fetch(options, in: collection)
        }
    }

    /// One page of assets if this client has certain rights; nil when it has others by now.
    ///
    /// Several pages read with the same rights make one consistent list.
    package func fetchAssets(
        with options: FetchOptions, having rights: Rights
    ) async throws(PhotosError) -> FetchResult<Asset>? {
        try options.check()
        guard rights.mayRead else { return nil }
        do throws(PhotosError) {
            return try await store.read(for: client) { view throws(SQLiteError) -> FetchResult<Asset>? in
                guard view.rights == rights else { return nil }
                return try view.fetch(options)
            }
        } catch {
            // The client may see nothing any more.
            if error.code == .accessUserDenied { return nil }
            throw error
        }
    }

    // MARK: Collections

    /// Collections of one type, all or those of one subtype. Albums that people made are only for clients that see the
    /// whole library.
    public func fetchAssetCollections(
        with type: AssetCollection.CollectionType, subtype: AssetCollection.Subtype? = nil
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await fetch(CollectionQuery(type: type, subtype: subtype))
    }

    /// Those collections of the identifiers that there are.
    public func fetchAssetCollections(
        withLocalIdentifiers identifiers: [String]
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await fetch(CollectionQuery(identifiers: Set(identifiers)))
    }

    /// Collections of one type that show an asset.
    public func fetchAssetCollectionsContaining(
        _ asset: Asset, with type: AssetCollection.CollectionType
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        guard let asset = AssetIdentifier(asset.localIdentifier) else { throw .noSuchPhoto(asset.localIdentifier) }
        return try await fetch(CollectionQuery(type: type, containing: asset))
    }

    func fetch(_ query: CollectionQuery) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await store.read(for: client) { view throws(SQLiteError) in try view.fetch(query) }
    }

    // MARK: History

    /// Where the history stands. Take it before fetching, and nothing is missed. Never blocks.
    public var currentChangeToken: PersistentChangeToken {
        get throws(PhotosError) {
            guard let token = store.shared.changeToken else {
                throw PhotosError(.libraryVolumeOffline, "The card was removed; insert it again.")
            }
            return token
        }
    }

    /// What this client saw happen since a token: the blocks of changes, the earliest first.
    ///
    /// - Throws: `persistentChangeTokenExpired` when the history does not reach back that far or the card is another:
    ///   fetch everything again.
    public func fetchPersistentChanges(
        since token: PersistentChangeToken
    ) async throws(PhotosError) -> [PersistentChange] {
        let found = try await store.read(for: client) { view throws(SQLiteError) in try view.changes(since: token) }
        guard let found else { throw .tokenExpired }
        return found.changes
    }

    // MARK: Observers

    /// Calls an observer for every later block of changes of which this client can see something.
    ///
    /// - Ownership: the observer is held weakly.
    public func register(_ observer: any PhotoLibraryChangeObserver) {
        store.register(observer, of: self)
    }

    /// Ends the calls to an observer. One that is under way may still be running when this returns.
    public func unregisterChangeObserver(_ observer: any PhotoLibraryChangeObserver) {
        store.unregister(observer, for: client)
    }
}

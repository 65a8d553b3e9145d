extension PhotoLibrary {
    // MARK: Assets

    /// One page of assets.
    public func fetchAssets(
        with options: FetchOptions = FetchOptions()
    ) async throws(PhotosError) -> FetchResult<Asset> {
        try await store.fetch(options, for: client)
    }

    /// Those assets of the identifiers that there are, in the order of the options.
    public func fetchAssets(
        withLocalIdentifiers identifiers: [String], options: FetchOptions = FetchOptions()
    ) async throws(PhotosError) -> FetchResult<Asset> {
        var options = options
        options.filter = .all([.identifiers(identifiers), options.filter].compactMap { $0 })
        return try await store.fetch(options, for: client)
    }

    /// One page of a collection's assets. Without options, all of them: an album's in its own order, a smart album's with
    /// the newest first.
    public func fetchAssets(
        in collection: AssetCollection, options: FetchOptions? = nil
    ) async throws(PhotosError) -> FetchResult<Asset> {
        var whole = FetchOptions()
        whole.order = .album
        return try await store.fetch(options ?? whole, in: collection, for: client)
    }

    /// How many assets a filter gives, of one collection when it is given; nothing is loaded for it.
    public func countOfAssets(
        with filter: FetchOptions.Filter? = nil, in collection: AssetCollection? = nil
    ) async throws(PhotosError) -> Int {
        try await store.count(filter, in: collection, for: client)
    }

    // MARK: Collections

    /// Collections of one type, all or those of one subtype. Albums that people made are only for clients that see the
    /// whole library.
    public func fetchAssetCollections(
        with type: AssetCollection.CollectionType, subtype: AssetCollection.Subtype? = nil
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await store.fetch(CollectionQuery(type: type, subtype: subtype), for: client)
    }

    /// Those collections of the identifiers that there are.
    public func fetchAssetCollections(
        withLocalIdentifiers identifiers: [String]
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await store.fetch(CollectionQuery(identifiers: Set(identifiers)), for: client)
    }

    /// Collections of one type that show an asset.
    public func fetchAssetCollectionsContaining(
        _ asset: Asset, with type: AssetCollection.CollectionType
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        guard let asset = AssetIdentifier(asset.localIdentifier) else { throw .noSuchPhoto(asset.localIdentifier) }
        return try await store.fetch(CollectionQuery(type: type, containing: asset), for: client)
    }

    // MARK: History

    /// Where the history stands. Take it before fetching, and nothing is missed. Never blocks.
    public var currentChangeToken: PersistentChangeToken {
        get throws(PhotosError) {
            guard let token = store.shared.changeToken else {
                throw PhotosError(.libraryVolumeOffline, "The storage is gone; put the card back.")
            }
            return token
        }
    }

    /// What this client saw happen since a token: the blocks of changes, the earliest first.
    ///
    /// - Throws: `persistentChangeTokenExpired` when the history does not reach back that far or the card is another:
    ///   everything is to be fetched anew.
    public func fetchPersistentChanges(
        since token: PersistentChangeToken
    ) async throws(PhotosError) -> [PersistentChange] {
        try await store.changes(since: token, for: client)
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

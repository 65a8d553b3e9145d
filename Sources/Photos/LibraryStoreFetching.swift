extension LibraryStore {
    /// One page of assets, of one collection when it is given.
    package func fetch(
        _ options: FetchOptions, in collection: AssetCollection? = nil, for client: Client
    ) async throws(PhotosError) -> FetchResult<Asset> {
        try options.check()
        return try await onReader(client) { reader, rights throws(SQLiteError) in
            try reader.fetch(options, rights.visibility, in: collection)
        }
    }

    /// How many assets a filter gives.
    package func count(
        _ filter: FetchOptions.Filter?, in collection: AssetCollection? = nil, for client: Client
    ) async throws(PhotosError) -> Int {
        var options = FetchOptions()
        options.filter = filter
        try options.check()
        return try await onReader(client) { reader, rights throws(SQLiteError) in
            try reader.count(filter, rights.visibility, in: collection)
        }
    }

    /// Collections, smart albums first.
    func fetch(
        _ query: CollectionQuery, for client: Client
    ) async throws(PhotosError) -> FetchResult<AssetCollection> {
        try await onReader(client) { reader, rights throws(SQLiteError) in try reader.fetch(query, rights.visibility) }
    }

    /// What a client saw happen since a token.
    func changes(
        since token: PersistentChangeToken, for client: Client
    ) async throws(PhotosError) -> [PersistentChange] {
        let found = try await onReader(client) { reader, rights throws(SQLiteError) in
            try reader.changes(since: token, rights.visibility)
        }
        guard let found else { throw .tokenExpired }
        return found.changes
    }
}

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

    /// One page of assets for a client that has certain rights; nil when it has others by now.
    ///
    /// What is put together of several pages is all of one kind that way.
    package func fetch(
        _ options: FetchOptions, for client: Client, having rights: Rights
    ) async throws(PhotosError) -> FetchResult<Asset>? {
        try options.check()
        guard rights.mayRead else { return nil }
        do throws(PhotosError) {
            return try await onReader(client) { reader, current throws(SQLiteError) -> FetchResult<Asset>?? in
                guard current == rights else { return .some(nil) }
                guard let page = try reader.fetch(options, current.visibility) else { return nil }
                return page
            }
        } catch {
            // There is nothing left that it may see.
            if error.code == .accessUserDenied { return nil }
            throw error
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

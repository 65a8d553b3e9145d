/// Receives the changes of a library.
public protocol PhotoLibraryChangeObserver: AnyObject, Sendable {
    /// One block of changes is durable, or what the client may see has changed.
    ///
    /// - Isolation: a thread of the library that calls observers one after the other, in the order of the blocks.
    /// - Blocking: may block; later calls wait meanwhile, photos do not.
    func photoLibraryDidChange(_ changeInstance: PhotoLibraryChange)
}

/// One change of the library, as one client sees it.
public struct PhotoLibraryChange: Sendable {
    /// What happened; nil when that is not known and everything must be fetched again.
    public let persistentChange: PersistentChange?

    let library: PhotoLibrary

    /// How what was fetched has changed since; nil when it has not.
    ///
    /// The result after is what is there now, which may have more changes than this one: they are then reported again with
    /// their own call, and make no difference any more.
    public func changeDetails(
        for fetchResult: FetchResult<Asset>
    ) async throws(PhotosError) -> FetchResultChangeDetails<Asset>? {
        guard case .assets(let options, let collection) = fetchResult.source else { return nil }
        let after = try await library.fetch(options, in: collection)
        return FetchResultChangeDetails(before: fetchResult, after: after)
    }

    /// How the collections that were fetched have changed since; nil when they have not.
    public func changeDetails(
        for fetchResult: FetchResult<AssetCollection>
    ) async throws(PhotosError) -> FetchResultChangeDetails<AssetCollection>? {
        guard case .collections(let query) = fetchResult.source else { return nil }
        let after = try await library.fetch(query)
        return FetchResultChangeDetails(before: fetchResult, after: after)
    }
}

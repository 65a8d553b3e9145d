import FoundationEssentials
import Photos
import Platform

/// The library as the picker sees it: in the camera's name, not in that of the picker's client.
package protocol PickerLibrary: Sendable {
    /// One page of photos.
    func fetch(_ options: FetchOptions) async throws(PhotosError) -> FetchResult<Asset>
    /// The photo with an identifier; nil when there is none, or only in Recently Deleted.
    func asset(_ identifier: String) async throws(PhotosError) -> Asset?
    /// The bytes of a file of the library.
    ///
    /// - Blocking: for the whole reading; called on the picker's thread.
    func read(_ resource: AssetResource) throws(SystemError) -> Data
}

/// The camera's own library.
package struct StoredPickerLibrary: PickerLibrary {
    private let store: LibraryStore
    private let files: any FileOperations

    /// What is in a store.
    package init(store: LibraryStore, files: any FileOperations = PosixFileOperations()) {
        self.store = store
        self.files = files
    }

    package func fetch(_ options: FetchOptions) async throws(PhotosError) -> FetchResult<Asset> {
        try await PhotoLibrary(store: store, client: .console).fetchAssets(with: options)
    }

    package func asset(_ identifier: String) async throws(PhotosError) -> Asset? {
        // The store also knows photos by their numbers; those are no identifiers.
        guard let asset = try await store.asset(identifier, for: .console), asset.trashed == nil,
            asset.localIdentifier == identifier
        else { return nil }
        return asset
    }

    package func read(_ resource: AssetResource) throws(SystemError) -> Data {
        Data(try files.read(store.layout.photos + "/" + resource.name, limit: 1 << 30))
    }
}

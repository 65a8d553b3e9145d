import Platform

/// The photo library as one client sees it.
public final class PhotoLibrary: Sendable {
    /// Nil for the library that `configure` opens, whichever that is at the time.
    private let bound: Binding?

    /// A store and who uses it.
    struct Binding: Sendable {
        let store: LibraryStore
        let client: Client
    }

    /// What this is a view of.
    package var store: LibraryStore { (bound ?? Self.configuredBinding).store }
    var client: Client { (bound ?? Self.configuredBinding).client }
    /// The file system the library lies on.
    var files: any FileOperations { store.files }

    /// A client's view of a store.
    package init(store: LibraryStore, client: Client) {
        bound = Binding(store: store, client: client)
    }

    /// The view that follows `configure`.
    init() {
        bound = nil
    }

    /// Runs a block that makes change requests, then makes the changes: all of them or none.
    ///
    /// The block runs at once, on the caller. When the call returns, the changes are durable.
    public func performChanges(
        isolation: isolated (any Actor)? = #isolation, _ changeBlock: () -> Void
    ) async throws(PhotosError) {
        let changes = ChangeCollector.collect(changeBlock)
        let result = await withCheckedContinuation { continuation in
            store.apply(changes, for: client) { continuation.resume(returning: $0) }
        }
        _ = try result.get()
    }

    /// Runs a block that makes change requests, then makes the changes: all of them or none.
    ///
    /// The block runs at once, on the calling thread. Success means that the changes are durable. Blocks of several
    /// callers are carried out in the order of their calls.
    /// - Isolation: the handler runs on the library's thread and must return soon.
    public func performChanges(
        _ changeBlock: () -> Void, completionHandler: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        store.apply(ChangeCollector.collect(changeBlock), for: client) { result in
            switch result {
            case .success: completionHandler?(true, nil)
            case .failure(let error): completionHandler?(false, error)
            }
        }
    }

    /// The asset with an identifier or a number; nil when there is none.
    package func asset(_ name: String) async throws(PhotosError) -> Asset? {
        try await store.asset(name, for: client)
    }
}

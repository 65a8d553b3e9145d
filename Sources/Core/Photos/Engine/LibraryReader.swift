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

    /// The catalog as a client with these rights sees it now; nil while the library is offline.
    func view(_ rights: Rights) throws(SQLiteError) -> CatalogView? {
        guard let catalog = try current() else { return nil }
        return CatalogView(catalog, rights, layout: layout, durations: shared.durations)
    }

    /// Lets go of the catalog.
    func close() {
        catalog = nil
        generation = 0
    }

    private func current() throws(SQLiteError) -> Catalog? {
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

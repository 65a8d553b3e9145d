import Platform

/// The file in the state folder that keeps grants over a restart.
///
/// - Isolation: the library's thread.
/// - Blocking: every call.
struct GrantFile {
    private let context: LibraryContext

    init(_ context: LibraryContext) {
        self.context = context
    }

    /// Reads the grants; nil when there are none. A file that cannot be read or understood is set aside and reported, and
    /// grants nothing.
    func load() -> RememberedGrants? {
        let (files, layout) = (context.files, context.layout)
        do throws(SystemError) {
            guard try files.metadata(layout.grants) != nil else { return nil }
            if let grants = RememberedGrants(try files.read(layout.grants, limit: RememberedGrants.byteLimit)) {
                return grants
            }
            context.report(.grantsLost(reason: "the file is damaged"))
        } catch {
            context.report(.grantsLost(reason: "\(error)"))
        }
        // Where even that fails, the next grant replaces it.
        try? files.renameReplacing(layout.grants, to: layout.damagedGrants)
        try? files.syncDirectory(layout.state)
        return nil
    }

    /// Writes the grants durably.
    func store(_ grants: RememberedGrants) throws(PhotosError) {
        let (files, layout) = (context.files, context.layout)
        do throws(SystemError) {
            let new = layout.grants + ".new"
            if try files.metadata(new) != nil { try files.remove(new) }
            try files.writeNew(new, grants.bytes)
            try files.renameReplacing(new, to: layout.grants)
            try files.syncDirectory(layout.state)
        } catch {
            // The state folder failed, which says nothing of the card.
            throw PhotosError(error)
        }
    }
}

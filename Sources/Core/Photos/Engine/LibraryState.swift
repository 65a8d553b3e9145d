import Platform

/// What the storage can do now.
package enum LibraryState: String, Hashable, Sendable, CaseIterable {
    /// Photos can be saved.
    case ready
    /// Photos can be saved, but not many more.
    case nearlyFull = "nearly_full"
    /// The next photo may not fit.
    case full
    /// The storage cannot be written.
    case readOnly = "read_only"
    /// The storage or its catalog cannot be reached.
    case offline
    /// Every number up to 999-9999 is taken.
    case numberingExhausted = "numbering_exhausted"

    /// Why a photo cannot be saved; nil when it can.
    package var refusal: PhotosError? {
        switch self {
        case .ready, .nearlyFull: nil
        case .full: .full
        case .readOnly: .readOnly
        case .offline: PhotosError(.libraryVolumeOffline, "The card was removed; insert it again.")
        case .numberingExhausted: .exhausted
        }
    }
}

/// Size of the library and room on its storage.
package struct LibraryStatistics: Hashable, Sendable {
    /// The number of listed assets, without deleted ones.
    package var assets: Int
    /// Bytes of their files.
    package var bytes: Int64
    /// Assets in Recently Deleted.
    package var trash: Int
    /// Bytes of their files.
    package var trashBytes: Int64
    /// Bytes for photos, the reserve already taken off.
    package var freeBytes: Int64
}

/// What happened in the library.
package enum LibraryEvent: Sendable {
    /// An asset was created and is durable.
    case added(Asset)
    /// An asset was changed.
    case changed(Asset)
    /// Assets went to Recently Deleted.
    case removed(identifiers: [String])
    /// An asset came back from Recently Deleted.
    case restored(Asset)
    /// Assets are gone for good.
    case purged(identifiers: [String])
    /// A file that was found became an asset, or an asset that was missing came back.
    case adopted(Asset)
    /// A file that is not whole was set aside.
    case quarantined(name: String, reason: String)
    /// An asset's files are not where they should be; it is not listed any more.
    case missing(identifier: String, name: String)
    /// The storage can do something else than before.
    case stateChanged(LibraryState)
    /// An empty card was made into a library.
    case initialized(library: String)
    /// The catalog was lost or damaged and is being rebuilt from the files and the copy made at a time; nil when there
    /// is no copy. What only the catalog knew and the copy does not have is lost: favorites, albums, selections,
    /// changed dates, and the identifiers of imported files.
    case rebuilding(reason: String, copied: WallTime?)
    /// What a client may do has changed.
    case accessChanged(Client)
    /// What a limited client sees has changed.
    case selectionChanged(Client)
    /// The stored permissions of clients cannot be read; no client has access.
    case grantsLost(reason: String)
    /// A client was allowed something that could not be written down, and so does not have it.
    case grantNotStored(Client, reason: String)
}

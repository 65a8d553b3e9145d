import Photos

/// Why a client does not get what it asks of a store; each door maps it to the codes of its protocol.
package enum OffloadError: Error, Hashable, CaseIterable, Sendable {
    /// The owner has not allowed it.
    case accessDenied
    /// No object has that handle, or the client can no longer see it.
    case notFound
    /// The object is a folder, which follows from its files and cannot be changed itself.
    case isFolder
    /// The file has no thumbnail.
    case noThumbnail
    /// The file is not of a kind that the library keeps.
    case unsupportedFormat
    /// The file is larger than any photo.
    case tooLarge
    /// The file has more bytes than announced, or cannot be read as a photo.
    case invalidFile
    /// The file has fewer bytes than announced, or its upload was canceled.
    case incomplete
    /// No space is left for it, or no number.
    case storeFull
    /// The card can only be read.
    case readOnly
    /// The card is missing.
    case unavailable
    /// The camera or the library is busy; the same request may succeed in a moment.
    case busy
    /// This door does not offer it.
    case unsupported
    /// Anything else, which the log explains.
    case failed

    /// The reason for which the library refuses a change.
    init(_ error: PhotosError) {
        self =
            switch error.code {
            case .libraryVolumeOffline, .operationInterrupted: .unavailable
            case .identifierNotFound, .missingResource: .notFound
            case .accessUserDenied, .accessRestricted, .userCancelled: .accessDenied
            case .notEnoughSpace, .numberingExhausted: .storeFull
            case .storageReadOnly: .readOnly
            case .invalidResource: .invalidFile
            case .internalError, .persistentChangeTokenExpired, .changeNotSupported, .invalidFilter, .storageFailed:
                .failed
            }
    }
}

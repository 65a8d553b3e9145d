import Glibc
import Platform

/// Why a request to the photo library did not succeed.
public struct PhotosError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The closed set of reasons.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Something inside failed that should not have.
        case internalError = "internal"
        /// The library cannot be reached: its storage is gone or its catalog cannot be opened.
        case libraryVolumeOffline = "storage-offline"
        /// The history no longer reaches back to the token, or the token belongs to another catalog: read everything again.
        case persistentChangeTokenExpired = "token-expired"
        /// No asset has this identifier or number.
        case identifierNotFound = "no-such-photo"
        /// The request makes no sense where it was made: outside a change block, nested, or twice.
        case changeNotSupported = "change-not-supported"
        /// A filter that cannot be understood.
        case invalidFilter = "invalid-filter"
        /// The library was closed before the change was made.
        case operationInterrupted = "interrupted"
        /// A resource is empty, unnamed or of a kind that cannot be stored.
        case invalidResource = "invalid-resource"
        /// The asset lacks its photo.
        case missingResource = "missing-resource"
        /// The storage is full.
        case notEnoughSpace = "storage-full"
        /// The storage is mounted or switched read-only.
        case storageReadOnly = "storage-read-only"
        /// A read or write failed.
        case storageFailed = "storage-failed"
        /// Every number up to 999-9999 is taken.
        case numberingExhausted = "numbering-exhausted"
        /// The person who was asked to confirm it did not.
        case userCancelled = "user-cancelled"
        /// The configuration does not allow it, and a prompt cannot change that.
        case accessRestricted = "access-restricted"
        /// This client may not do it.
        case accessUserDenied = "access-denied"
    }

    /// The kind of error, for programs.
    public let code: Code
    /// One sentence for a person that says what to do.
    public let message: String

    /// An error with its reason and sentence.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Apple's number (PHPhotosError) where Apple has one.
    public var appleNumber: Int? {
        switch code {
        case .internalError: -1
        case .persistentChangeTokenExpired: 3105
        case .userCancelled: 3072
        case .libraryVolumeOffline: 3114
        case .identifierNotFound: 3201
        case .changeNotSupported: 3300
        case .operationInterrupted: 3301
        case .invalidResource: 3302
        case .missingResource: 3303
        case .notEnoughSpace: 3305
        case .accessRestricted: 3310
        case .accessUserDenied: 3311
        case .invalidFilter, .storageReadOnly, .storageFailed, .numberingExhausted: nil
        }
    }

    /// True when the same request may succeed later without a person's help.
    public var canRetry: Bool {
        switch code {
        case .libraryVolumeOffline, .operationInterrupted, .storageFailed: true
        default: false
        }
    }

    /// The message for people.
    public var description: String { message }

    /// The error that a failed system call means to a client.
    package init(_ error: SystemError) {
        switch error.condition {
        case .full: self = .full
        case .readOnly: self = .readOnly
        case .offline: self.init(.libraryVolumeOffline, "The card was removed (\(error)); insert it again.")
        case .other: self.init(.storageFailed, "The storage failed (\(error)); try again, then check the card.")
        }
    }

    /// The storage is full.
    package static let full = PhotosError(.notEnoughSpace, "The storage is full; delete photos or use another card.")
    /// The storage is read-only.
    package static let readOnly = PhotosError(
        .storageReadOnly, "The storage is read-only; check the card's switch or mount it writable.")
    /// Numbers have run out.
    package static let exhausted = PhotosError(
        .numberingExhausted, "All numbers up to 999-9999 are used; use an empty card and a new state folder.")
    /// A deletion was not confirmed.
    package static let cancelled = PhotosError(
        .userCancelled, "The deletion was not confirmed; try again and hold the button.")
    /// The library was closed.
    package static let closed = PhotosError(.operationInterrupted, "The photo library is closed.")
    /// An identifier leads nowhere.
    package static func noSuchPhoto(_ name: String) -> PhotosError {
        PhotosError(.identifierNotFound, "There is no photo \(name); `list` shows the photos.")
    }
    /// The history does not reach back to a token.
    package static let tokenExpired = PhotosError(
        .persistentChangeTokenExpired, "The history no longer reaches back that far; read the whole library again.")
    /// An identifier leads to no album.
    package static func noSuchAlbum(_ name: String) -> PhotosError {
        PhotosError(.identifierNotFound, "There is no album \(name).")
    }
    /// A client does what its level does not give.
    package static func denied(_ client: String, _ what: String) -> PhotosError {
        PhotosError(.accessUserDenied, "The client \(client) is not allowed to \(what).")
    }
}

extension SystemError {
    /// What a failure says about the storage as a whole.
    package enum StorageCondition: Sendable { case full, readOnly, offline, other }

    /// What this failure says about the storage as a whole.
    package var condition: StorageCondition {
        switch code {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        case ENOENT, ENOTDIR, ENODEV, ENXIO, EIO, ESTALE: .offline
        default: .other
        }
    }
}

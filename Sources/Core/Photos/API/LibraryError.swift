import Platform

/// Why a library could not be opened. Nothing has been changed when one of these is thrown.
package enum LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The folder that should hold the state folder is not there.
    case missingParent(String)
    /// There is no library to look at.
    case missing(String)
    /// Something that is not a folder is in the way.
    case notADirectory(String)
    /// A folder may not be written.
    case readOnly(String)
    /// Another process writes to this library.
    case locked(String)
    /// A later version of this program made the catalog.
    case newerCatalog(path: String, version: Int)
    /// The catalog is another program's database.
    case foreignCatalog(String)
    /// A system call failed.
    case system(SystemError)
    /// The database library failed, with its own words.
    case catalog(String)

    /// A stable slug that identifies the error.
    package var code: String {
        switch self {
        case .missingParent, .missing, .notADirectory: "no-state"
        case .readOnly: "storage-read-only"
        case .locked: "in-use"
        case .newerCatalog: "newer-catalogue"
        case .foreignCatalog: "foreign-catalogue"
        case .system(let error): PhotosError(error).code.rawValue
        case .catalog: "catalogue-failed"
        }
    }

    /// One sentence for a person that says what to do.
    package var description: String {
        switch self {
        case .missingParent(let path): "The folder \(path) does not exist; create it or use another --state."
        case .missing(let path): "There is no photo library in \(path); use the --state of a camera."
        case .notADirectory(let path): "\(path) is not a folder; move it away or use another --state."
        case .readOnly(let path): "\(path) is read-only; make it writable or use another --state."
        case .locked(let path): "Another pinhole is using \(path); stop it first or use another --state."
        case .newerCatalog(let path, let version):
            "A newer version of Pinhole created \(path) (version \(version)); install that version or a later one."
        case .foreignCatalog(let path): "\(path) is not a Pinhole catalog; move it away."
        case .system(let error): "The storage failed (\(error)); check the card."
        case .catalog(let words): "The catalog cannot be opened (\(words)); check the card."
        }
    }

    /// True when the same call may succeed later.
    package var canRetry: Bool {
        switch self {
        case .locked, .system, .catalog: true
        default: false
        }
    }

    /// The error of a failed system call on `path`.
    package init(_ error: SystemError) {
        switch error.condition {
        case .readOnly: self = .readOnly(error.path ?? "the storage")
        default: self = .system(error)
        }
    }
}

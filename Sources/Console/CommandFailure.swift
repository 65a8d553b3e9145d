/// Why a command failed: what text and JSON show, and the exit status.
///
/// The one place that joins error codes with exit statuses.
package struct CommandFailure: Error, Hashable, Sendable {
    /// A stable slug: `no_such_photo`.
    package let code: String
    /// One sentence that says what to do.
    package let message: String
    /// True when the same command may succeed later.
    package let retry: Bool
    /// Apple's number for this error, where Apple has one.
    package let apple: Int?
    /// The status the command ends with.
    package let exit: ExitStatus

    /// A failure with one of the known codes.
    package init(_ code: FailureCode, _ message: String, retry: Bool? = nil, apple: Int? = nil) {
        self.code = code.rawValue
        self.message = message
        self.retry = retry ?? (code.exit == .tryAgain)
        self.apple = apple
        self.exit = code.exit
    }

    /// A failure from another part's closed error set. A code that is not in `FailureCode` keeps its slug and ends
    /// as an internal fault.
    package init(slug: String, _ message: String, retry: Bool, apple: Int? = nil) {
        self.code = slug
        self.message = message
        self.retry = retry
        self.apple = apple
        self.exit = FailureCode(rawValue: slug)?.exit ?? .internal
    }

    /// Wrong usage.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message)
    }
}

/// Every error code a command can end with.
package enum FailureCode: String, Sendable, CaseIterable {
    /// The command line is wrong.
    case usage
    /// Something in the library is damaged or missing.
    case damaged
    /// The catalogue cannot be read.
    case catalogDamaged = "catalog_damaged"
    /// A resource given is not what its type says.
    case invalidResource = "invalid_resource"
    /// No photo has this identifier or number.
    case noSuchPhoto = "no_such_photo"
    /// No camera runs on this state folder.
    case notRunning = "not_running"
    /// The camera cannot be reached, or ended in the middle of an answer.
    case unavailable
    /// The sensor is not found, stalled or failed.
    case sensorUnavailable = "sensor_unavailable"
    /// The photo could not be taken or encoded.
    case captureFailed = "capture_failed"
    /// This board or sensor cannot do it.
    case unsupported
    /// A fault of Pinhole itself.
    case `internal`
    /// The kernel refused an operation.
    case system
    /// The card is full.
    case storageFull = "storage_full"
    /// The card or state folder is read-only.
    case storageReadOnly = "storage_read_only"
    /// The card or state folder is gone or fails.
    case storageFailed = "storage_failed"
    /// All numbers up to 999-9999 are used.
    case numbersExhausted = "numbers_exhausted"
    /// Too much work is waiting.
    case busy
    /// The camera is still starting.
    case starting
    /// The camera is stopping.
    case stopping
    /// Another camera runs on this state folder.
    case alreadyRunning = "already_running"
    /// The command was cancelled.
    case cancelled
    /// The client may not do this.
    case notPermitted = "not_permitted"
    /// The configuration file is refused.
    case configuration

    /// The status that belongs to the code.
    package var exit: ExitStatus {
        switch self {
        case .usage: .usage
        case .damaged, .catalogDamaged, .invalidResource: .badData
        case .noSuchPhoto: .noSuchPhoto
        case .notRunning, .unavailable, .sensorUnavailable, .unsupported: .unavailable
        case .captureFailed, .internal, .system: .internal
        case .storageFull, .storageReadOnly, .storageFailed, .numbersExhausted: .storage
        case .busy, .starting, .stopping, .alreadyRunning, .cancelled: .tryAgain
        case .notPermitted: .notPermitted
        case .configuration: .configuration
        }
    }
}

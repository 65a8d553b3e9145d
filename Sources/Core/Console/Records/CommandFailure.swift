/// Why a command failed: what text and JSON show, and the exit status.
///
/// The one place that joins error codes with exit statuses.
package struct CommandFailure: Error, Hashable, Sendable {
    /// A stable slug: `no-such-photo`.
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

    /// A failure with the code `usage` and exit status 64; the message says what to type instead.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message)
    }
}

/// An error: the last record of a command that failed.
package struct ErrorRecord: Codable, Hashable, Sendable {
    /// What is inside `error`.
    package struct Content: Codable, Hashable, Sendable {
        /// The slug that programs compare; it never changes.
        package var code: String
        /// One sentence that says what to do.
        package var message: String
        /// True when the same command may succeed later.
        package var retry: Bool
        /// Apple's number; the key is absent where Apple has none.
        package var apple: Int?
    }

    /// The error as the JSON object `error` shows it.
    package var error: Content

    /// The record of a failure.
    package init(_ failure: CommandFailure) {
        error = Content(code: failure.code, message: failure.message, retry: failure.retry, apple: failure.apple)
    }
}

/// The exit statuses of every command, after sysexits(3).
package enum ExitStatus: Int32, Sendable, CaseIterable, Codable {
    /// The command succeeded; a check found nothing damaged, missing or failed.
    case done = 0
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// Data that is damaged or missing.
    case badData = 65
    /// No photo has the given number or identifier (EX_NOINPUT).
    case noSuchPhoto = 66
    /// The camera is not running or not available.
    case unavailable = 69
    /// A bug in Pinhole.
    case `internal` = 70
    /// The storage is full or read-only.
    case storage = 73
    /// Busy or starting: try again.
    case tryAgain = 75
    /// The system, the configuration or a person does not permit it (EX_NOPERM).
    case notPermitted = 77
    /// The configuration is invalid.
    case configuration = 78

    /// What it means, in a few words.
    package var meaning: String {
        switch self {
        case .done: "done"
        case .usage: "wrong usage"
        case .badData: "bad data: something is damaged or missing"
        case .noSuchPhoto: "no such photo"
        case .unavailable: "camera not running or not available"
        case .internal: "internal fault"
        case .storage: "storage full or read-only"
        case .tryAgain: "try again: busy or starting"
        case .notPermitted: "not permitted"
        case .configuration: "invalid configuration"
        }
    }
}

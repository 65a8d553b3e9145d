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

    /// Wrong usage.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(.usage, message)
    }
}

/// An error: the last record of a command that failed.
package struct ErrorRecord: Codable, Hashable, Sendable {
    /// What is inside `error`.
    package struct Content: Codable, Hashable, Sendable {
        /// A stable slug.
        package var code: String
        /// One sentence that says what to do.
        package var message: String
        /// True when the same command may succeed later.
        package var retry: Bool
        /// Apple's number; the key is absent where Apple has none.
        package var apple: Int?
    }

    /// The error.
    package var error: Content

    /// The record of a failure.
    package init(_ failure: CommandFailure) {
        error = Content(code: failure.code, message: failure.message, retry: failure.retry, apple: failure.apple)
    }
}

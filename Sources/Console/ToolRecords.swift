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

/// One finding of `doctor`.
package struct DoctorRecord: Codable, Hashable, Sendable {
    /// How a check ended.
    package enum Result: String, Codable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, but not fully.
        case warning
        /// It stops the camera.
        case failed
    }

    /// What was checked.
    package var check: String
    /// How it ended.
    package var result: Result
    /// What was found, and what to do about it.
    package var detail: String

    /// A finding from its parts.
    package init(check: String, result: Result, detail: String) {
        self.check = check
        self.result = result
        self.detail = detail
    }
}

/// What `check-config` says about a good file.
package struct ConfigurationRecord: Codable, Hashable, Sendable {
    /// The file.
    package var file: String
    /// True: a refused file ends in an error instead.
    package var valid: Bool

    /// A good file.
    package init(file: String) {
        self.file = file
        valid = true
    }
}

/// What `version` tells.
package struct VersionRecord: Codable, Hashable, Sendable {
    /// The product's version.
    package var version: String

    /// A version.
    package init(version: String) {
        self.version = version
    }
}

/// What `help` tells.
package struct HelpRecord: Codable, Hashable, Sendable {
    /// Text in lines.
    package var help: String

    /// A help text.
    package init(help: String) {
        self.help = help
    }
}

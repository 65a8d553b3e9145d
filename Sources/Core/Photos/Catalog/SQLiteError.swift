import CSQLite

/// A failed database call.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the failure means to the library.
    package enum Condition: Sendable {
        /// No room to write (SQLITE_FULL).
        case full
        /// May not be written (SQLITE_READONLY, SQLITE_PERM).
        case readOnly
        /// Reading, writing or syncing failed (SQLITE_IOERR, SQLITE_CANTOPEN).
        case storage
        /// The file is not a whole database (SQLITE_CORRUPT, SQLITE_NOTADB).
        case corrupt
        /// Another connection is in the way (SQLITE_BUSY, SQLITE_LOCKED).
        case busy
        /// Anything else: a fault of ours.
        case other
    }

    /// The extended result code.
    package let code: Int32
    /// The library's own words.
    package let message: String

    /// An error with the code and words given.
    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// What the failure means.
    package var condition: Condition {
        switch code & 0xff {
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM: .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN: .storage
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        default: .other
        }
    }

    /// The library's words and the code.
    package var description: String { "\(message), SQLite code \(code)" }
}

import CSQLite

/// One connection to one database, used by one thread at a time.
///
/// - Isolation: confined to the thread of its owner; it is not `Sendable` for that reason.
/// - Blocking: every call.
/// - Ownership: holds the C connection and its statements until `deinit`.
package final class SQLiteConnection {
    /// How a database is opened.
    package enum Mode {
        /// For reading and writing; created when it is not there.
        case readWrite
        /// For reading beside a writer.
        case readOnly
        /// For reading from storage that no process can write.
        case immutable
    }

    let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens the database at a path. Later calls wait for another connection's lock for 2 seconds at most.
    package init(path: String, mode: Mode) throws(SQLiteError) {
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        flags |= mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let result = sqlite3_open_v2(Self.uri(path, mode), &handle, flags, nil)
        guard let handle else { throw SQLiteError(code: result, message: "out of memory") }
        guard result == SQLITE_OK else {
            let error = Self.error(handle, result)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 2000)
        self.handle = handle
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs statements that take and give nothing.
    package func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// A statement ready to run: reset, with the values given bound to its parameters in order.
    ///
    /// Statements are prepared once and kept. One text may not be running twice at the same time.
    package func statement(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteStatement {
        let statement: SQLiteStatement
        if let known = statements[sql] {
            statement = known
        } else {
            statement = try SQLiteStatement(self, sql)
            // Filters make new texts without end; the few that are used all the time are soon back.
            if statements.count >= 64 { statements.removeAll() }
            statements[sql] = statement
        }
        try statement.bind(values)
        return statement
    }

    /// Runs a statement to its end and drops its rows.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// The first column of the first row as an integer; nil when there is no row or it is NULL.
    package func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql, values)
        defer { statement.reset() }
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// True while a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw Self.error(handle, result) }
    }

    static func error(_ handle: OpaquePointer, _ result: Int32) -> SQLiteError {
        let words = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown"
        let extended = sqlite3_extended_errcode(handle)
        return SQLiteError(code: extended & 0xff == result & 0xff ? extended : result, message: words)
    }

    /// A path as a URI (RFC 3986): what is not plain is written as its bytes.
    private static func uri(_ path: String, _ mode: Mode) -> String {
        var text = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return mode == .immutable ? text + "?immutable=1" : text
    }
}

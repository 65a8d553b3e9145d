import CSQLite

/// A value bound to a statement's parameter.
package enum SQLiteValue {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// An integer or NULL.
    package static func optional(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    /// A text or NULL.
    package static func optional(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
    /// A Boolean as the catalog stores it: 1 for true, 0 for false.
    package static func flag(_ value: Bool) -> SQLiteValue { .integer(value ? 1 : 0) }
}

/// A prepared statement of one connection.
///
/// - Isolation: as its connection.
/// - Ownership: finalized in `deinit`; the connection keeps it, and closes after the last one is gone.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ connection: SQLiteConnection, _ sql: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
        guard let handle else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
        self.handle = handle
        self.connection = connection.handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        sqlite3_reset(handle)
        // SQLITE_TRANSIENT, a cast that C macros cannot carry over: SQLite makes its own copy.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let result: Int32 =
                switch value {
                case .null: sqlite3_bind_null(handle, place)
                case .integer(let integer): sqlite3_bind_int64(handle, place, integer)
                case .text(let text): sqlite3_bind_text(handle, place, text, -1, copied)
                case .bytes(let bytes): sqlite3_bind_blob(handle, place, bytes, Int32(bytes.count), copied)
                }
            guard result == SQLITE_OK else { throw SQLiteConnection.error(connection, result) }
        }
    }

    /// Goes to the next row; false at the end.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result:
            let error = SQLiteConnection.error(connection, result)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Ends the run, which ends the implicit transaction of a read.
    package func reset() {
        sqlite3_reset(handle)
    }

    /// A column as an integer; 0 for NULL.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A column as an integer; nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// A column as a text; nil for NULL.
    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A column's bytes; empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
}

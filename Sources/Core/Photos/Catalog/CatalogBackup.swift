import CSQLite

/// A copy of the catalog that is being made, some pages at a time, while the library goes on.
///
/// Changes made meanwhile through the same connection reach the copy as well.
///
/// - Isolation: the library's thread.
/// - Ownership: keeps both connections until it is finished or let go.
final class CatalogBackup {
    private let source: SQLiteConnection
    private let copy: SQLiteConnection
    private let handle: OpaquePointer
    private var isFinished = false

    /// Begins a copy at `path`, where nothing may be.
    init(of source: SQLiteConnection, at path: String) throws(SQLiteError) {
        let copy = try SQLiteConnection(path: path, mode: .readWrite)
        guard let handle = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw SQLiteConnection.error(copy.handle, sqlite3_errcode(copy.handle))
        }
        self.source = source
        self.copy = copy
        self.handle = handle
    }

    deinit {
        if !isFinished { sqlite3_backup_finish(handle) }
    }

    /// Copies at most `pages` pages; true when the copy is complete, synced and found whole.
    func step(pages: Int32) throws(SQLiteError) -> Bool {
        switch sqlite3_backup_step(handle, pages) {
        case SQLITE_DONE: break
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
        case let result: throw SQLiteError(code: result, message: "the copy of the catalog failed")
        }
        isFinished = true
        sqlite3_backup_finish(handle)
        let verdict = try copy.statement("PRAGMA quick_check(1)")
        defer { verdict.reset() }
        guard try verdict.step(), verdict.text(0) == "ok" else {
            throw SQLiteError(code: SQLITE_CORRUPT, message: "the copy of the catalog is damaged")
        }
        return true
    }
}

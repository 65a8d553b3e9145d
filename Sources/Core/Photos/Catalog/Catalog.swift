import CSQLite
import Platform

/// The database of assets: schema, migrations, transactions.
///
/// Write-ahead logging with `synchronous=FULL` makes a commit one sync of the log. The log is copied into the database
/// (checkpoint) only by `checkpoint`, which the library calls when no photo waits.
///
/// - Isolation: confined to one thread.
package final class Catalog {
    /// `PINH`: the application identifier in the database's header.
    package static let applicationIdentifier: Int64 = 0x5049_4E48

    let connection: SQLiteConnection
    package let assets: AssetTable
    let albums: AlbumTable
    let selections: SelectionTable
    let history: HistoryTable
    /// How many migrations it has had; fewer than there are only where it cannot be written.
    let version: Int
    private let path: String
    private let files: any FileOperations
    /// Transactions since the last checkpoint.
    package private(set) var commitsInLog = 0
    private var backup: CatalogBackup?

    /// Opens the catalog for writing, creates or migrates it.
    ///
    /// - Throws: corrupt (SQLITE_NOTADB, SQLITE_CORRUPT) when it is not a whole database.
    package init(writing path: String, files: any FileOperations) throws(SQLiteError) {
        self.path = path
        self.files = files
        connection = try SQLiteConnection(path: path, mode: .readWrite)
        history = HistoryTable(connection)
        assets = AssetTable(connection, history: history, hasThumbnails: true)
        albums = AlbumTable(connection, history: history)
        selections = SelectionTable(connection, history: history)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        let found = try Self.version(connection)
        version = Self.migrations.count
        guard found >= 0 else { throw SQLiteError(code: SQLITE_CORRUPT, message: "the version is \(found)") }
        guard found <= Self.migrations.count else {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "version \(found) is newer than this program")
        }
        for index in found..<Self.migrations.count {
            try transaction { () throws(SQLiteError) in
                try connection.execute(Self.migrations[index].sql)
                try connection.execute("PRAGMA application_id = \(Self.applicationIdentifier)")
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
        // The version must be in the file itself: a start looks there before it opens a database.
        if found < Self.migrations.count { try checkpoint() }
        guard try connection.integer("SELECT count(*) FROM total") == 4 else {
            throw SQLiteError(code: SQLITE_CORRUPT, message: "the totals are gone")
        }
    }

    /// Opens the catalog for reading.
    ///
    /// - Parameter mode: `.readOnly` beside a writer, `.immutable` where no process can write.
    package init(
        reading path: String, mode: SQLiteConnection.Mode = .readOnly, files: any FileOperations
    ) throws(SQLiteError) {
        self.path = path
        self.files = files
        connection = try SQLiteConnection(path: path, mode: mode)
        version = try Self.version(connection)
        history = HistoryTable(connection)
        assets = AssetTable(connection, history: history, hasThumbnails: version >= Self.versionWithThumbnails)
        albums = AlbumTable(connection, history: history)
        selections = SelectionTable(connection, history: history)
        guard version <= Self.migrations.count else {
            throw SQLiteError(code: SQLITE_MISMATCH, message: "a newer version of Pinhole created the catalog")
        }
    }

    /// All or nothing. One sync; none for the caller to add.
    package func transaction<E: Error>(
        mapping: (SQLiteError) -> E, _ body: () throws(E) -> Void
    ) throws(E) {
        history.beginTransaction()
        do throws(SQLiteError) { try connection.execute("BEGIN IMMEDIATE") } catch { throw mapping(error) }
        do throws(E) {
            try body()
            do throws(SystemError) {
                try files.willCommit(path)
            } catch {
                throw mapping(SQLiteError(code: SQLITE_IOERR, message: error.description))
            }
            do throws(SQLiteError) { try connection.execute("COMMIT") } catch { throw mapping(error) }
            commitsInLog += 1
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// All or nothing, with database errors only.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try transaction(mapping: { $0 }, body)
    }

    /// Copies the log into the database and starts the log again, so that no photo pays for it.
    ///
    /// The first commit after that would sync the log's new header as well; the count kept here takes that on itself.
    package func checkpoint() throws(SQLiteError) {
        try connection.run("PRAGMA wal_checkpoint(RESTART)")
        try connection.run("UPDATE fact SET value = value + 1 WHERE name = 'checkpoints'")
        commitsInLog = 0
    }

    /// True while a copy is being made.
    var isBeingCopied: Bool { backup != nil }

    /// Begins a copy at `path`, where nothing may be. It ends with the catalog.
    func beginCopy(at path: String) throws(SQLiteError) {
        backup = try CatalogBackup(of: connection, at: path)
    }

    /// Copies at most `pages` pages, all of them with -1; true when the copy is complete. A failure ends the copy.
    func continueCopy(pages: Int32) throws(SQLiteError) -> Bool {
        guard let backup else { return false }
        do throws(SQLiteError) {
            guard try backup.step(pages: pages) else { return false }
        } catch {
            self.backup = nil
            throw error
        }
        self.backup = nil
        return true
    }

    /// Reads every page; true when the database is whole.
    package var isWhole: Bool {
        do throws(SQLiteError) {
            let verdict = try connection.statement("PRAGMA quick_check(1)")
            defer { verdict.reset() }
            return try verdict.step() && verdict.text(0) == "ok"
        } catch {
            return false
        }
    }

    /// A number kept for the library itself.
    package func fact(_ name: String) throws(SQLiteError) -> Int64 {
        try connection.fact(name)
    }

    /// Changes a number kept for the library itself.
    package func setFact(_ name: String, _ value: Int64) throws(SQLiteError) {
        try connection.setFact(name, value)
    }

    /// Notes a file that was set aside, and why.
    package func insertQuarantined(_ name: String, reason: String) throws(SQLiteError) {
        try connection.run("INSERT OR REPLACE INTO quarantine VALUES (?, ?)", [.text(name), .text(reason)])
    }

    /// Files that were set aside, with the reasons.
    package func quarantined() throws(SQLiteError) -> [(name: String, reason: String)] {
        let statement = try connection.statement("SELECT name, reason FROM quarantine ORDER BY name")
        defer { statement.reset() }
        var found: [(name: String, reason: String)] = []
        while try statement.step() {
            found.append((statement.text(0) ?? "", statement.text(1) ?? ""))
        }
        return found
    }

    private static func version(_ connection: SQLiteConnection) throws(SQLiteError) -> Int {
        Int(clamping: try connection.integer("PRAGMA user_version") ?? 0)
    }
}

extension Catalog {
    /// What the first bytes of a file say about whose database it is.
    package enum Header: Hashable, Sendable {
        /// Nothing is there, or nothing was ever stored.
        case empty
        /// A catalog of this version; may still be damaged.
        case ours(version: Int)
        /// Another program's database: its application identifier is not ours.
        case foreign
        /// No SQLite database, or one whose header makes no sense.
        case damaged

        /// Reads the first 100 bytes (SQLite's file format, section 1.3).
        package init(_ bytes: [UInt8]) {
            guard !bytes.isEmpty else {
                self = .empty
                return
            }
            guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
                self = .damaged
                return
            }
            func field(_ offset: Int) -> Int64 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
            if field(68) == Catalog.applicationIdentifier {
                // The version is signed, and ours are not below zero.
                let version = Int(field(60))
                self = version > Int32.max ? .damaged : .ours(version: version)
            } else {
                self = field(40) == 0 && field(68) == 0 ? .empty : .foreign
            }
        }
    }
}

extension SQLiteConnection {
    /// A number kept for the library itself.
    func fact(_ name: String) throws(SQLiteError) -> Int64 {
        try integer("SELECT value FROM fact WHERE name = ?", [.text(name)]) ?? 0
    }

    /// Changes a number kept for the library itself.
    func setFact(_ name: String, _ value: Int64) throws(SQLiteError) {
        try run("INSERT OR REPLACE INTO fact VALUES (?, ?)", [.text(name), .integer(value)])
    }
}

/// The history: what happened to assets, albums and selections, in the same transaction as the change itself.
///
/// - Isolation: confined to one thread, like its catalog.
final class HistoryTable {
    private let connection: SQLiteConnection
    /// The number of the open transaction's rows; nil until it has one.
    private var block: Int64?

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// True when the last transaction has rows here.
    var hasRowsOfTransaction: Bool { block != nil }

    /// Gives the rows to come a block of their own.
    func beginTransaction() {
        block = nil
    }

    /// Notes what happens to objects in the transaction that is open. Every change a client can see is noted here.
    ///
    /// - Parameter selection: which selection, for `joined` and `left`.
    func record(
        _ kind: HistoryRow.Kind, _ identifiers: [AssetIdentifier], selection: AssetIdentifier? = nil
    ) throws(SQLiteError) {
        for identifier in identifiers {
            try connection.run(
                "INSERT INTO history (block, kind, identifier, selection) VALUES (?, ?, ?, ?)",
                [
                    .integer(try currentBlock()), .integer(kind.rawValue), .bytes(identifier.bytes),
                    selection.map { .bytes($0.bytes) } ?? .null,
                ])
        }
    }

    /// Notes that an asset which is about to be forgotten leaves the selections it is in.
    func recordLeaving(_ number: DCFNumber) throws(SQLiteError) {
        let number = SQLiteValue.integer(number.position)
        guard try connection.integer("SELECT 1 FROM selection WHERE number = ? LIMIT 1", [number]) != nil else {
            return
        }
        try connection.run(
            """
            INSERT INTO history (block, kind, identifier, selection)
            SELECT ?, 8, asset.identifier, selection.selection FROM selection JOIN asset USING (number)
            WHERE number = ?
            """, [.integer(try currentBlock()), number])
    }

    private func currentBlock() throws(SQLiteError) -> Int64 {
        if let block { return block }
        let next = try lastRow() + 1
        block = next
        return next
    }

    private func lastRow() throws(SQLiteError) -> Int64 {
        Self.row(try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = 'history'") ?? 0)
    }

    private func firstRow() throws(SQLiteError) -> Int64? {
        try connection.integer("SELECT min(row) FROM history").map(Self.row)
    }

    /// A row number from a catalog, which may be damaged: clamped so that counting can continue from it.
    private static func row(_ number: Int64) -> Int64 { max(0, min(number, .max / 2)) }

    /// Where the history stands.
    func changeToken() throws(SQLiteError) -> PersistentChangeToken {
        PersistentChangeToken(
            high: try connection.fact("library_high"), low: try connection.fact("library_low"), row: try lastRow())
    }

    /// Makes tokens given out so far expire: the rows to come are not those they count on.
    func forgetTokens() throws(SQLiteError) {
        try connection.run("UPDATE fact SET value = random() WHERE name IN ('library_high', 'library_low')")
    }

    /// Forgets the oldest rows beyond `limit`, at most `batch` at once. Rows are looked up by their key only.
    func trim(to limit: Int64, batch: Int64) throws(SQLiteError) {
        guard let first = try firstRow() else { return }
        let last = min(try lastRow() - limit, first + batch - 1)
        if last >= first { try connection.run("DELETE FROM history WHERE row <= ?", [.integer(last)]) }
    }

    /// How many rows the history has.
    func length() throws(SQLiteError) -> Int64 {
        guard let first = try firstRow() else { return 0 }
        return try lastRow() - first + 1
    }

    /// What has happened since a token as far as a client could see it, block by block.
    ///
    /// - Returns: the changes and where they end; nil when the history does not reach back to the token.
    func changes(
        since token: PersistentChangeToken, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> (changes: [PersistentChange], end: PersistentChangeToken)? {
        // What is now and what has been must be of one moment.
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        let end = try changeToken()
        let first = try firstRow() ?? end.row + 1
        guard token.isOfSameCatalog(as: end), token.row <= end.row, token.row >= first - 1 else { return nil }
        guard visibility != .nothing else { return ([], end) }
        let rows = try self.rows(after: token.row)
        var selection: AssetIdentifier?
        if case .selection(let identifier) = visibility { selection = identifier }
        var walk = HistoryWalk(selection: selection)
        for identifier in Set(rows.lazy.filter { !$0.kind.isOfAlbum }.map(\.identifier)) {
            walk.setAsset(identifier, try presence(of: identifier, in: selection))
        }
        for identifier in Set(rows.lazy.filter { $0.kind.isOfAlbum }.map(\.identifier)) {
            let isThere = try connection.integer(
                "SELECT 1 FROM album WHERE identifier = ?", [.bytes(identifier.bytes)])
            walk.setAlbum(identifier, isThere != nil)
        }
        let changes = walk.changes(rows).map { block in
            var token = end
            token.row = block.lastRow
            return PersistentChange(changeToken: token, assets: block.assets, collections: block.albums)
        }
        return (changes, end)
    }

    private func rows(after row: Int64) throws(SQLiteError) -> [HistoryRow] {
        let statement = try connection.statement(
            "SELECT row, block, kind, identifier, selection FROM history WHERE row > ? ORDER BY row", [.integer(row)])
        defer { statement.reset() }
        var rows: [HistoryRow] = []
        while try statement.step() {
            guard let kind = HistoryRow.Kind(rawValue: statement.integer(2)),
                let identifier = AssetIdentifier(bytes: statement.bytes(3))
            else { continue }
            rows.append(
                HistoryRow(
                    row: statement.integer(0), block: statement.integer(1), kind: kind, identifier: identifier,
                    selection: AssetIdentifier(bytes: statement.bytes(4))))
        }
        return rows
    }

    /// Whether an asset is listed now, and a member of a selection.
    private func presence(
        of identifier: AssetIdentifier, in selection: AssetIdentifier?
    ) throws(SQLiteError) -> HistoryWalk.Presence {
        let asset = try connection.statement(
            "SELECT number, status FROM asset WHERE identifier = ?", [.bytes(identifier.bytes)])
        defer { asset.reset() }
        guard try asset.step() else { return HistoryWalk.Presence(isListed: false, isMember: selection == nil) }
        var presence = HistoryWalk.Presence(isListed: asset.integer(1) == 0, isMember: true)
        if let selection {
            let member = try connection.integer(
                "SELECT 1 FROM selection WHERE selection = ? AND number = ?",
                [.bytes(selection.bytes), .integer(asset.integer(0))])
            presence.isMember = member != nil
        }
        return presence
    }
}

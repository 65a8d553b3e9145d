/// The albums and their members.
///
/// - Isolation: confined to one thread, like its catalog.
struct AlbumTable {
    private let connection: SQLiteConnection
    private let history: HistoryTable

    init(_ connection: SQLiteConnection, history: HistoryTable) {
        self.connection = connection
        self.history = history
    }

    /// An album with its members in order; nil when there is none.
    func find(_ identifier: AssetIdentifier) throws(SQLiteError) -> AlbumContents? {
        let album = try connection.statement(
            "SELECT title, created FROM album WHERE identifier = ?", [.bytes(identifier.bytes)])
        defer { album.reset() }
        guard try album.step() else { return nil }
        var contents = AlbumContents(title: album.text(0) ?? "", created: album.integer(1))
        let members = try connection.statement(
            """
            SELECT asset.identifier, asset.status FROM album_member CROSS JOIN asset USING (number)
            WHERE album = ? ORDER BY position
            """, [.bytes(identifier.bytes)])
        defer { members.reset() }
        while try members.step() {
            guard let asset = AssetIdentifier(bytes: members.bytes(0)) else { continue }
            contents.members.append(.init(asset: asset, isShown: members.integer(1) == 0))
        }
        return contents
    }

    /// Stores what became of an album, and says so in the history. Of its members only what is different is written.
    func store(_ change: AlbumChange) throws(SQLiteError) {
        guard change.before != change.after else { return }
        let album = SQLiteValue.bytes(change.identifier.bytes)
        guard let after = change.after else {
            try connection.run("DELETE FROM album WHERE identifier = ?", [album])
            try history.record(.albumDeleted, [change.identifier])
            return
        }
        try connection.run(
            """
            INSERT INTO album (identifier, title, created) VALUES (?, ?, ?)
            ON CONFLICT (identifier) DO UPDATE SET title = excluded.title
            """, [album, .text(after.title), .integer(after.created)])
        try storeMembers(of: change.identifier, from: change.before?.members ?? [], to: after.members)
        try history.record(change.before == nil ? .albumInserted : .albumUpdated, [change.identifier])
    }

    private func storeMembers(
        of identifier: AssetIdentifier, from before: [AlbumContents.Member], to after: [AlbumContents.Member]
    ) throws(SQLiteError) {
        let album = SQLiteValue.bytes(identifier.bytes)
        let staying = Set(after.map(\.asset))
        let kept = before.filter { staying.contains($0.asset) }.map(\.asset)
        var new = after.map(\.asset)
        var position: Int64 = 0
        let last = try connection.integer("SELECT max(position) FROM album_member WHERE album = ?", [album]) ?? 0
        // Where a catalog of another's making has no place left behind the last, all get new places.
        if new.starts(with: kept), (0..<Int64.max - Int64(new.count)).contains(last) {
            for member in before where !staying.contains(member.asset) {
                try connection.run(
                    """
                    DELETE FROM album_member
                    WHERE album = ? AND number = (SELECT number FROM asset WHERE identifier = ?)
                    """, [album, .bytes(member.asset.bytes)])
            }
            new.removeFirst(kept.count)
            position = last
        } else {
            try connection.run("DELETE FROM album_member WHERE album = ?", [album])
        }
        for asset in new {
            position += 1
            try connection.run(
                "INSERT INTO album_member (album, position, number) SELECT ?, ?, number FROM asset WHERE identifier = ?",
                [album, .integer(position), .bytes(asset.bytes)])
        }
    }

    /// An asset's place in an album.
    func position(of number: DCFNumber, in album: AssetIdentifier) throws(SQLiteError) -> Int64? {
        try connection.integer(
            "SELECT position FROM album_member WHERE number = ? AND album = ?",
            [.integer(number.position), .bytes(album.bytes)])
    }
}

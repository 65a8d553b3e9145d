extension Catalog {
    /// An album with its members in order; nil when there is none.
    func album(_ identifier: AssetIdentifier) throws(SQLiteError) -> AlbumContents? {
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
            try record(.albumDeleted, [change.identifier])
            return
        }
        try connection.run(
            """
            INSERT INTO album (identifier, title, created) VALUES (?, ?, ?)
            ON CONFLICT (identifier) DO UPDATE SET title = excluded.title
            """, [album, .text(after.title), .integer(after.created)])
        try storeMembers(of: change.identifier, from: change.before?.members ?? [], to: after.members)
        try record(change.before == nil ? .albumInserted : .albumUpdated, [change.identifier])
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

    /// Gives an asset's places in albums and selections to another number, which it has from now on.
    func moveMemberships(from old: DCFNumber, to new: DCFNumber) throws(SQLiteError) {
        for table in ["album_member", "selection"] {
            try connection.run(
                "UPDATE \(table) SET number = ? WHERE number = ?", [.integer(new.position), .integer(old.position)])
        }
    }

    /// Albums, the oldest first, or those with the identifiers.
    func albums(_ query: CollectionQuery) throws(SQLiteError) -> [AssetCollection] {
        var (condition, values): (String, [SQLiteValue]) = ("1", [])
        if let asset = query.containing {
            condition = """
                identifier IN (
                    SELECT album FROM album_member
                    WHERE number = (SELECT number FROM asset WHERE status = 0 AND asset.identifier = ?))
                """
            values = [.bytes(asset.bytes)]
        }
        let statement = try connection.statement(
            "SELECT identifier, title FROM album WHERE \(condition) ORDER BY created, identifier", values)
        defer { statement.reset() }
        var found: [AssetCollection] = []
        while try statement.step() {
            guard let identifier = AssetIdentifier(bytes: statement.bytes(0)) else { continue }
            if let wanted = query.identifiers, !wanted.contains(identifier.description) { continue }
            found.append(
                AssetCollection(
                    localIdentifier: identifier.description, type: .album, subtype: .albumRegular,
                    localizedTitle: statement.text(1) ?? "",
                    estimatedAssetCount: try count(nil, .everything, in: identifier)))
        }
        return found
    }

    /// The collections a client may see that a query asks for: smart albums first.
    func collections(
        _ query: CollectionQuery, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> [AssetCollection] {
        var found: [AssetCollection] = []
        if query.type != .album {
            for var smart in AssetCollection.smartAlbums
            where query.identifiers?.contains(smart.localIdentifier) ?? true {
                let one = query.containing.map { FetchOptions.Filter.identifiers([$0.description]) }
                let filter = [smart.filter, one].compactMap { $0 }
                smart.estimatedAssetCount = try count(smart.filter, visibility)
                if one != nil, try count(.all(filter), visibility) == 0 { continue }
                found.append(smart)
            }
        }
        if query.type != .smartAlbum, visibility == .everything { found += try albums(query) }
        return found.filter { query.subtype == nil || $0.assetCollectionSubtype == query.subtype }
    }
}

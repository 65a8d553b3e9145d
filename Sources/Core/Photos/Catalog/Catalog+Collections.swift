/// Collections as a client sees them.
extension Catalog {
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

/// Fetches on behalf of clients: filter, order, page.
extension Catalog {
    /// One page of listed assets. One more than the limit is read to know whether there is another page.
    func fetch(
        _ options: FetchOptions, _ visibility: Rights.Visibility, in album: AssetIdentifier? = nil
    ) throws(SQLiteError) -> (page: [AssetRecord], next: FetchOptions.Cursor?) {
        let limit = options.fetchLimit > 0 ? min(options.fetchLimit, Int(Int32.max)) : Int(Int32.max)
        let order = options.order.column == .position && album == nil ? .newestFirst : options.order
        var values: [SQLiteValue] = []
        var condition = Self.condition(options.filter, visibility, album, &values)
        let (column, direction) = (order.column.sql, order.isAscending ? "ASC" : "DESC")
        let isByNumber = order.column == .number
        if let cursor = options.cursor {
            let relation = order.isAscending ? ">" : "<"
            condition +=
                isByNumber ? " AND asset.number \(relation) ?" : " AND (\(column), asset.number) \(relation) (?, ?)"
            if !isByNumber { values.append(.integer(cursor.value)) }
            values.append(.integer(cursor.number))
        }
        condition += " ORDER BY \(column) \(direction)" + (isByNumber ? "" : ", asset.number \(direction)") + " LIMIT ?"
        values.append(.integer(Int64(limit) + 1))
        var found = try assets.all(where: condition, values, from: Self.source(album))
        guard found.count > limit else { return (found, nil) }
        found.removeLast(found.count - limit)
        guard let last = found.last else { return (found, nil) }
        var value = order.column.value(of: last)
        if value == nil, let album { value = try albums.position(of: last.number, in: album) }
        return (
            found, FetchOptions.Cursor(order: options.order, value: value ?? 0, number: last.number.position)
        )
    }

    /// How many listed assets a filter gives.
    func count(
        _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility, in album: AssetIdentifier? = nil
    ) throws(SQLiteError) -> Int {
        if filter == nil, visibility == .everything, album == nil { return try assets.total(.listed).assets }
        var values: [SQLiteValue] = []
        let condition = Self.condition(filter, visibility, album, &values)
        let count = try connection.integer(
            "SELECT count(*) FROM \(Self.source(album)) WHERE \(condition)", values)
        return Int(clamping: count ?? 0)
    }

    private static func source(_ album: AssetIdentifier?) -> String {
        album == nil ? "asset" : "album_member CROSS JOIN asset USING (number)"
    }

    private static func condition(
        _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility, _ album: AssetIdentifier?,
        _ values: inout [SQLiteValue]
    ) -> String {
        var condition = "status = 0 AND " + Self.condition(visibility, &values)
        if let album {
            condition += " AND album_member.album = ?"
            values.append(.bytes(album.bytes))
        }
        if let filter {
            let filter = FilterCondition(filter)
            condition += " AND " + filter.sql
            values += filter.values
        }
        return condition
    }
}

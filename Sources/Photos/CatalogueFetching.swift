/// Fetches on behalf of clients: filter, order, page.
extension Catalogue {
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
        var found = try assets(condition, values, from: Self.source(album))
        guard found.count > limit else { return (found, nil) }
        found.removeLast(found.count - limit)
        guard let last = found.last else { return (found, nil) }
        var value = order.column.value(of: last)
        if value == nil, let album { value = try position(of: last.number, in: album) }
        return (
            found, FetchOptions.Cursor(order: options.order, value: value ?? 0, number: last.number.position)
        )
    }

    /// How many listed assets a filter gives.
    func count(
        _ filter: FetchOptions.Filter?, _ visibility: Rights.Visibility, in album: AssetIdentifier? = nil
    ) throws(SQLiteError) -> Int {
        if filter == nil, visibility == .everything, album == nil { return try total(.listed).assets }
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
        if let filter { condition += " AND " + Self.condition(filter, &values) }
        return condition
    }

    private static func condition(_ filter: FetchOptions.Filter, _ values: inout [SQLiteValue]) -> String {
        switch filter {
        // Written out, so that they are seen to be the conditions of the partial indexes.
        case .images: return "media = 1"
        case .favorites: return "favorite = 1"
        case .bursts: return "burst IS NOT NULL"
        case .raw: return "raw = 1"
        case .timelapse: return "timelapse IS NOT NULL"
        case .burst(let name):
            guard let burst = AssetIdentifier(name) else { return "0" }
            values.append(.bytes(burst.bytes))
            return "(burst IS NOT NULL AND burst = ?)"
        case .mediaType(let type):
            values.append(.integer(Int64(type.rawValue)))
            return "media = ?"
        case .since(let moment):
            values.append(.integer(moment.unixNanoseconds))
            return "captured >= ?"
        case .identifiers(let names): return identifiers(names, &values)
        case .comparison(let comparison): return condition(comparison, &values)
        case .not(let other): return "NOT (" + condition(other, &values) + ")"
        case .any(let filters): return joined(filters, " OR ", empty: "0", &values)
        case .all(let filters): return joined(filters, " AND ", empty: "1", &values)
        }
    }

    /// All identifiers in one value, taken apart again: there is no limit to their number.
    private static func identifiers(_ names: [String], _ values: inout [SQLiteValue]) -> String {
        let bytes = names.compactMap { AssetIdentifier($0)?.bytes }.flatMap { $0 }
        guard !bytes.isEmpty else { return "0" }
        values += [.bytes(bytes), .bytes(bytes)]
        return """
            identifier IN (
                WITH RECURSIVE part(start) AS (
                    VALUES (1) UNION ALL SELECT start + 16 FROM part WHERE start + 16 < length(?))
                SELECT substr(?, start, 16) FROM part)
            """
    }

    private static func condition(_ comparison: AssetComparison, _ values: inout [SQLiteValue]) -> String {
        let column = comparison.column.sql
        let (low, high) = (comparison.numbers.lowerBound, comparison.numbers.upperBound)
        switch comparison.relation {
        case .equal:
            // A flag is written out, for the partial indexes' sake.
            if comparison.column == .favorite || comparison.column == .raw { return "\(column) = \(low)" }
            values += [.integer(low), .integer(high)]
            return "\(column) BETWEEN ? AND ?"
        case .less, .greaterOrEqual:
            values.append(.integer(low))
            return column + (comparison.relation == .less ? " < ?" : " >= ?")
        case .lessOrEqual, .greater:
            values.append(.integer(high))
            return column + (comparison.relation == .greater ? " > ?" : " <= ?")
        }
    }

    private static func joined(
        _ filters: [FetchOptions.Filter], _ word: String, empty: String, _ values: inout [SQLiteValue]
    ) -> String {
        guard !filters.isEmpty else { return empty }
        var parts: [String] = []
        for filter in filters { parts.append("(" + condition(filter, &values) + ")") }
        return "(" + parts.joined(separator: word) + ")"
    }
}

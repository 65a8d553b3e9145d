/// What of the catalog a client sees.
extension Catalog {
    /// The condition on rows of `asset` that leaves what a client may see. Every query on a client's behalf has it.
    static func condition(_ visibility: Rights.Visibility, _ values: inout [SQLiteValue]) -> String {
        switch visibility {
        case .nothing: return "0"
        case .everything: return "1"
        case .selection(let selection):
            values.append(.bytes(selection.bytes))
            // IN, so that a small selection in a large library is found from the selection's side.
            return "asset.number IN (SELECT selection.number FROM selection WHERE selection.selection = ?)"
        }
    }

    /// The asset with an identifier or a number; nil when it does not exist or the client does not see it.
    func find(_ name: String, _ visibility: Rights.Visibility) throws(SQLiteError) -> AssetRecord? {
        var values: [SQLiteValue] = []
        var condition: String
        if let identifier = AssetIdentifier(name) {
            condition = "identifier = ?"
            values.append(.bytes(identifier.bytes))
        } else if let number = DCFNumber(name) {
            guard let number = try selections.number(number, visibility) else { return nil }
            condition = "number = ?"
            values.append(.integer(number.position))
        } else {
            return nil
        }
        condition += " AND " + Self.condition(visibility, &values)
        return try assets.all(where: condition, values).first
    }

    /// Number and size of the listed assets a client sees.
    func total(_ visibility: Rights.Visibility) throws(SQLiteError) -> (assets: Int, bytes: Int64) {
        if visibility == .everything { return try assets.total(.listed) }
        var values: [SQLiteValue] = []
        let statement = try connection.statement(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM asset WHERE status = 0 AND "
                + Self.condition(visibility, &values), values)
        defer { statement.reset() }
        guard try statement.step() else { return (0, 0) }
        return (Int(clamping: statement.integer(0)), statement.integer(1))
    }
}

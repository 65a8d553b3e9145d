/// What the comparison of a directory needs of each asset.
struct DirectoryEntry {
    let number: DCFNumber
    let identifier: AssetIdentifier
    let status: AssetRecord.Status
    let isSettled: Bool
    var extensions: [String]
}

extension Catalog {
    /// Directories that have assets.
    func directories() throws(SQLiteError) -> [Int] {
        var found: [Int] = []
        var after: Int64 = 0
        // One look into the key for each directory instead of a walk over all assets. What is no number is passed over.
        while let next = try connection.integer(
            "SELECT min(number) FROM asset WHERE number BETWEEN ? AND ?",
            [.integer(after), .integer(DCFNumber.last.position)])
        {
            found.append(Int(clamping: next / 10000))
            after = (next / 10000 + 1) * 10000
        }
        return found
    }

    /// The assets of one directory, as far as a comparison needs them.
    func entries(inDirectory directory: Int) throws(SQLiteError) -> [DirectoryEntry] {
        let first = Int64(directory) * 10000
        let statement = try connection.statement(
            """
            SELECT asset.number, asset.status, asset.settled, resource.extension, asset.identifier
            FROM asset JOIN resource ON resource.number = asset.number
            WHERE asset.number BETWEEN ? AND ? ORDER BY asset.number, resource.position
            """, [.integer(first), .integer(first + 9999)])
        defer { statement.reset() }
        var found: [DirectoryEntry] = []
        while try statement.step() {
            guard let number = DCFNumber(position: statement.integer(0)),
                let status = AssetRecord.Status(rawValue: statement.integer(1)), let text = statement.text(3),
                let identifier = AssetIdentifier(bytes: statement.bytes(4))
            else { continue }
            if found.last?.number == number {
                found[found.count - 1].extensions.append(text)
            } else {
                found.append(
                    DirectoryEntry(
                        number: number, identifier: identifier, status: status, isSettled: statement.integer(2) != 0,
                        extensions: [text]))
            }
        }
        return found
    }
}

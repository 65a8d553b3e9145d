import Imaging
import Platform

/// The assets, their resources and how many there are of each status.
///
/// - Isolation: confined to one thread, like its catalog.
package struct AssetTable {
    private let connection: SQLiteConnection
    private let history: HistoryTable
    /// False in a catalog of an earlier version that cannot be migrated.
    private let hasThumbnails: Bool

    init(_ connection: SQLiteConnection, history: HistoryTable, hasThumbnails: Bool) {
        self.connection = connection
        self.history = history
        self.hasThumbnails = hasThumbnails
    }

    private static let columns = """
        number, identifier, status, settled, captured, zone, trusted, width, height, favorite, burst, lag, durable, trashed,
        orientation, media, raw, timelapse, modified, counted
        """

    /// Adds an asset with its resources; throws when its number or identifier is in use.
    package func insert(_ asset: AssetRecord) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO asset (\(Self.columns), bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(asset.number.position), .bytes(asset.identifier.bytes), .integer(asset.status.rawValue),
                .flag(asset.isSettled), .integer(asset.captured.unixNanoseconds),
                .integer(Int64(asset.captured.offsetSeconds)), .flag(asset.captured.isTrusted),
                .integer(Int64(asset.width)), .integer(Int64(asset.height)), .flag(asset.isFavorite),
                asset.burst.map { .bytes($0.bytes) } ?? .null, .optional(asset.lag), .optional(asset.durable),
                .optional(asset.trashed), .integer(Int64(asset.orientation)), .integer(Int64(asset.media.rawValue)),
                .flag(asset.isRaw), asset.timelapse.map { .bytes($0.bytes) } ?? .null, .optional(asset.modified),
                .optional(asset.counted), .integer(asset.bytes),
            ])
        for (position, resource) in asset.resources.enumerated() {
            try connection.run(
                "INSERT INTO resource VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(asset.number.position), .integer(Int64(position)),
                    .integer(Int64(resource.type.rawValue)), .text(resource.fileExtension),
                    .optional(resource.originalFilename), .optional(resource.uniformTypeIdentifier),
                    .integer(resource.bytes), .integer(Int64(bitPattern: resource.checksum)),
                ] + Self.values(resource.thumbnail))
        }
        if asset.number.position > (try connection.fact("highest_number")) {
            try connection.setFact("highest_number", asset.number.position)
        }
    }

    /// The asset with a number.
    package func find(_ number: DCFNumber) throws(SQLiteError) -> AssetRecord? {
        try all(where: "number = ?", [.integer(number.position)]).first
    }

    /// The asset with an identity.
    package func find(_ identifier: AssetIdentifier) throws(SQLiteError) -> AssetRecord? {
        try all(where: "identifier = ?", [.bytes(identifier.bytes)]).first
    }

    /// Assets whose files may be on their way between two places.
    package func unsettled() throws(SQLiteError) -> [AssetRecord] {
        try all(where: "settled = 0 ORDER BY number", [])
    }

    /// Assets of one status after a number, in order of numbers.
    package func all(
        _ status: AssetRecord.Status, after number: DCFNumber?, limit: Int
    ) throws(SQLiteError) -> [AssetRecord] {
        try all(
            where: "status = ? AND number > ? ORDER BY number LIMIT ?",
            [.integer(status.rawValue), .integer(number?.position ?? 0), .integer(Int64(limit))])
    }

    /// Assets with numbers of one directory, in order.
    package func all(inDirectory directory: Int) throws(SQLiteError) -> [AssetRecord] {
        let first = Int64(directory) * 10000
        return try all(
            where: "number BETWEEN ? AND ? ORDER BY number", [.integer(first), .integer(first + 9999)])
    }

    /// Assets that a condition selects. The condition is ours; values from outside are only ever bound.
    func all(
        where condition: String, _ values: [SQLiteValue], from source: String = "asset"
    ) throws(SQLiteError) -> [AssetRecord] {
        let statement = try connection.statement("SELECT \(Self.columns) FROM \(source) WHERE \(condition)", values)
        defer { statement.reset() }
        var found: [AssetRecord] = []
        while try statement.step() {
            guard let number = DCFNumber(position: statement.integer(0)),
                let identifier = AssetIdentifier(bytes: statement.bytes(1)),
                let status = AssetRecord.Status(rawValue: statement.integer(2))
            else { continue }
            found.append(
                AssetRecord(
                    number: number, identifier: identifier, status: status, isSettled: statement.integer(3) != 0,
                    captured: WallTime(
                        unixNanoseconds: statement.integer(4), offsetSeconds: Int(clamping: statement.integer(5)),
                        isTrusted: statement.integer(6) != 0),
                    width: Int(clamping: statement.integer(7)), height: Int(clamping: statement.integer(8)),
                    isFavorite: statement.integer(9) != 0, burst: AssetIdentifier(bytes: statement.bytes(10)),
                    lag: statement.optionalInteger(11), durable: statement.optionalInteger(12),
                    trashed: statement.optionalInteger(13), orientation: Int(clamping: statement.integer(14)),
                    media: AssetMediaType(rawValue: Int(clamping: statement.integer(15))) ?? .unknown,
                    isRaw: statement.integer(16) != 0, timelapse: AssetIdentifier(bytes: statement.bytes(17)),
                    modified: statement.optionalInteger(18), counted: statement.optionalInteger(19),
                    resources: try resources(number)))
        }
        return found
    }

    private func resources(_ number: DCFNumber) throws(SQLiteError) -> [AssetRecord.Resource] {
        let thumbnail =
            hasThumbnails ? "thumbnail_offset, thumbnail_bytes, thumbnail_width, thumbnail_height" : "NULL"
        let statement = try connection.statement(
            """
            SELECT type, extension, original_name, type_identifier, bytes, checksum, \(thumbnail) FROM resource
            WHERE number = ? ORDER BY position
            """, [.integer(number.position)])
        defer { statement.reset() }
        var found: [AssetRecord.Resource] = []
        while try statement.step() {
            // It becomes part of a path: a catalog of another's making must not lead out of the library.
            guard let fileExtension = statement.text(1), FileExtension.isValid(fileExtension) else { continue }
            found.append(
                AssetRecord.Resource(
                    type: AssetResourceType(rawValue: Int(clamping: statement.integer(0))),
                    fileExtension: fileExtension, originalFilename: statement.text(2),
                    uniformTypeIdentifier: statement.text(3), bytes: statement.integer(4),
                    checksum: UInt64(bitPattern: statement.integer(5)),
                    thumbnail: Self.thumbnail(statement, fileSize: statement.integer(4))))
        }
        return found
    }

    /// Where a file's thumbnail lies, as columns.
    private static func values(_ place: ThumbnailPlace) -> [SQLiteValue] {
        switch place {
        case .unknown: Array(repeating: .null, count: 4)
        case .absent: Array(repeating: .integer(0), count: 4)
        case .at(let offset, let byteCount, let width, let height):
            [.integer(Int64(offset)), .integer(Int64(byteCount)), .integer(Int64(width)), .integer(Int64(height))]
        }
    }

    private static func thumbnail(_ statement: SQLiteStatement, fileSize: Int64) -> ThumbnailPlace {
        guard let offset = statement.optionalInteger(6) else { return .unknown }
        return ThumbnailPlace(
            offset: offset, byteCount: statement.integer(7), width: statement.integer(8), height: statement.integer(9),
            fileSize: fileSize)
    }

    /// Changes where an asset stands.
    package func setStatus(
        _ number: DCFNumber, _ status: AssetRecord.Status, isSettled: Bool
    ) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET status = ?, settled = ?, trashed = NULL, counted = NULL WHERE number = ?",
            [.integer(status.rawValue), .flag(isSettled), .integer(number.position)])
    }

    /// Moves an asset to Recently Deleted. Its time there counts from now on when the clock is trusted.
    package func setTrashed(_ number: DCFNumber, _ now: WallTime, isSettled: Bool) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET status = ?, settled = ?, trashed = ?, counted = ? WHERE number = ?",
            [
                .integer(AssetRecord.Status.trashed.rawValue), .flag(isSettled), .integer(now.unixNanoseconds),
                now.isTrusted ? .integer(now.unixNanoseconds) : .null, .integer(number.position),
            ])
    }

    /// Notes whether an asset's files may be on their way.
    package func setSettled(_ number: DCFNumber, _ isSettled: Bool) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET settled = ? WHERE number = ?", [.flag(isSettled), .integer(number.position)])
    }

    /// Stores what an edit changes.
    package func update(_ record: AssetRecord) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE asset SET favorite = ?, burst = ?, captured = ?, zone = ?, trusted = ?, modified = ? WHERE number = ?
            """,
            [
                .flag(record.isFavorite), record.burst.map { .bytes($0.bytes) } ?? .null,
                .integer(record.captured.unixNanoseconds), .integer(Int64(record.captured.offsetSeconds)),
                .flag(record.captured.isTrusted), .optional(record.modified), .integer(record.number.position),
            ])
    }

    /// Notes how long an asset took to become durable.
    package func setDurable(_ number: DCFNumber, milliseconds: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET durable = ? WHERE number = ?", [.integer(milliseconds), .integer(number.position)])
    }

    /// Forgets an asset; its number stays taken.
    package func delete(_ number: DCFNumber) throws(SQLiteError) {
        try history.recordLeaving(number)
        try connection.run("DELETE FROM asset WHERE number = ?", [.integer(number.position)])
    }

    /// Number and size of the assets of one status, without counting them.
    package func total(_ status: AssetRecord.Status) throws(SQLiteError) -> (assets: Int, bytes: Int64) {
        let statement = try connection.statement(
            "SELECT assets, bytes FROM total WHERE status = ?", [.integer(status.rawValue)])
        defer { statement.reset() }
        guard try statement.step() else { return (0, 0) }
        return (Int(clamping: statement.integer(0)), statement.integer(1))
    }

    // MARK: Directories

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

/// What the comparison of a directory needs of each asset.
struct DirectoryEntry {
    let number: DCFNumber
    let identifier: AssetIdentifier
    let status: AssetRecord.Status
    let isSettled: Bool
    var extensions: [String]
}

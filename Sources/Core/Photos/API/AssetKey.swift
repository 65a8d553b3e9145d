import FoundationEssentials

/// Something about an asset by which a fetch can compare and sort: `AssetKey.pixelWidth >= 4000`.
public struct AssetKey<Value: Sendable>: Sendable {
    let column: AssetColumn
    /// The numbers of the catalog that count as a value.
    let numbers: @Sendable (Value) -> ClosedRange<Int64>
}

extension AssetKey where Value == Int {
    /// Width in pixels as stored.
    public static var pixelWidth: AssetKey<Int> { AssetKey(column: .width) { Int64($0)...Int64($0) } }
    /// Height in pixels as stored.
    public static var pixelHeight: AssetKey<Int> { AssetKey(column: .height) { Int64($0)...Int64($0) } }
}

extension AssetKey where Value == Int64 {
    /// Size of all files in bytes.
    public static var bytes: AssetKey<Int64> { AssetKey(column: .bytes) { $0...$0 } }
}

extension AssetKey where Value == Bool {
    /// Marked by a person.
    public static var isFavorite: AssetKey<Bool> { AssetKey(column: .favorite) { Self.number($0) } }
    /// It has raw data.
    public static var isRaw: AssetKey<Bool> { AssetKey(column: .raw) { Self.number($0) } }

    private static func number(_ value: Bool) -> ClosedRange<Int64> { value ? 1...1 : 0...0 }
}

extension AssetKey where Value == AssetMediaType {
    /// The kind of media.
    public static var mediaType: AssetKey<AssetMediaType> {
        AssetKey(column: .media) { Int64($0.rawValue)...Int64($0.rawValue) }
    }
}

extension AssetKey where Value == Date {
    /// Moment of exposure. Dates closer together than half a microsecond count as equal.
    public static var creationDate: AssetKey<Date> { AssetKey(column: .captured) { Self.nanoseconds($0) } }
    /// When what is said about it was last changed. Dates closer together than half a microsecond count as equal.
    public static var modificationDate: AssetKey<Date> { AssetKey(column: .modified) { Self.nanoseconds($0) } }

    // A `Date` holds a time of today to some 240 nanoseconds, the catalog to one.
    private static func nanoseconds(_ date: Date) -> ClosedRange<Int64> {
        let middle = date.timeIntervalSince1970 * 1e9
        guard middle > -9.2e18 else { return Int64.min...Int64.min }
        guard middle < 9.2e18 else { return Int64.max...Int64.max }
        return Int64(middle) - 500...Int64(middle) + 500
    }
}

extension AssetKey {
    /// Assets that have the value.
    public static func == (key: AssetKey, value: Value) -> FetchOptions.Filter { key.compared(.equal, value) }
    /// Assets that have another value.
    public static func != (key: AssetKey, value: Value) -> FetchOptions.Filter { .not(key.compared(.equal, value)) }

    private func compared(_ relation: AssetComparison.Relation, _ value: Value) -> FetchOptions.Filter {
        .comparison(AssetComparison(column: column, relation: relation, numbers: numbers(value)))
    }
}

extension AssetKey where Value: Comparable {
    /// Assets that have a smaller value.
    public static func < (key: AssetKey, value: Value) -> FetchOptions.Filter { key.compared(.less, value) }
    /// Assets that have the value or a smaller one.
    public static func <= (key: AssetKey, value: Value) -> FetchOptions.Filter { key.compared(.lessOrEqual, value) }
    /// Assets that have a greater value.
    public static func > (key: AssetKey, value: Value) -> FetchOptions.Filter { key.compared(.greater, value) }
    /// Assets that have the value or a greater one.
    public static func >= (key: AssetKey, value: Value) -> FetchOptions.Filter {
        key.compared(.greaterOrEqual, value)
    }
}

/// One comparison of a key with a value; made by the operators of `AssetKey`.
public struct AssetComparison: Hashable, Sendable {
    enum Relation: Hashable { case equal, less, lessOrEqual, greater, greaterOrEqual }

    let column: AssetColumn
    let relation: Relation
    /// The numbers that count as the value.
    let numbers: ClosedRange<Int64>
}

/// What assets are compared and sorted by. No column is ever NULL.
enum AssetColumn: Hashable, Sendable {
    case number, captured, modified, width, height, bytes, favorite, raw, media
    /// The place in an album.
    case position

    /// As the catalog calls it.
    var sql: String {
        switch self {
        case .number: "asset.number"
        case .captured: "captured"
        case .modified: "coalesce(modified, captured)"
        case .width: "width"
        case .height: "height"
        case .bytes: "bytes"
        case .favorite: "favorite"
        case .raw: "raw"
        case .media: "media"
        case .position: "album_member.position"
        }
    }

    /// What an asset has there; nil for the place in an album, which only the album knows.
    func value(of record: AssetRecord) -> Int64? {
        switch self {
        case .number: record.number.position
        case .captured: record.captured.unixNanoseconds
        case .modified: record.modified ?? record.captured.unixNanoseconds
        case .width: Int64(record.width)
        case .height: Int64(record.height)
        case .bytes: record.bytes
        case .favorite: record.isFavorite ? 1 : 0
        case .raw: record.isRaw ? 1 : 0
        case .media: Int64(record.media.rawValue)
        case .position: nil
        }
    }
}

/// A filter as a condition in SQL. Values from outside are only ever bound.
///
/// SQLite's parser goes only some 100 tokens deep, and its expressions 1000 operators. So what lies deepest is written
/// first, without parentheses that change nothing, and many conditions are joined two by two.
struct FilterCondition {
    /// The condition, with parentheses around it where it needs them beside others.
    let sql: String
    /// What is bound to its parameters, in order.
    let values: [SQLiteValue]
    /// How deep its parts lie inside each other.
    private let depth: Int

    /// The condition that a row of `asset` meets when the filter lets it through.
    init(_ filter: FetchOptions.Filter) {
        switch filter {
        // Written out, so that they are seen to be the conditions of the partial indexes.
        case .images: self.init("media = 1")
        case .favorites: self.init("favorite = 1")
        case .bursts: self.init("burst IS NOT NULL")
        case .raw: self.init("raw = 1")
        case .timelapse: self.init("timelapse IS NOT NULL")
        case .burst(let name):
            if let burst = AssetIdentifier(name) {
                self.init("(burst IS NOT NULL AND burst = ?)", [.bytes(burst.bytes)])
            } else {
                self.init("0")
            }
        case .mediaType(let type): self.init("media = ?", [.integer(Int64(type.rawValue))])
        case .since(let moment): self.init("captured >= ?", [.integer(moment.unixNanoseconds)])
        case .identifiers(let names): self.init(identifiers: names)
        case .comparison(let comparison): self.init(comparison)
        case .not(let other):
            let other = FilterCondition(other)
            self.init("NOT " + other.sql, other.values, depth: other.depth + 1)
        case .any(let filters): self = Self.joined(filters, " OR ") ?? FilterCondition("0")
        case .all(let filters): self = Self.joined(filters, " AND ") ?? FilterCondition("1")
        }
    }

    private init(_ sql: String, _ values: [SQLiteValue] = [], depth: Int = 0) {
        self.sql = sql
        self.values = values
        self.depth = depth
    }

    /// All identifiers in one value, taken apart again: there is no limit to their number.
    private init(identifiers names: [String]) {
        let bytes = names.compactMap { AssetIdentifier($0)?.bytes }.flatMap { $0 }
        guard !bytes.isEmpty else {
            self.init("0")
            return
        }
        self.init(
            """
            identifier IN (
                WITH RECURSIVE part(start) AS (
                    VALUES (1) UNION ALL SELECT start + 16 FROM part WHERE start + 16 < length(?))
                SELECT substr(?, start, 16) FROM part)
            """, [.bytes(bytes), .bytes(bytes)])
    }

    private init(_ comparison: AssetComparison) {
        let column = comparison.column.sql
        let (low, high) = (comparison.numbers.lowerBound, comparison.numbers.upperBound)
        switch comparison.relation {
        case .equal:
            // A flag is written out, for the partial indexes' sake.
            if comparison.column == .favorite || comparison.column == .raw {
                self.init("\(column) = \(low)")
            } else {
                self.init("\(column) BETWEEN ? AND ?", [.integer(low), .integer(high)])
            }
        case .less, .greaterOrEqual:
            self.init(column + (comparison.relation == .less ? " < ?" : " >= ?"), [.integer(low)])
        case .lessOrEqual, .greater:
            self.init(column + (comparison.relation == .greater ? " > ?" : " <= ?"), [.integer(high)])
        }
    }

    /// Nil when there is nothing to join. The deepest stays outside of the pairs.
    private static func joined(_ filters: [FetchOptions.Filter], _ word: String) -> FilterCondition? {
        var parts = filters.map { FilterCondition($0) }.sorted { $0.depth > $1.depth }
        guard let deepest = parts.first else { return nil }
        parts.removeFirst()
        while parts.count > 1 {
            parts = stride(from: 0, to: parts.count, by: 2).map { index in
                index + 1 < parts.count ? parts[index].joined(parts[index + 1], word) : parts[index]
            }
        }
        return parts.first.map { deepest.joined($0, word) } ?? deepest
    }

    private func joined(_ other: FilterCondition, _ word: String) -> FilterCondition {
        FilterCondition(
            "(" + sql + word + other.sql + ")", values + other.values, depth: max(depth, other.depth) + 1)
    }
}

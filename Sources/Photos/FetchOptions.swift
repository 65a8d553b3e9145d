import Platform

/// Which assets a fetch gives, in which order, and how many.
public struct FetchOptions: Sendable {
    /// Which assets.
    public indirect enum Filter: Hashable, Sendable {
        /// All photographs.
        case images
        /// Those marked by a person.
        case favorites
        /// Those that belong to a burst.
        case bursts
        /// Those exposed at or after a moment.
        case since(WallTime)
        /// Those the other filter leaves out.
        case not(Filter)
        /// Those at least one of the filters gives; none when there is no filter.
        case any([Filter])
        /// Those that every filter gives; every asset when there is no filter.
        case all([Filter])
    }

    /// In order of numbers, which is the order of presses; no clock can disturb it.
    public enum Order: Hashable, Sendable {
        /// The latest first.
        case newestFirst
        /// The earliest first.
        case oldestFirst
    }

    /// A place between two assets, from which the next page goes on.
    public struct Cursor: Hashable, Sendable {
        let position: Int64
    }

    /// Which assets; all when nil.
    public var filter: Filter?
    /// In which order.
    public var order = Order.newestFirst
    /// Filters inside filters, at most.
    static let deepestFilter = 64

    /// At most how many; 0 for all.
    public var fetchLimit = 0
    /// Where to go on: `FetchResult.next` of the page before.
    public var cursor: Cursor?

    /// All assets, the newest first.
    public init() {}
}

/// One page of assets.
public struct FetchResult: Sendable {
    /// The assets in the order asked for.
    public let assets: [Asset]
    /// Where the next page begins; nil when this was the last.
    public let next: FetchOptions.Cursor?
}

extension FetchOptions.Filter {
    /// True when filters lie in filters at most `depth` deep.
    func isNested(atMost depth: Int) -> Bool {
        guard depth > 0 else { return false }
        switch self {
        case .images, .favorites, .bursts, .since: return true
        case .not(let other): return other.isNested(atMost: depth - 1)
        case .any(let filters), .all(let filters): return filters.allSatisfy { $0.isNested(atMost: depth - 1) }
        }
    }
}

extension Catalogue {
    /// One page of listed assets. One more than the limit is read to know whether there is another page.
    func fetch(
        _ options: FetchOptions, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> (page: [AssetRecord], next: FetchOptions.Cursor?) {
        let limit = options.fetchLimit > 0 ? min(options.fetchLimit, Int(Int32.max)) : Int(Int32.max)
        var values: [SQLiteValue] = []
        var condition = "status = 0 AND " + Self.condition(visibility, &values)
        if let filter = options.filter { condition += " AND " + Self.condition(filter, &values) }
        if let cursor = options.cursor {
            condition += options.order == .newestFirst ? " AND number < ?" : " AND number > ?"
            values.append(.integer(cursor.position))
        }
        condition += options.order == .newestFirst ? " ORDER BY number DESC LIMIT ?" : " ORDER BY number LIMIT ?"
        values.append(.integer(Int64(limit) + 1))
        var found = try assets(condition, values)
        guard found.count > limit else { return (found, nil) }
        found.removeLast(found.count - limit)
        return (found, found.last.map { FetchOptions.Cursor(position: $0.number.position) })
    }

    private static func condition(_ filter: FetchOptions.Filter, _ values: inout [SQLiteValue]) -> String {
        switch filter {
        case .images: return "1"
        case .favorites: return "favorite = 1"
        case .bursts: return "burst IS NOT NULL"
        case .since(let moment):
            values.append(.integer(moment.unixNanoseconds))
            return "captured >= ?"
        case .not(let other): return "NOT (" + condition(other, &values) + ")"
        case .any(let filters): return joined(filters, " OR ", empty: "0", &values)
        case .all(let filters): return joined(filters, " AND ", empty: "1", &values)
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

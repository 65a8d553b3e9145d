import FoundationEssentials
import Platform

/// Which assets a fetch gives, in which order, and how many.
public struct FetchOptions: Hashable, Sendable {
    /// Which assets. The operators of `AssetKey` make filters too.
    public indirect enum Filter: Hashable, Sendable {
        /// All assets with an image, which are all assets here.
        case images
        /// Those marked by a person.
        case favorites
        /// Those that belong to a burst.
        case bursts
        /// Those of one burst, by its identifier.
        case burst(String)
        /// Those with raw data.
        case raw
        /// Those that belong to a series of timed photos.
        case timelapse
        /// Those of one kind.
        case mediaType(AssetMediaType)
        /// Those exposed at or after a moment.
        case since(WallTime)
        /// Those with one of the identifiers.
        case identifiers([String])
        /// Those a comparison is true for.
        case comparison(AssetComparison)
        /// Those the other filter leaves out.
        case not(Filter)
        /// Those at least one of the filters gives; none when there is no filter.
        case any([Filter])
        /// Those that every filter gives; every asset when there is no filter.
        case all([Filter])

        /// Those exposed within a range of dates; its end is not part of it.
        public static func created(in range: Range<Date>) -> Filter {
            .all([AssetKey.creationDate >= range.lowerBound, AssetKey.creationDate < range.upperBound])
        }
    }

    /// In which order. Assets that are equal in it follow in the order of their numbers.
    public struct Order: Hashable, Sendable {
        let column: AssetColumn
        let isAscending: Bool

        /// The latest first, in order of numbers, which is the order of presses; no clock can disturb it.
        public static let newestFirst = Order(column: .number, isAscending: false)
        /// The earliest first, in order of numbers.
        public static let oldestFirst = Order(column: .number, isAscending: true)
        /// As the album has them. Outside of an album, the newest first.
        public static let album = Order(column: .position, isAscending: true)

        /// By something about the assets.
        public static func by<Value>(_ key: AssetKey<Value>, ascending: Bool = true) -> Order {
            Order(column: key.column, isAscending: ascending)
        }
    }

    /// A place between two assets, from which the next page goes on.
    public struct Cursor: Hashable, Sendable {
        let order: Order
        /// What the last asset of the page has in the order's column.
        let value: Int64
        /// The last asset's number.
        let number: Int64
    }

    /// Filters inside filters, at most.
    static let deepestFilter = 64

    /// Which assets; all when nil.
    public var filter: Filter?
    /// The order of the result.
    public var order = Order.newestFirst
    /// At most how many; 0 for all.
    public var fetchLimit = 0
    /// Where to go on: `FetchResult.next` of the page before, which had the same order.
    public var cursor: Cursor?

    /// All assets, the newest first.
    public init() {}

    /// Refuses what cannot be answered.
    func check() throws(PhotosError) {
        guard filter?.isNested(atMost: Self.deepestFilter) ?? true else {
            throw PhotosError(.invalidFilter, "The filter is nested too deeply.")
        }
        guard cursor == nil || cursor?.order == order else {
            throw PhotosError(
                .invalidFilter, "The cursor belongs to a fetch in another order; start with the first page.")
        }
    }
}

extension FetchOptions.Filter {
    /// True when filters lie in filters at most `depth` deep.
    func isNested(atMost depth: Int) -> Bool {
        guard depth > 0 else { return false }
        switch self {
        case .not(let other): return other.isNested(atMost: depth - 1)
        case .any(let filters), .all(let filters): return filters.allSatisfy { $0.isNested(atMost: depth - 1) }
        default: return true
        }
    }
}

/// One row of the history: what happened to one object. The catalog stores the numbers.
struct HistoryRow: Hashable, Sendable {
    enum Kind: Int64, Sendable {
        /// An asset appeared in listings.
        case assetInserted = 1
        /// Something said about an asset was changed.
        case assetUpdated = 2
        /// An asset disappeared from listings.
        case assetDeleted = 3
        /// An album was made.
        case albumInserted = 4
        /// An album's title or members were changed.
        case albumUpdated = 5
        /// An album was deleted.
        case albumDeleted = 6
        /// An asset joined a selection.
        case joined = 7
        /// An asset left a selection.
        case left = 8

        var isOfAlbum: Bool { self == .albumInserted || self == .albumUpdated || self == .albumDeleted }
    }

    var row: Int64
    /// Rows of one commit have the same.
    var block: Int64
    var kind: Kind
    var identifier: AssetIdentifier
    /// Only for `joined` and `left`.
    var selection: AssetIdentifier?
}

/// An album: one that a person made, or one that the library fills by a rule.
public struct AssetCollection: PhotoObject {
    /// Who fills it. The numbers are Apple's (PHAssetCollectionType).
    public enum CollectionType: Int, Hashable, Sendable, CaseIterable {
        /// An album that people fill themselves.
        case album = 1
        /// Filled automatically by a rule.
        case smartAlbum = 2
    }

    /// Which album. The numbers are Apple's (PHAssetCollectionSubtype).
    public enum Subtype: Int, Hashable, Sendable, CaseIterable {
        /// One that a person made.
        case albumRegular = 2
        /// All assets that are marked as favorites.
        case smartAlbumFavorites = 203
        /// Series of timed photos.
        case smartAlbumTimelapses = 204
        /// All assets of bursts.
        case smartAlbumBursts = 207
        /// Everything, the newest first.
        case smartAlbumUserLibrary = 209
        /// Photos with raw data.
        case smartAlbumRAW = 217
    }

    /// Its identity, for as long as it exists. Smart albums have the same everywhere.
    public let localIdentifier: String
    /// Whether people or a rule fill the collection.
    public let assetCollectionType: CollectionType
    /// The kind of album; each smart album has its own.
    public let assetCollectionSubtype: Subtype
    /// The title; for smart albums in English.
    public let localizedTitle: String?
    /// How many assets it showed when it was fetched.
    public internal(set) var estimatedAssetCount: Int

    init(
        localIdentifier: String, type: CollectionType, subtype: Subtype, localizedTitle: String,
        estimatedAssetCount: Int = 0
    ) {
        self.localIdentifier = localIdentifier
        assetCollectionType = type
        assetCollectionSubtype = subtype
        self.localizedTitle = localizedTitle
        self.estimatedAssetCount = estimatedAssetCount
    }

    static let smartAlbums = [
        smart("recent", .smartAlbumUserLibrary, "Recent"), smart("favorites", .smartAlbumFavorites, "Favorites"),
        smart("bursts", .smartAlbumBursts, "Bursts"), smart("raw", .smartAlbumRAW, "RAW"),
        smart("timelapse", .smartAlbumTimelapses, "Time-lapse"),
    ]

    private static func smart(_ name: String, _ subtype: Subtype, _ title: String) -> AssetCollection {
        AssetCollection(localIdentifier: name, type: .smartAlbum, subtype: subtype, localizedTitle: title)
    }

    /// The rule that fills it; nil for all assets, and for albums.
    var filter: FetchOptions.Filter? {
        switch assetCollectionSubtype {
        case .albumRegular, .smartAlbumUserLibrary: nil
        case .smartAlbumFavorites: .favorites
        case .smartAlbumTimelapses: .timelapse
        case .smartAlbumBursts: .bursts
        case .smartAlbumRAW: .raw
        }
    }

    /// The identity of an album that a person made.
    var album: AssetIdentifier? { assetCollectionType == .album ? AssetIdentifier(localIdentifier) : nil }
}

/// Which collections a fetch asks for.
struct CollectionQuery: Hashable, Sendable {
    /// The type of the fetched collections; nil for both.
    var type: AssetCollection.CollectionType?
    /// The subtype of the fetched collections; nil for all.
    var subtype: AssetCollection.Subtype?
    /// Those with the identifiers; nil for all.
    var identifiers: Set<String>?
    /// Those that have an asset; nil for all.
    var containing: AssetIdentifier?
}

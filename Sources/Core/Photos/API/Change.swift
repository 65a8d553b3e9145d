import FoundationEssentials
import Platform

/// What one change block asks for, in order.
package struct ChangeSet: Sendable {
    /// The requested changes, in the order of the requests.
    package var changes: [Change] = []
    /// The first usage error made in the block; it fails the whole block.
    package var usageError: PhotosError?

    /// Nothing asked for yet.
    package init() {}
}

/// One change that a change block requests.
package enum Change: Sendable {
    /// Adds an asset with its files.
    case create(NewAsset)
    /// Changes what is said about an asset.
    case edit(identifier: String, AssetEdit)
    /// Moves an asset to Recently Deleted.
    case delete(identifier: String)
    /// A new album without assets.
    case createAlbum(AssetIdentifier, title: String)
    /// Changes an album, step by step.
    case editAlbum(identifier: String, [AlbumEdit])
    /// Removes an album; its assets stay.
    case deleteAlbum(identifier: String)
}

/// What is to be said about an asset from now on; nil leaves it as it is.
package struct AssetEdit: Sendable {
    /// Marked by a person.
    package var isFavorite: Bool?
    /// The new moment of exposure; nil leaves it as it is.
    package var captured: WallTime?
    /// Which burst it belongs to.
    package var burst: AssetIdentifier?

    /// The asset with the edit made.
    func applied(to record: AssetRecord) -> AssetRecord {
        var record = record
        if let isFavorite { record.isFavorite = isFavorite }
        if let captured { record.captured = captured }
        if let burst { record.burst = burst }
        return record
    }
}

/// An asset to be created.
package struct NewAsset: Sendable {
    /// One file to be written.
    package struct Resource: Sendable {
        /// Where its bytes are.
        package enum Content: Sendable {
            /// In memory. They are written from where they are, without a copy.
            case data(Data)
            /// In a file, copied in pieces; removed when the asset is durable if it is to be moved.
            case file(path: String, isMoved: Bool)
        }

        /// What it is to the asset.
        package var type: AssetResourceType
        /// The bytes, in memory or in a file.
        package var content: Content
        /// The name it came with.
        package var originalFilename: String?
        /// The uniform type identifier that the client gave; nil if it gave none.
        package var uniformTypeIdentifier: String?

        /// A file of the asset; name and type are nil when the client gave none.
        package init(
            type: AssetResourceType, content: Content, originalFilename: String? = nil,
            uniformTypeIdentifier: String? = nil
        ) {
            self.type = type
            self.content = content
            self.originalFilename = originalFilename
            self.uniformTypeIdentifier = uniformTypeIdentifier
        }
    }

    /// The identifier that the asset will have.
    package var identifier = AssetIdentifier()
    /// Moment of exposure; nil takes what the photo says, else the time of the change.
    package var captured: WallTime?
    /// Width in pixels, 0 takes what the photo says.
    package var width = 0
    /// Height in pixels, 0 takes what the photo says.
    package var height = 0
    /// Marked by a person.
    package var isFavorite = false
    /// Which burst it belongs to.
    package var burst: AssetIdentifier?
    /// Exposure midpoint minus button edge in microseconds.
    package var lag: Int64?
    /// The button edge, from which the time to durable counts.
    package var moment: MonotonicTime?
    /// The files: exactly one photo, and its companions.
    package var resources: [Resource] = []
}

import Photos
import Platform

/// A file or folder of the store, as a client sees it.
package struct StoredObject: Hashable, Sendable {
    /// What it is.
    package enum Kind: Hashable, Sendable {
        /// A folder.
        case folder
        /// One file of an asset, by its place in `Asset.resources`.
        case file(AssetIdentifier, resource: Int)
    }

    /// What is known of its small picture without a look into its file.
    package enum Thumbnail: Hashable, Sendable {
        /// The store has to be asked for it.
        case unknown
        /// There is none.
        case absent
        /// A JPEG file of so many bytes and pixels.
        case jpeg(byteCount: UInt32, width: UInt16, height: UInt16)
    }

    /// Its handle, the same for the whole session; never 0 or all ones.
    package var handle: UInt32
    /// Handle of the folder it lies in; 0 for the root.
    package var parent: UInt32
    /// What it is.
    package var kind: Kind
    /// Its format.
    package var format: FileFormat
    /// Its name, without folders.
    package var name: String
    /// Size in bytes; 0 for a folder.
    package var byteCount: UInt64
    /// Moment of exposure; nil for a folder.
    package var captured: WallTime?
    /// When what is said about it was last changed; nil when never.
    package var modified: WallTime?
    /// Width in pixels; 0 when not known.
    package var width: UInt32
    /// Height in pixels; 0 when not known.
    package var height: UInt32
    /// Its small picture.
    package var thumbnail: Thumbnail

    /// An object from its parts.
    package init(
        handle: UInt32, parent: UInt32, kind: Kind, format: FileFormat, name: String, byteCount: UInt64 = 0,
        captured: WallTime? = nil, modified: WallTime? = nil, width: UInt32 = 0, height: UInt32 = 0,
        thumbnail: Thumbnail = .unknown
    ) {
        (self.handle, self.parent, self.kind, self.format, self.name) = (handle, parent, kind, format, name)
        (self.byteCount, self.captured, self.modified) = (byteCount, captured, modified)
        (self.width, self.height, self.thumbnail) = (width, height, thumbnail)
    }
}

/// The kinds of files that a store holds or takes.
package enum FileFormat: Hashable, CaseIterable, Sendable {
    /// A folder, which has no bytes.
    case folder
    /// A photo as JPEG; also a photo of which nothing else is known.
    case jpeg
    /// An uploaded raw photo as TIFF.
    case tiff
    /// A raw photo as DNG.
    case dng
    /// Any other file.
    case other
}

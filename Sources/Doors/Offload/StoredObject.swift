import Photos
import Platform

/// A file or folder of the store, as a client sees it.
package struct StoredObject: Hashable, Sendable {
    /// A folder, or a file of a photo.
    package enum Kind: Hashable, Sendable {
        /// A folder, which exists as long as it holds files.
        case folder
        /// One file of an asset, by its place in `Asset.resources`.
        case file(AssetIdentifier, resource: Int)
    }

    /// The thumbnail, as far as it is known without reading the file.
    package enum Thumbnail: Hashable, Sendable {
        /// Only the file can show whether it has a thumbnail.
        case unknown
        /// The file has no thumbnail.
        case absent
        /// A JPEG file, with its size in bytes and pixels.
        case jpeg(byteCount: UInt32, width: UInt16, height: UInt16)
    }

    /// Its handle, the same for the whole session; never 0 or all ones.
    package var handle: UInt32
    /// Handle of the folder that holds it; 0 for the root.
    package var parent: UInt32
    /// Whether it is a folder or a file of a photo.
    package var kind: Kind
    /// The kind of file, by which doors pick their own format codes.
    package var format: FileFormat
    /// The name of the file alone, without its folders.
    package var name: String
    /// Size in bytes; 0 for a folder.
    package var byteCount: UInt64
    /// Moment of exposure; nil for a folder.
    package var captured: WallTime?
    /// When its properties last changed; nil if never.
    package var modified: WallTime?
    /// Width in pixels; 0 when not known.
    package var width: UInt32
    /// Height in pixels; 0 when not known.
    package var height: UInt32
    /// The thumbnail, as far as it is known.
    package var thumbnail: Thumbnail

    /// An object; dates are nil when they are not known.
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
    /// A file that is no photo.
    case other
}

import Imaging
import Platform

/// An asset as the catalog holds it.
package struct AssetRecord: Hashable, Sendable {
    /// Where an asset stands. The catalog stores the numbers.
    package enum Status: Int64, Sendable {
        /// In `DCIM` and in listings.
        case listed = 0
        /// In Recently Deleted, and no longer in listings.
        case trashed = 1
        /// On its way out; its files are being removed.
        case purging = 2
        /// Its files are not where they should be; it comes back when they do.
        case missing = 3
    }

    /// One file of an asset.
    package struct Resource: Hashable, Sendable {
        /// What it is to the asset.
        package var type: AssetResourceType
        /// Extension of its file name: upper case, at most three characters.
        package var fileExtension: String
        /// The name it came with.
        package var originalFilename: String?
        /// Its type identifier, as it came.
        package var uniformTypeIdentifier: String?
        /// Size of the file in bytes.
        package var bytes: Int64
        /// XXH64 of the file.
        package var checksum: UInt64
        /// Where its small picture lies.
        package var thumbnail = ThumbnailPlace.unknown
    }

    /// Its number, the catalog's key.
    package var number: DCFNumber
    /// The identity that clients know it by, unique in the catalog.
    package var identifier: AssetIdentifier
    /// Whether it is listed, deleted, being removed or missing.
    package var status: Status = .listed
    /// False while its files may be on their way between two places.
    package var isSettled = true
    /// Moment of exposure, with the zone offset and whether the clock was trusted.
    package var captured: WallTime
    /// Width in pixels, 0 when not known.
    package var width: Int
    /// Height in pixels, 0 when not known.
    package var height: Int
    /// Marked by a person.
    package var isFavorite = false
    /// Which burst it belongs to.
    package var burst: AssetIdentifier?
    /// Exposure midpoint minus button edge in microseconds.
    package var lag: Int64?
    /// Edge to durable in milliseconds.
    package var durable: Int64?
    /// When it was deleted, nanoseconds since 1970.
    package var trashed: Int64?
    /// How the pixels are to be turned for looking at (Exif 3.0, Orientation), 1…8.
    package var orientation = 1
    /// Its media type, stored as Apple's number.
    package var media = AssetMediaType.image
    /// It has raw data.
    package var isRaw = false
    /// Which series of timed photos it belongs to.
    package var timelapse: AssetIdentifier?
    /// When a person last changed what is said about it, nanoseconds since 1970.
    package var modified: Int64?
    /// From when its time in Recently Deleted counts, nanoseconds since 1970; nil until the clock is trusted.
    package var counted: Int64?
    /// Its files, the photo last.
    package var resources: [Resource]

    /// Size of all files in bytes.
    package var bytes: Int64 { resources.reduce(0) { $0 &+ $1.bytes } }
}

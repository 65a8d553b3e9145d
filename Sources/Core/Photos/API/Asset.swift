import FoundationEssentials
import Platform

/// A photo of the library as it was when it was fetched.
public struct Asset: PhotoObject {
    /// Its identity, 32 hexadecimal digits, for as long as it exists.
    public let localIdentifier: String
    /// The kind of media. This camera creates only images.
    public let mediaType: AssetMediaType
    /// Width in pixels as stored, before it is turned as `orientation` says; 0 when not known.
    public let pixelWidth: Int
    /// Height in pixels as stored, before it is turned as `orientation` says; 0 when not known.
    public let pixelHeight: Int
    /// How the pixels are to be turned for looking at (Exif 3.0, Orientation), 1…8.
    public let orientation: Int
    /// The moment of exposure, with the offset of the time zone at that moment.
    public let captured: WallTime
    /// Marked by a person.
    public let isFavorite: Bool
    /// It has raw data.
    public let isRaw: Bool
    /// Which burst it belongs to.
    public let burstIdentifier: String?
    /// Which series of timed photos it belongs to.
    public let timelapseIdentifier: String?
    /// When what is said about it was last changed; the moment of exposure when it never was.
    public let modificationDate: Date?
    /// Its files, the photo first.
    public let resources: [AssetResource]
    /// Size of all its files in bytes.
    public let bytes: Int64

    /// Its DCF number: `100-0001`.
    package let number: String
    /// The photo's name relative to `DCIM`: `100PINHL/PINH0001.JPG`.
    package let name: String
    /// Where the photo's file is.
    package let path: String
    /// Exposure midpoint minus button edge in microseconds.
    package let lag: Int64?
    /// Button edge to durable in milliseconds; nil until known.
    package let durable: Int64?
    /// When what is said about it was last changed; nil when it never was.
    package let modified: WallTime?
    /// When it was deleted; nil for assets that are not in Recently Deleted.
    package let trashed: WallTime?

    /// The moment of exposure, without its time zone.
    public var creationDate: Date? { captured.date }

    /// - Parameter shown: the number a limited client knows it by; its own when nil.
    init(_ record: AssetRecord, durable: Int64?, layout: LibraryLayout, shownAs shown: DCFNumber? = nil) {
        let shown = shown ?? record.number
        let photo = record.resources.first { $0.type == .photo } ?? record.resources.last
        let names = record.resources.map { layout.name(shown, $0.fileExtension) }
        localIdentifier = record.identifier.description
        mediaType = record.media
        orientation = record.orientation
        isRaw = record.isRaw
        timelapseIdentifier = record.timelapse?.description
        modificationDate = Date(
            timeIntervalSince1970: Double(record.modified ?? record.captured.unixNanoseconds) / 1e9)
        pixelWidth = record.width
        pixelHeight = record.height
        captured = record.captured
        isFavorite = record.isFavorite
        burstIdentifier = record.burst?.description
        resources = zip(record.resources, names).reversed().enumerated().map { position, pair in
            let (resource, name) = pair
            return AssetResource(
                assetLocalIdentifier: record.identifier.description, position: position,
                type: resource.type,
                originalFilename: resource.originalFilename ?? String(name.drop { $0 != "/" }.dropFirst()),
                uniformTypeIdentifier: resource.uniformTypeIdentifier, name: name, bytes: resource.bytes,
                path: record.status == .listed
                    ? layout.path(record.number, resource.fileExtension)
                    : layout.trashPath(record.number, record.identifier, resource.fileExtension),
                thumbnail: resource.thumbnail)
        }
        number = shown.description
        name = layout.name(shown, photo?.fileExtension ?? "")
        path =
            record.status == .listed
            ? layout.path(record.number, photo?.fileExtension ?? "")
            : layout.trashPath(record.number, record.identifier, photo?.fileExtension ?? "")
        bytes = record.bytes
        lag = record.lag
        self.durable = record.durable ?? durable
        (modified, trashed) = (
            record.modified.map(Self.date(like: record)), record.trashed.map(Self.date(like: record))
        )
    }

    /// Dates in the time zone in which the photo was taken.
    private static func date(like record: AssetRecord) -> (Int64) -> WallTime {
        { WallTime(unixNanoseconds: $0, offsetSeconds: record.captured.offsetSeconds, isTrusted: true) }
    }
}

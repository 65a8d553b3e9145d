import Imaging

/// One file of an asset.
public struct AssetResource: Hashable, Sendable {
    /// The asset it belongs to.
    public let assetLocalIdentifier: String
    /// Its place in the asset's `resources`.
    package let position: Int
    /// What it is to the asset.
    public let type: AssetResourceType
    /// The name it came with, else its name on the card.
    public let originalFilename: String
    /// Its type identifier, as it came.
    public let uniformTypeIdentifier: String?
    /// Its name relative to `DCIM`: `100PINHL/PINH0001.JPG`.
    package let name: String
    /// The size of the file in bytes.
    package let bytes: Int64
    /// Where the file is.
    package let path: String
    /// Where its small picture lies.
    package let thumbnail: ThumbnailPlace

    /// The files of an asset, the photo first.
    public static func assetResources(for asset: Asset) -> [AssetResource] { asset.resources }
}

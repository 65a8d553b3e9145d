/// What an asset is. The numbers are Apple's (PHAssetMediaType).
public enum AssetMediaType: Int, Hashable, Sendable, CaseIterable {
    /// A type that this library does not know.
    case unknown = 0
    /// A still image, with raw data or without it.
    case image = 1
    /// A video; this library has none.
    case video = 2
    /// An audio recording; this library has none.
    case audio = 3
}

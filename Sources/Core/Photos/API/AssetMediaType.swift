/// What an asset is. The numbers are Apple's (PHAssetMediaType).
public enum AssetMediaType: Int, Hashable, Sendable, CaseIterable {
    /// Something this library cannot tell.
    case unknown = 0
    /// A photograph.
    case image = 1
    /// A film.
    case video = 2
    /// A sound.
    case audio = 3
}

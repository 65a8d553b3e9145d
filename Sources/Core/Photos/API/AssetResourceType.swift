/// What a file is to its asset. The numbers are Apple's (PHAssetResourceType); unknown ones are kept untouched.
public struct AssetResourceType: RawRepresentable, Hashable, Sendable {
    /// The number of the type, as in Apple's framework.
    public let rawValue: Int

    /// A type from its number, known or not.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The image file that represents the asset; each asset has exactly one.
    public static let photo = AssetResourceType(rawValue: 1)
    /// A video file that belongs to the asset.
    public static let video = AssetResourceType(rawValue: 2)
    /// The same photograph in another form, such as its raw data.
    public static let alternatePhoto = AssetResourceType(rawValue: 4)
    /// The film of a Live Photo.
    public static let pairedVideo = AssetResourceType(rawValue: 9)
    /// A smaller stand-in for a photograph.
    public static let photoProxy = AssetResourceType(rawValue: 19)

    /// A word for people and records.
    package var name: String {
        switch self {
        case .photo: "photo"
        case .video: "video"
        case .alternatePhoto: "alternate_photo"
        case .pairedVideo: "paired_video"
        case .photoProxy: "photo_proxy"
        default: "type_\(rawValue)"
        }
    }
}

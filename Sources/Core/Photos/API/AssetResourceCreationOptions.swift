/// What is known of a file besides its bytes.
public final class AssetResourceCreationOptions {
    /// The name it came with; its extension is kept where DCF allows it. Nil takes the name of the file given.
    public var originalFilename: String?
    /// Its type identifier, such as `public.jpeg`.
    public var uniformTypeIdentifier: String?
    /// Remove the file given once the asset is durable; it is kept when the change fails. Means nothing for data.
    public var shouldMoveFile = false

    /// Options without a file name and a type.
    public init() {}
}

/// What is known of a file besides its bytes.
public final class AssetResourceCreationOptions {
    /// The name it came with; its extension is kept where DCF allows it.
    public var originalFilename: String?
    /// Its type identifier, such as `public.jpeg`.
    public var uniformTypeIdentifier: String?

    /// Nothing known.
    public init() {}
}

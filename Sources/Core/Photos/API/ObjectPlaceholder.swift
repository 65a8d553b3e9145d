/// Stands for an asset or a collection that is about to be created.
public struct ObjectPlaceholder: PhotoObject {
    /// The identifier it will have.
    public let localIdentifier: String
}

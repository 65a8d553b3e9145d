/// Stands for an asset that is about to be created.
public struct ObjectPlaceholder: Hashable, Sendable {
    /// The identifier the asset will have.
    public let localIdentifier: String
}

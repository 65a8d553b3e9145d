/// What has an identity in the library: an asset, a collection, or what stands for one that is about to be created.
public protocol PhotoObject: Hashable, Sendable {
    /// Its identity, for as long as it exists.
    var localIdentifier: String { get }
}

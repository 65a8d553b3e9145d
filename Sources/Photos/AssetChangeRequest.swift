/// A request to change an asset; exists only inside a change block.
///
/// - Isolation: the thread that runs the block.
public class AssetChangeRequest {
    private let asset: Asset?
    private var isOpen = false
    /// True when it was made inside a block.
    private(set) var hasJoined = false
    private var favorite: Bool?
    private var burst: AssetIdentifier?
    private(set) var usageError: PhotosError?

    /// A request to change an asset that exists.
    public init(for asset: Asset) {
        self.asset = asset
        join()
    }

    /// A request of another kind; `join` adds it.
    init() {
        asset = nil
    }

    /// Whether the asset is marked as a favourite.
    public var isFavorite: Bool {
        get { favorite ?? asset?.isFavorite ?? false }
        set { change { favorite = newValue } }
    }

    /// Makes the asset part of a burst.
    package func join(burst identifier: AssetIdentifier) {
        change { burst = identifier }
    }

    /// Moves assets to Recently Deleted when the block's change is made.
    public static func deleteAssets(_ assets: [Asset]) {
        DeletionRequest(assets).join()
    }

    /// What is asked for, when the block has ended.
    var changes: [Change] {
        guard let asset, favorite != nil || burst != nil else { return [] }
        return [.edit(identifier: asset.localIdentifier, AssetEdit(isFavorite: favorite, burst: burst))]
    }

    /// The block has ended; later changes do nothing.
    func close() {
        isOpen = false
    }

    /// Makes a change if the block still runs. Afterwards there is nobody left to tell, and nothing is changed.
    func change(_ body: () -> Void) {
        if isOpen { body() }
    }

    /// Fails the block.
    func fail(_ error: PhotosError) {
        if usageError == nil { usageError = error }
    }

    /// Joins the block that runs on this thread. Outside of one, the request does nothing.
    final func join() {
        guard let collector = ChangeCollector.current else { return }
        isOpen = true
        hasJoined = true
        collector.add(self)
    }
}

private final class DeletionRequest: AssetChangeRequest {
    private let assets: [Asset]

    init(_ assets: [Asset]) {
        self.assets = assets
        super.init()
    }

    override var changes: [Change] { assets.map { .delete(identifier: $0.localIdentifier) } }
}

/// A request to create, change or delete an album; exists only inside a change block.
///
/// Assets are given as fetched or by the placeholders of assets that the same block creates. Indexes count what the
/// album shows; they and the assets must fit, or the block fails. What is not an album that a person made cannot be
/// changed.
/// - Isolation: the thread that runs the block.
public final class AssetCollectionChangeRequest: ChangeRequest {
    private let identifier: String
    private let creation: AssetIdentifier?
    private var newTitle: String?
    private let oldTitle: String?
    private var edits: [AlbumEdit] = []

    private init(identifier: String, creation: AssetIdentifier? = nil, title: String? = nil) {
        self.identifier = identifier
        self.creation = creation
        oldTitle = title
        super.init()
        join()
    }

    /// Begins a new album in the block that runs on this thread. Outside of one, the request does nothing.
    public static func creationRequestForAssetCollection(withTitle title: String) -> AssetCollectionChangeRequest {
        let identifier = AssetIdentifier()
        return AssetCollectionChangeRequest(identifier: identifier.description, creation: identifier, title: title)
    }

    /// A request to change an album that exists.
    public convenience init(for collection: AssetCollection) {
        self.init(identifier: collection.localIdentifier, title: collection.localizedTitle)
    }

    /// A request to change an album that the same block creates.
    public convenience init(for placeholder: ObjectPlaceholder) {
        self.init(identifier: placeholder.localIdentifier)
    }

    /// Stands for the album before it exists. Nil for an album that exists, and outside of a block.
    public var placeholderForCreatedAssetCollection: ObjectPlaceholder? {
        hasJoined ? creation.map { ObjectPlaceholder(localIdentifier: $0.description) } : nil
    }

    /// The album's title; setting it renames the album.
    public var title: String {
        get { newTitle ?? oldTitle ?? "" }
        set {
            newTitle = newValue
            edit(.title(newValue))
        }
    }

    /// Puts assets at the end. Those the album has stay where they are.
    public func addAssets(_ assets: [any PhotoObject]) {
        edit(.add(names(assets)))
    }

    /// Puts assets in, so that each is shown at its index in the end. The indexes ascend; none of the assets is there yet.
    public func insertAssets(_ assets: [any PhotoObject], at indexes: [Int]) {
        edit(.insert(names(assets), at: indexes))
    }

    /// Takes assets out of the album. They stay in the library.
    public func removeAssets(_ assets: [any PhotoObject]) {
        edit(.remove(names(assets)))
    }

    /// Takes what is shown at the indexes, which ascend, out of the album.
    public func removeAssets(at indexes: [Int]) {
        edit(.removeAt(indexes))
    }

    /// Puts assets in the places of those at the indexes, which ascend.
    public func replaceAssets(at indexes: [Int], withAssets assets: [any PhotoObject]) {
        edit(.replace(at: indexes, with: names(assets)))
    }

    /// Moves what is shown at the indexes, which ascend, to an index that counts without them.
    public func moveAssets(at indexes: [Int], to index: Int) {
        edit(.move(at: indexes, to: index))
    }

    /// Removes albums when the block's change is made. Their assets stay in the library.
    public static func deleteAssetCollections(_ collections: [AssetCollection]) {
        CollectionDeletionRequest(collections).join()
    }

    private func edit(_ edit: AlbumEdit) {
        change { edits.append(edit) }
    }

    private func names(_ objects: [any PhotoObject]) -> [String] { objects.map { $0.localIdentifier } }

    override var changes: [Change] {
        let creations = creation.map { [Change.createAlbum($0, title: oldTitle ?? "")] } ?? []
        return creations + (edits.isEmpty ? [] : [.editAlbum(identifier: identifier, edits)])
    }
}

private final class CollectionDeletionRequest: ChangeRequest {
    private let collections: [AssetCollection]

    init(_ collections: [AssetCollection]) {
        self.collections = collections
        super.init()
    }

    override var changes: [Change] { collections.map { .deleteAlbum(identifier: $0.localIdentifier) } }
}

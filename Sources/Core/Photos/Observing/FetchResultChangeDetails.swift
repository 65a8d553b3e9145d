/// How what a fetch found has changed since.
///
/// Taking the objects at `removedIndexes` out of the result before, then putting those at `insertedIndexes` in, and
/// exchanging those at `changedIndexes`, gives the result after. What changed its place counts as removed and inserted.
public struct FetchResultChangeDetails<Object: PhotoObject>: Sendable {
    /// What was found then.
    public let fetchResultBeforeChanges: FetchResult<Object>
    /// What the same fetch finds now.
    public let fetchResultAfterChanges: FetchResult<Object>

    private let indexes: IndexChanges

    /// Nil when nothing is different.
    init?(before: FetchResult<Object>, after: FetchResult<Object>) {
        indexes = IndexChanges(from: before.objects, to: after.objects)
        let isSame = indexes.removed.isEmpty && indexes.inserted.isEmpty && indexes.changed.isEmpty
        guard !isSame || before.next != after.next else { return nil }
        fetchResultBeforeChanges = before
        fetchResultAfterChanges = after
    }

    /// Indexes in the result before, ascending.
    public var removedIndexes: [Int] { indexes.removed }
    /// Indexes in the result after, ascending.
    public var insertedIndexes: [Int] { indexes.inserted }
    /// Indexes in the result after, ascending.
    public var changedIndexes: [Int] { indexes.changed }

    /// The objects at `removedIndexes`, as they were.
    public var removedObjects: [Object] { removedIndexes.map { fetchResultBeforeChanges[$0] } }
    /// The objects at `insertedIndexes`.
    public var insertedObjects: [Object] { insertedIndexes.map { fetchResultAfterChanges[$0] } }
    /// The objects at `changedIndexes`, as they are now.
    public var changedObjects: [Object] { changedIndexes.map { fetchResultAfterChanges[$0] } }
}

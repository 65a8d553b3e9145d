/// What a fetch found, as it was then, in the order asked for: one page.
public struct FetchResult<Object: PhotoObject>: RandomAccessCollection, Sendable {
    /// Where the next page begins; nil when this was the last.
    public let next: FetchOptions.Cursor?

    let objects: [Object]
    /// What was asked, so that it can be asked again.
    let source: FetchSource

    init(_ objects: [Object], next: FetchOptions.Cursor? = nil, source: FetchSource) {
        self.objects = objects
        self.next = next
        self.source = source
    }

    /// The first index: 0 on every page.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { objects.count }
    /// The object at an index from 0 to before `count`.
    public subscript(position: Int) -> Object { objects[position] }

    /// The first object; nil when nothing was found.
    public var firstObject: Object? { objects.first }
    /// The last object; nil when nothing was found.
    public var lastObject: Object? { objects.last }
}

extension FetchResult where Object == Asset {
    /// The assets in the order asked for.
    public var assets: [Asset] { objects }

    /// How many of these assets are of one kind.
    public func countOfAssets(with mediaType: AssetMediaType) -> Int {
        objects.count { $0.mediaType == mediaType }
    }
}

/// What a fetch asked for.
enum FetchSource: Hashable, Sendable {
    /// Assets, of one collection when it is given.
    case assets(FetchOptions, in: AssetCollection?)
    /// A fetch of albums.
    case collections(CollectionQuery)
}

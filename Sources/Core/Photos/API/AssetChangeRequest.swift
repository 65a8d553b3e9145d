import FoundationEssentials
import Platform

/// A request to change an asset; exists only inside a change block.
///
/// - Isolation: the thread that runs the block.
public class AssetChangeRequest: ChangeRequest {
    private let asset: Asset?
    private var favorite: Bool?
    private var exposed: WallTime?
    private var burst: AssetIdentifier?

    /// A request to change an asset that exists.
    public init(for asset: Asset) {
        self.asset = asset
        super.init()
        join()
    }

    /// A request of another kind; `join` adds it.
    override init() {
        asset = nil
        super.init()
    }

    /// Whether the asset is marked as a favorite.
    public var isFavorite: Bool {
        get { favorite ?? asset?.isFavorite ?? false }
        set { change { favorite = newValue } }
    }

    /// Moment of exposure. An asset keeps the zone it was taken in; nil changes nothing.
    public var creationDate: Date? {
        get { exposed?.date ?? asset?.creationDate }
        set {
            change {
                exposed = newValue.flatMap {
                    WallTime($0, offsetSeconds: asset?.captured.offsetSeconds ?? 0)
                }
                if newValue != nil && exposed == nil {
                    fail(PhotosError(.changeNotSupported, "The date is out of range."))
                }
            }
        }
    }

    /// Makes the asset part of a burst.
    package func join(burst identifier: AssetIdentifier) {
        change { burst = identifier }
    }

    /// Moves assets to Recently Deleted when the block's change is made.
    public static func deleteAssets(_ assets: [Asset]) {
        DeletionRequest(assets).join()
    }

    override var changes: [Change] {
        guard let asset, favorite != nil || burst != nil || exposed != nil else { return [] }
        return [
            .edit(
                identifier: asset.localIdentifier, AssetEdit(isFavorite: favorite, captured: exposed, burst: burst))
        ]
    }
}

private final class DeletionRequest: ChangeRequest {
    private let assets: [Asset]

    init(_ assets: [Asset]) {
        self.assets = assets
        super.init()
    }

    override var changes: [Change] { assets.map { .delete(identifier: $0.localIdentifier) } }
}

extension WallTime {
    /// A person's date, which is believed; nil when it is out of range.
    init?(_ date: Date, offsetSeconds: Int) {
        guard let nanoseconds = Int64(exactly: (date.timeIntervalSince1970 * 1e9).rounded()) else { return nil }
        self.init(unixNanoseconds: nanoseconds, offsetSeconds: offsetSeconds, isTrusted: true)
    }

    /// The moment without zone and trust.
    var date: Date { Date(timeIntervalSince1970: Double(unixNanoseconds) / 1e9) }
}

/// What a client may do at one moment.
package struct Rights: Hashable, Sendable {
    /// Which assets a client sees.
    package enum Visibility: Hashable, Sendable {
        /// None.
        case nothing
        /// Those of a selection.
        case selection(AssetIdentifier)
        /// All.
        case everything
    }

    /// True when it may create assets.
    package var mayAdd: Bool
    /// The assets it sees, and may change and delete.
    package var visibility: Visibility

    /// True when it may see assets.
    package var mayRead: Bool { visibility != .nothing }
    /// True when it sees what was selected for it.
    package var isLimited: Bool { mayRead && !seesEverything }
    /// True when no asset is hidden from it.
    package var seesEverything: Bool { visibility == .everything }

    /// Nothing.
    package static let none = Rights(mayAdd: false, visibility: .nothing)
    /// Create assets, see none.
    package static let addOnly = Rights(mayAdd: true, visibility: .nothing)
    /// Everything.
    package static let full = Rights(mayAdd: true, visibility: .everything)
}

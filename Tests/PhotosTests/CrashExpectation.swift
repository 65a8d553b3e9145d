import Platform

@testable import Photos

/// What was announced, and what may also be the case because it was under way.
struct CrashExpectation {
    enum Place: Hashable { case listed, trashed, nowhere }

    struct Photo {
        /// Where it may be. One place once it was announced.
        var places: Set<Place>
        /// Its number, once it was announced.
        var number: String?
        /// Its files by extension.
        var files: [String: [UInt8]]
        /// Whether it is a favorite; nil when both may be the case.
        var isFavorite: Bool? = false

        /// True when it was announced that the photo exists.
        var isAnnounced: Bool { places == [.listed] || places == [.trashed] }
    }

    /// A file outside the library that is moved into it.
    struct Source {
        /// Its path from the disk's root.
        var path: String
        var bytes: [UInt8]
        /// The photo it becomes a part of.
        var identifier: String
    }

    /// Photos by identifier.
    var photos: [String: Photo] = [:]
    /// Photos that come together or not at all.
    var blocks: [[String]] = []
    /// Contents that must be somewhere, whatever they are.
    var kept: [[UInt8]] = []
    /// Files that must be there as long as their photos are not.
    var sources: [Source] = []
    /// How much the client that asks may have; one level once that was announced.
    var levels: Set<ClientLevel> = [.nothing]
    /// Photos that client must see, as long as they are listed.
    var selected: Set<String> = []
    /// Photos it may see besides.
    var perhapsSelected: Set<String> = []
    /// False after the loss of a catalog: what only it knew may be gone, and listings fill after the start.
    var isCatalogWhole = true
    /// Albums, the selection and the history.
    var collections = CrashCollections()
}

/// An album while a change block is worked out.
struct AlbumContents: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        var asset: AssetIdentifier
        /// False for what is in Recently Deleted or missing: it keeps its place and is not counted by indexes.
        var isShown: Bool
    }

    var title: String
    /// When it was made, nanoseconds since 1970.
    var created: Int64
    var members: [Member] = []

    /// Carries out one step.
    ///
    /// - Parameter resolve: the identity of a listed asset; throws when there is none.
    mutating func apply(
        _ edit: AlbumEdit, resolve: (String) throws(PhotosError) -> AssetIdentifier
    ) throws(PhotosError) {
        switch edit {
        case .title(let text):
            title = text
        case .add(let names):
            members += try newMembers(names, resolve).filter { !contains($0.asset) }
        case .insert(let names, let indexes):
            let new = try newMembers(names, resolve)
            guard new.count == names.count, indexes.count == names.count, !new.contains(where: { contains($0.asset) })
            else { throw Self.misplaced }
            try insert(new, at: indexes)
        case .remove(let names):
            let gone = Set(names.compactMap { AssetIdentifier($0) })
            members.removeAll { gone.contains($0.asset) }
        case .removeAt(let indexes):
            _ = try take(indexes)
        case .replace(let indexes, let names):
            let new = try newMembers(names, resolve)
            guard new.count == names.count, indexes.count == names.count else { throw Self.misplaced }
            _ = try take(indexes)
            guard !new.contains(where: { contains($0.asset) }) else { throw Self.misplaced }
            try insert(new, at: indexes)
        case .move(let indexes, let destination):
            let moved = try take(indexes)
            guard (0...shownCount).contains(destination) else { throw Self.misplaced }
            try insert(moved, at: Array(destination..<destination + moved.count))
        }
    }

    private static let misplaced = PhotosError(
        .changeNotSupported, "The indexes or assets do not match the album; fetch the album again and retry.")

    private var shownCount: Int { members.count { $0.isShown } }

    private func contains(_ asset: AssetIdentifier) -> Bool { members.contains { $0.asset == asset } }

    /// Assets to be put in, each once.
    private func newMembers(
        _ names: [String], _ resolve: (String) throws(PhotosError) -> AssetIdentifier
    ) throws(PhotosError) -> [Member] {
        var seen: Set<AssetIdentifier> = []
        var found: [Member] = []
        for name in names {
            let asset = try resolve(name)
            if seen.insert(asset).inserted { found.append(Member(asset: asset, isShown: true)) }
        }
        return found
    }

    private func check(_ indexes: [Int]) throws(PhotosError) {
        guard indexes.allSatisfy({ $0 >= 0 }), zip(indexes, indexes.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw Self.misplaced
        }
    }

    /// Takes out what is shown at ascending indexes.
    private mutating func take(_ indexes: [Int]) throws(PhotosError) -> [Member] {
        try check(indexes)
        let shown = members.indices.filter { members[$0].isShown }
        guard indexes.last ?? -1 < shown.count else { throw Self.misplaced }
        let places = indexes.map { shown[$0] }
        let taken = places.map { members[$0] }
        for place in places.reversed() { members.remove(at: place) }
        return taken
    }

    /// Puts members in, so that each is shown at its index in the end.
    private mutating func insert(_ new: [Member], at indexes: [Int]) throws(PhotosError) {
        try check(indexes)
        for (member, index) in zip(new, indexes) {
            let shown = members.indices.filter { members[$0].isShown }
            guard index <= shown.count else { throw Self.misplaced }
            members.insert(member, at: index < shown.count ? shown[index] : members.count)
        }
    }
}

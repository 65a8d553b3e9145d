import Testing

@testable import Photos

@Suite("Changes of an album, worked out")
struct AlbumContentsTests {
    private static let names = (0..<9).map { _ in AssetIdentifier().description }

    private func album(_ members: [Int], hidden: Set<Int> = []) -> AlbumContents {
        AlbumContents(
            title: "", created: 0,
            members: members.compactMap { index in
                AssetIdentifier(Self.names[index]).map { .init(asset: $0, isShown: !hidden.contains(index)) }
            })
    }

    private func names(_ indexes: [Int]) -> [String] { indexes.map { Self.names[$0] } }

    /// The members after an edit; nil when it is refused.
    private func after(_ edit: AlbumEdit, _ members: [Int], hidden: Set<Int> = []) -> [Int]? {
        var contents = album(members, hidden: hidden)
        do throws(PhotosError) {
            try contents.apply(edit) { (name) throws(PhotosError) in
                guard let identifier = AssetIdentifier(name) else { throw .noSuchPhoto(name) }
                return identifier
            }
        } catch {
            return nil
        }
        return contents.members.compactMap { member in Self.names.firstIndex(of: member.asset.description) }
    }

    @Test("assets are added at the end, once; those that are there stay where they are")
    func add() {
        #expect(after(.add(names([3, 1, 3, 4])), [0, 1, 2]) == [0, 1, 2, 3, 4])
    }

    @Test("assets are put in at their indexes in the end")
    func insert() {
        #expect(after(.insert(names([3, 4]), at: [0, 2]), [0, 1]) == [3, 0, 4, 1])
        #expect(after(.insert(names([3]), at: [2]), [0, 1]) == [0, 1, 3])
        #expect(after(.insert(names([3]), at: [3]), [0, 1]) == nil)
        #expect(after(.insert(names([1]), at: [0]), [0, 1]) == nil)
        #expect(after(.insert(names([3, 4]), at: [1, 0]), [0, 1]) == nil)
        #expect(after(.insert(names([3, 4]), at: [1]), [0, 1]) == nil)
        #expect(after(.insert(names([3]), at: [-1]), [0, 1]) == nil)
    }

    @Test("assets are taken out by name and by index")
    func remove() {
        #expect(after(.remove(names([1, 7])), [0, 1, 2]) == [0, 2])
        #expect(after(.removeAt([0, 2]), [0, 1, 2]) == [1])
        #expect(after(.removeAt([3]), [0, 1, 2]) == nil)
    }

    @Test("assets take the places of others, and move")
    func replaceAndMove() {
        #expect(after(.replace(at: [1], with: names([5])), [0, 1, 2]) == [0, 5, 2])
        #expect(after(.replace(at: [0, 2], with: names([5, 0])), [0, 1, 2]) == [5, 1, 0])
        #expect(after(.replace(at: [0], with: names([1])), [0, 1, 2]) == nil)
        #expect(after(.move(at: [0, 1], to: 1), [0, 1, 2, 3]) == [2, 0, 1, 3])
        #expect(after(.move(at: [3], to: 0), [0, 1, 2, 3]) == [3, 0, 1, 2])
        #expect(after(.move(at: [0], to: 4), [0, 1, 2, 3]) == nil)
    }

    @Test("what is in Recently Deleted keeps its place and is not counted")
    func hidden() {
        #expect(after(.removeAt([1]), [0, 1, 2, 3], hidden: [1]) == [0, 1, 3])
        #expect(after(.insert(names([5]), at: [1]), [0, 1, 2], hidden: [1]) == [0, 1, 5, 2])
    }
}

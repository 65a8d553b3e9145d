import Platform
import Testing

@testable import Photos

@Suite("Index changes")
struct IndexChangesTests {
    struct Thing: PhotoObject {
        let localIdentifier: String
        let value: Int

        init(_ name: Int, _ value: Int = 0) {
            localIdentifier = String(name)
            self.value = value
        }
    }

    @Test("kept, removed, inserted and changed elements are distinguished")
    func simple() {
        let changes = IndexChanges(
            from: [Thing(1), Thing(2), Thing(3), Thing(4)], to: [Thing(2), Thing(9), Thing(3, 7), Thing(4)])
        #expect(changes.removed == [0])
        #expect(changes.inserted == [1])
        #expect(changes.changed == [2])
    }

    @Test("one that moved is taken out and put in; the others stay")
    func move() {
        let changes = IndexChanges(from: (0..<9).map { Thing($0) }, to: ([8] + Array(0..<8)).map { Thing($0) })
        #expect(changes.removed == [8])
        #expect(changes.inserted == [0])
        #expect(changes.changed.isEmpty)
    }

    @Test("two equal lists differ nowhere")
    func same() {
        let list = (0..<5).map { Thing($0) }
        let changes = IndexChanges(from: list, to: list)
        #expect(changes.removed.isEmpty && changes.inserted.isEmpty && changes.changed.isEmpty)
    }

    @Test("the indexes, applied to any list, give any other", arguments: 0..<40)
    func random(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            func list() -> [Thing] {
                let length = Int.random(in: 0...12, using: &random)
                return (0..<14).shuffled(using: &random).prefix(length)
                    .map { Thing($0, Int.random(in: 0...1, using: &random)) }
            }
            let before = list()
            // Half of the time most of it stays as it was.
            let after =
                Bool.random(using: &random) ? list() : before.filter { _ in Int.random(in: 0...5, using: &random) > 0 }
            let changes = IndexChanges(from: before, to: after)
            #expect(applied(changes.removed, changes.inserted, changes.changed, to: before, from: after) == after)
            #expect(changes.removed == changes.removed.sorted() && changes.inserted == changes.inserted.sorted())
            #expect(Set(changes.inserted).isDisjoint(with: changes.changed))
        }
    }
}

/// A list with the indexes applied as an observer does: takes out, puts in, exchanges.
func applied<Object: PhotoObject>(
    _ removed: [Int], _ inserted: [Int], _ changed: [Int], to before: [Object], from after: [Object]
) -> [Object]? {
    var list = before
    for index in removed.reversed() {
        guard list.indices.contains(index) else { return nil }
        list.remove(at: index)
    }
    for index in inserted {
        guard index <= list.count, after.indices.contains(index) else { return nil }
        list.insert(after[index], at: index)
    }
    for index in changed {
        guard list.indices.contains(index), list[index].localIdentifier == after[index].localIdentifier,
            list[index] != after[index]
        else { return nil }
        list[index] = after[index]
    }
    return list
}

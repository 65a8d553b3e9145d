/// How one list became another: taking away what is removed, then putting in what is inserted, gives the second list.
///
/// What changed its place counts as removed and inserted; as few as possible do.
struct IndexChanges: Hashable, Sendable {
    /// Indexes in the list before, ascending.
    var removed: [Int] = []
    /// Indexes in the list after, ascending.
    var inserted: [Int] = []
    /// Indexes in the list after of objects that stayed and are no longer what they were, ascending.
    var changed: [Int] = []

    /// Compares two lists, neither of which has one identifier twice.
    init<Object: PhotoObject>(from before: [Object], to after: [Object]) {
        // Most of two lists is the same: only what lies between the first and the last difference is looked at closely.
        var start = 0
        while start < min(before.count, after.count), before[start].localIdentifier == after[start].localIdentifier {
            if before[start] != after[start] { changed.append(start) }
            start += 1
        }
        var (beforeEnd, afterEnd) = (before.count, after.count)
        while beforeEnd > start, afterEnd > start,
            before[beforeEnd - 1].localIdentifier == after[afterEnd - 1].localIdentifier
        {
            beforeEnd -= 1
            afterEnd -= 1
        }
        var places: [String: Int] = [:]
        for index in start..<beforeEnd { places[before[index].localIdentifier] = index }
        let common = (start..<afterEnd).compactMap { index in
            places[after[index].localIdentifier].map { (before: $0, after: index) }
        }
        let kept = Self.longestAscending(common.map(\.before)).map { common[$0] }
        let keptBefore = Set(kept.map(\.before))
        let keptAfter = Set(kept.map(\.after))
        removed = (start..<beforeEnd).filter { !keptBefore.contains($0) }
        inserted = (start..<afterEnd).filter { !keptAfter.contains($0) }
        for pair in kept where before[pair.before] != after[pair.after] { changed.append(pair.after) }
        for offset in 0..<(after.count - afterEnd) where before[beforeEnd + offset] != after[afterEnd + offset] {
            changed.append(afterEnd + offset)
        }
    }

    /// Indexes of a longest ascending run of values, which need not be neighbors (patience sorting).
    private static func longestAscending(_ values: [Int]) -> [Int] {
        // The index of the smallest value that ends a run of each length.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [Int] = []
        var next = ends.last
        while let index = next {
            run.append(index)
            next = previous[index]
        }
        return run.reversed()
    }
}

/// Finds what a person probably meant.
package enum NearestWord {
    /// The candidate nearest to `word`, if it is near enough to be worth saying.
    package static func of(_ word: String, among candidates: [String]) -> String? {
        // A longer word is nobody's typing mistake, and distance costs the product of the lengths.
        guard word.utf8.count <= 64 else { return nil }
        let limit = max(1, min(4, word.count / 3 + 1))
        return candidates.map { (word: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var best = min(last[j] + (x == y ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}

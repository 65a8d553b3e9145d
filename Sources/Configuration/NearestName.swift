/// Finds what a person meant by a misspelt name.
enum NearestName {
    /// The candidate with the smallest edit distance, or nil when none is near. Long names are not tried.
    static func to(_ name: String, among candidates: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        let given = Array(name.lowercased().utf8)
        let nearest = candidates.map { ($0, distance(given, Array($0.utf8))) }.min { $0.1 < $1.1 }
        guard let (candidate, distance) = nearest, distance <= max(2, given.count / 3) else { return nil }
        return candidate
    }

    /// Levenshtein's distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = i
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let substitution = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}

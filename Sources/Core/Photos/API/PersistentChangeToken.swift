/// A place in the history of one catalog; can be stored, and given back to learn what has happened since.
public struct PersistentChangeToken: Hashable, Codable, Sendable {
    /// The identity of the catalog, the upper of two random numbers.
    let high: Int64
    let low: Int64
    /// The last row of the history that is known.
    var row: Int64

    /// True when both count the same rows.
    func isOfSameCatalog(as other: PersistentChangeToken) -> Bool { high == other.high && low == other.low }
}

/// A place in the history of one catalogue; can be stored, and given back to learn what has happened since.
public struct PersistentChangeToken: Hashable, Codable, Sendable {
    /// The catalogue's identity.
    let high: Int64
    let low: Int64
    /// The last row of the history that is known.
    var row: Int64

    /// True when both count the same rows.
    func isOfSameCatalogue(as other: PersistentChangeToken) -> Bool { high == other.high && low == other.low }
}

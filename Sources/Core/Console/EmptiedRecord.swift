/// The end of `trash --empty`: what was removed for good.
package struct EmptiedRecord: Codable, Hashable, Sendable {
    /// Photos removed.
    package var emptied: Int
    /// Bytes freed.
    package var bytes: Int64

    /// A record from its parts.
    package init(emptied: Int, bytes: Int64) {
        self.emptied = emptied
        self.bytes = bytes
    }
}

/// A photo in the trash, as `delete` and `trash` tell it.
package struct TrashRecord: Codable, Hashable, Sendable {
    /// The asset's identifier.
    package var id: String
    /// DCF number, kept for its return.
    package var number: String
    /// Size of all resources in bytes.
    package var bytes: Int64
    /// When it was deleted: RFC 3339.
    package var deleted: String

    /// A record from its parts.
    package init(id: String, number: String, bytes: Int64, deleted: String) {
        self.id = id
        self.number = number
        self.bytes = bytes
        self.deleted = deleted
    }
}

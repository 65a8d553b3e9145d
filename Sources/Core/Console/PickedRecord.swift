/// How a conversation of `pick` stands.
package struct PickedRecord: Codable, Hashable, Sendable {
    /// Identifiers of what is picked, in the order of the result.
    package var picked: [String]
    /// How many may be picked; 0 means as many as the system allows.
    package var limit: Int
    /// True when there is another page.
    package var more: Bool
    /// One or two sentences for a person.
    package var message: String

    /// A record from its parts.
    package init(picked: [String], limit: Int, more: Bool, message: String) {
        self.picked = picked
        self.limit = limit
        self.more = more
        self.message = message
    }
}

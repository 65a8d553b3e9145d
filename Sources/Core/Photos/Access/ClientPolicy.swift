/// What configuration says of a client.
package struct ClientPolicy: Hashable, Sendable {
    /// The client's name, or what its name begins with before a colon: `share` stands for `share:anna`.
    package let client: String
    /// Why it asks, for the person who is asked.
    package let purpose: String
    /// What it has without asking, for good; nil when a person decides.
    package let level: ClientLevel?
    /// True when a hold on the button answers a request to read with everything, until the client's visit ends; else it
    /// answers with an empty selection.
    package let holdGivesFull: Bool
    /// True when the client is known again by its name; a visitor is not, and only its visits are decided about.
    package let isRemembered: Bool

    /// A policy.
    ///
    /// - Throws: when the name is not one a client may have, or there is no purpose.
    package init(
        client: String, purpose: String, level: ClientLevel? = nil, holdGivesFull: Bool = false,
        isRemembered: Bool = true
    ) throws(PhotosError) {
        guard Client.isValidName(client), client != Client.shutter.name, client != Client.console.name else {
            throw PhotosError(.accessRestricted, "A client cannot be called \(client.debugDescription).")
        }
        guard purpose.contains(where: { !$0.isWhitespace }) else {
            throw PhotosError(.accessRestricted, "The client \(client) needs a purpose text; say why it asks.")
        }
        self.client = client
        self.purpose = purpose
        self.level = level
        self.holdGivesFull = holdGivesFull
        self.isRemembered = isRemembered
    }
}

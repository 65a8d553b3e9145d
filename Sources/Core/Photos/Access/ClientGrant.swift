/// How a client stands, for the owner to see.
package struct ClientGrant: Hashable, Sendable {
    /// The client.
    package let client: Client
    /// How much it has.
    package let level: ClientLevel
    /// Where it stands with adding.
    package let addOnly: AuthorizationStatus
    /// Where it stands with reading.
    package let readWrite: AuthorizationStatus
    /// True when configuration has decided, or it is built in.
    package let isFixed: Bool
    /// Why it asks; empty when configuration says nothing of it.
    package let purpose: String

    /// A client's grant, to be shown.
    init(_ client: Client, _ grant: Grant, purpose: String) {
        self.client = client
        level = grant.level
        addOnly = grant.status(for: .addOnly)
        readWrite = grant.status(for: .readWrite)
        isFixed = grant.isFixed
        self.purpose = purpose
    }
}

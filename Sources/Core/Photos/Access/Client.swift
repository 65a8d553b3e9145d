import Platform

/// The part of the camera, the computer or the person on whose behalf a request is made. Every request names one; the
/// library's `Authority` knows what it may do.
package struct Client: Hashable, Sendable {
    /// Its name in messages, grants and the configuration.
    package let name: String
    /// The number of the session of a client that cannot be recognized again; nil for a client that is remembered.
    package let session: Int?

    /// The camera's own button: it adds photos and sees none.
    package static let shutter = Client(name: "shutter", session: nil)
    /// The owner at the console, who may do everything.
    package static let console = Client(name: "console", session: nil)

    /// A client that the camera recognizes by its name.
    package static func named(_ name: String) -> Client { Client(name: name, session: nil) }

    /// A client of one session, such as a computer at the USB port; it is forgotten when that session ends.
    package static func session(_ name: String, _ number: Int) -> Client { Client(name: name, session: number) }

    /// True for a name that messages can show: 1 to 100 bytes without white space and control characters.
    package static func isValidName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
    }

    /// The part of the name before a colon: `share` of `share:anna`. The configuration can mention it instead of the name.
    package var kind: String { String(name.prefix { $0 != ":" }) }

    private init(name: String, session: Int?) {
        self.name = name
        self.session = session
    }
}

/// What the configuration says about a client.
package struct ClientPolicy: Hashable, Sendable {
    /// The client's name, or its kind: `share` stands for `share:anna`.
    package let client: String
    /// Why the client asks, for the person who answers.
    package let purpose: String
    /// The level that the client has without asking and that only the configuration changes; nil when a person decides.
    package let level: ClientLevel?
    /// True when holding the button gives a client that asks to read everything until its session ends; otherwise it gives
    /// an empty selection.
    package let holdGivesFull: Bool
    /// True when the camera recognizes the client by its name; grants of other clients end with their sessions.
    package let isRemembered: Bool

    /// Creates a policy.
    ///
    /// - Throws: `.accessRestricted` when the name is reserved or not valid, or the purpose is empty.
    package init(
        client: String, purpose: String, level: ClientLevel? = nil, holdGivesFull: Bool = false,
        isRemembered: Bool = true
    ) throws(PhotosError) {
        guard Client.isValidName(client), client != Client.shutter.name, client != Client.console.name else {
            throw PhotosError(.accessRestricted, "A client cannot be called \(client.debugDescription).")
        }
        guard purpose.contains(where: { !$0.isWhitespace }) else {
            throw PhotosError(
                .accessRestricted, "The client \(client) has no purpose; give a text that says why it needs access.")
        }
        self.client = client
        self.purpose = purpose
        self.level = level
        self.holdGivesFull = holdGivesFull
        self.isRemembered = isRemembered
    }
}

/// What a client may do, for the owner to read.
package struct ClientGrant: Hashable, Sendable {
    /// The client, with its session if it has one.
    package let client: Client
    /// The highest level that the client has.
    package let level: ClientLevel
    /// The status of a request to add.
    package let addOnly: AuthorizationStatus
    /// The status of a request to read.
    package let readWrite: AuthorizationStatus
    /// True when the configuration or the camera itself decides, so that no person can.
    package let isFixed: Bool
    /// Why the client asks; empty when the configuration does not mention it.
    package let purpose: String

    /// Describes the grant of a client with the purpose from its policy.
    init(_ client: Client, _ grant: Grant, purpose: String) {
        self.client = client
        level = grant.level
        addOnly = grant.status(for: .addOnly)
        readWrite = grant.status(for: .readWrite)
        isFixed = grant.isFixed
        self.purpose = purpose
    }
}

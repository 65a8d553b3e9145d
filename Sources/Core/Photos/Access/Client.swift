/// On whose behalf a request is made. Every way into the library names one; what it may do is the `Authority`'s affair.
package struct Client: Hashable, Sendable {
    /// Its name in messages and grants.
    package let name: String
    /// Which visit of a client that cannot be recognised again; nil for a client that is remembered.
    package let session: Int?

    /// The camera's own button: adds, and sees nothing.
    package static let shutter = Client(name: "shutter", session: nil)
    /// The owner at the console: everything.
    package static let console = Client(name: "console", session: nil)

    /// A client that is remembered by its name.
    package static func named(_ name: String) -> Client { Client(name: name, session: nil) }

    /// A client that is forgotten when this visit ends.
    package static func session(_ name: String, _ number: Int) -> Client { Client(name: name, session: number) }

    /// True for a name that a message can show: not empty, short, of one line.
    package static func isValidName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
    }

    /// The part before a colon, for which configuration may speak: `share` of `share:anna`.
    package var kind: String { String(name.prefix { $0 != ":" }) }

    private init(name: String, session: Int?) {
        self.name = name
        self.session = session
    }
}

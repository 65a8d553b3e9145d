/// On whose behalf a request is made. Every way into the library names one.
package struct Client: Hashable, Sendable {
    /// What a client may do. Later levels join here; whatever is not listed as allowed is refused.
    package enum Level: Sendable {
        /// Nothing.
        case none
        /// Create assets; see none, not even its own.
        case addOnly
        /// Everything.
        case full
    }

    /// Its name in messages.
    package let name: String
    /// What it may do.
    package let level: Level

    /// The camera's own button: adds.
    package static let shutter = Client(name: "shutter", level: .addOnly)
    /// The owner at the console: everything.
    package static let console = Client(name: "console", level: .full)

    /// A client nobody has allowed anything.
    package static func unknown(_ name: String) -> Client { Client(name: name, level: .none) }

    private init(name: String, level: Level) {
        self.name = name
        self.level = level
    }

    /// True when it may create assets.
    package var mayAdd: Bool { level == .addOnly || level == .full }
    /// True when it may see assets.
    package var mayRead: Bool { level == .full }
    /// True when it may change and delete assets.
    package var mayChange: Bool { level == .full }
}

/// How much of the library a client gets, as configuration and the owner say it.
public enum ClientLevel: String, Hashable, Sendable, CaseIterable {
    /// Neither add nor see.
    case nothing = "none"
    /// Add, see nothing.
    case addOnly = "add-only"
    /// Add, see and change what was selected for it or is its own.
    case limited
    /// Add, see and change everything.
    case full
}

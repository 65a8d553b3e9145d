/// What a client asks to be allowed. The numbers are Apple's (PHAccessLevel).
public enum AccessLevel: Int, Hashable, Sendable, CaseIterable {
    /// Create assets; see none, not even its own.
    case addOnly = 1
    /// See, change and create assets.
    case readWrite = 2
}

/// The access that a client requests. The numbers are Apple's (PHAccessLevel).
public enum AccessLevel: Int, Hashable, Sendable, CaseIterable {
    /// Create assets, and see none, not even the client's own.
    case addOnly = 1
    /// See, change and create assets.
    case readWrite = 2
}

/// What was decided on a client's access at one level. The numbers are Apple's (PHAuthorizationStatus).
public enum AuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
    /// There is no decision yet.
    case notDetermined = 0
    /// The configuration forbids it.
    case restricted = 1
    /// A person refused it.
    case denied = 2
    /// The client may use all photos.
    case authorized = 3
    /// The client may use the photos selected for it.
    case limited = 4
}

/// Where a client stands with a level. The numbers are Apple's (PHAuthorizationStatus).
public enum AuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
    /// Nobody has decided yet.
    case notDetermined = 0
    /// Configuration forbids it.
    case restricted = 1
    /// It was refused.
    case denied = 2
    /// It was allowed.
    case authorized = 3
    /// It was allowed for the selected assets.
    case limited = 4
}

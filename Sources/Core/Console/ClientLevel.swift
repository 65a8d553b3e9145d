/// What a client can be granted, in the words of `allow`.
package enum ClientLevel: String, Hashable, Sendable, CaseIterable {
    /// To add photos.
    case addOnly = "add-only"
    /// To see and change selected photos.
    case limited
    /// To see and change all photos.
    case full
}

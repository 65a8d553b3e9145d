/// How much of the photo library a client may use. Configuration, console commands and grants share these levels and
/// write them as their raw values.
public enum ClientLevel: String, Hashable, Sendable, CaseIterable {
    /// The client may neither add nor see photos.
    case nothing = "none"
    /// The client may add photos and sees none.
    case addOnly = "add-only"
    /// The client may add photos, and may see and change the photos selected for it and its own.
    case limited
    /// The client may add, see and change all photos.
    case full
}

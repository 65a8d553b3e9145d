/// A camera.
public final class CaptureDevice: Sendable {
    /// Where a camera looks.
    public enum Position: Int, Sendable {
        /// Not known.
        case unspecified = 0
        /// Away from the person who holds the camera.
        case back = 1
        /// Towards the person who holds the camera.
        case front = 2
    }
}

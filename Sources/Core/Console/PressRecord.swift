/// An accepted edge of a button, as `press` tells it.
package struct PressRecord: Codable, Hashable, Sendable {
    /// `shutter` or `focus`.
    package var button: String
    /// When its edge came: RFC 3339.
    package var pressed: String
    /// The edge on CLOCK_MONOTONIC, in nanoseconds: what sensor timestamps compare with.
    package var edgeNs: Int64

    /// A press from its parts.
    package init(button: String, pressed: String, edgeNs: Int64) {
        self.button = button
        self.pressed = pressed
        self.edgeNs = edgeNs
    }
}

/// What a computer at the USB port sees of the camera.
package enum USBState: String, Codable, Hashable, Sendable, CaseIterable {
    /// This board's port cannot show it a camera, or is not set up for that.
    case unavailable
    /// Nothing, as it was switched off.
    case off
    /// There is no computer.
    case unplugged
    /// The camera.
    case connected

    /// What it means, for a person.
    package var meaning: String {
        switch self {
        case .unavailable: "this port cannot show a computer the camera"
        case .off: "switched off"
        case .unplugged: "no computer is connected"
        case .connected: "a computer is connected"
        }
    }
}

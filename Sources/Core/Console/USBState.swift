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
    ///
    /// - Parameter mode: what the port shows, if it shows anything.
    package func meaning(_ mode: USBMode?) -> String {
        let shown = "shows " + (mode ?? .camera).noun
        return switch self {
        case .unavailable: "this port cannot show a computer the camera"
        case .off: "switched off"
        case .unplugged: shown + "; no computer is connected"
        case .connected: shown + "; a computer is connected"
        }
    }
}

/// What the camera is for a computer at the USB port.
package enum USBMode: String, Codable, Hashable, Sendable, CaseIterable {
    /// A camera.
    case camera
    /// A disk with photos that can only be read.
    case massStorage = "mass-storage"

    /// What it is, for a person.
    package var noun: String {
        switch self {
        case .camera: "a camera"
        case .massStorage: "a disk"
        }
    }
}

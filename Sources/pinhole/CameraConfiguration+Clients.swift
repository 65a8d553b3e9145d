import Configuration
import Photos

extension CameraConfiguration {
    /// What the library goes by for each client. Names and purposes were checked when the configuration was loaded.
    var clientPolicies: [ClientPolicy] { clients.compactMap { try? ClientPolicy($0) } }
}

extension ClientPolicy {
    /// The policy that a configuration says.
    init(_ client: ConfiguredClient) throws(PhotosError) {
        let level: ClientLevel? =
            switch client.access {
            case .ask: nil
            case .none: .nothing
            case .addOnly: .addOnly
            case .limited: .limited
            case .full: .full
            }
        // Whoever plugs a cable in or opens the page cannot be known again.
        let kind = client.name.prefix { $0 != ":" }
        try self.init(
            client: client.name, purpose: client.purpose, level: level, holdGivesFull: client.onHold == .full,
            isRemembered: kind != "usb" && kind != "web")
    }
}

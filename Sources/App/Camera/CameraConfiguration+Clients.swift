import Configuration
import Photos

extension CameraConfiguration {
    /// What the library goes by for each client: the configuration's list, and what is said of a client that the camera
    /// serves and the list does not name. Names and purposes were checked when the configuration was loaded.
    package var clientPolicies: [ClientPolicy] {
        let named = Set(clients.map(\.name))
        let served = schema.clients.filter { !named.contains($0.name) }
        return (clients + served).compactMap { client in
            let kind = client.name.prefix { $0 != ":" }
            let isRemembered = kind != "web" && schema.clients.first { $0.name == kind }?.isRemembered != false
            return try? ClientPolicy(client, isRemembered: isRemembered)
        }
    }
}

extension ClientPolicy {
    /// The policy that a configuration says.
    init(_ client: ConfiguredClient, isRemembered: Bool) throws(PhotosError) {
        try self.init(
            client: client.name, purpose: client.purpose, level: client.access, holdGivesFull: client.onHold == .full,
            isRemembered: isRemembered)
    }
}

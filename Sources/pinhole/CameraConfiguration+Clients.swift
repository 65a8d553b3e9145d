import Configuration
import Photos

extension CameraConfiguration {
    /// What the library goes by for each client: the configuration's list, and what is said of a client that the camera
    /// serves and the list does not name. Names and purposes were checked when the configuration was loaded.
    var clientPolicies: [ClientPolicy] {
        let named = Set(clients.map(\.name))
        let served = ServedClient.allCases.filter { !named.contains($0.rawValue) }.map { client in
            var configured = ConfiguredClient()
            configured.name = client.rawValue
            configured.purpose = client.purpose
            configured.onHold = client.holdGivesFull ? .full : .limited
            return configured
        }
        return (clients + served).compactMap { try? ClientPolicy($0) }
    }
}

/// The clients that the camera brings itself, whom the configuration may say otherwise of.
enum ServedClient: String, CaseIterable {
    /// A computer at the USB port.
    case usb
    /// The console that it can open there.
    case usbConsole = "usb-console"
    /// Computers that speak PTP/IP.
    case ptpip

    /// Why it asks.
    var purpose: String {
        switch self {
        case .usb: "copies photos to the computer at the USB port"
        case .usbConsole: "gives the computer at the USB port this camera's console"
        case .ptpip: "copies photos to a computer on the network"
        }
    }

    /// True for who cannot be known again: what it is given ends with its visit.
    var isVisitor: Bool { self != .ptpip }

    /// Whether holding the button gives it everything, for its visit.
    var holdGivesFull: Bool { self != .ptpip }
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
        let kind = String(client.name.prefix { $0 != ":" })
        try self.init(
            client: client.name, purpose: client.purpose, level: level, holdGivesFull: client.onHold == .full,
            isRemembered: kind != "web" && ServedClient(rawValue: kind)?.isVisitor != true)
    }
}

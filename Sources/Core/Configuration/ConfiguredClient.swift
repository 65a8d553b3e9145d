import Platform

/// A client that may ask for the library: a line of `clients` in the configuration.
package struct ConfiguredClient: Hashable, Sendable {
    /// What holding the button gives a client that asks to see photos.
    package enum OnHold: String, CaseIterable, Hashable, Sendable {
        /// Selected photos, none at first.
        case limited
        /// All photos, for this session.
        case full
    }

    /// The client's name, such as `usb` or `share:anna`.
    package var name = ""
    /// Why it asks, for the person who answers. Never empty once loaded.
    package var purpose = ""
    /// The level that is fixed for it; nil when a person answers its requests.
    package var access: ClientLevel?
    /// What holding the button gives.
    package var onHold = OnHold.limited
    /// False for a client of a door whose grants end with its session.
    package var isRemembered = true
    /// True for a client of a door that asks for the console instead of photos.
    package var isConsole = false

    /// A client without name and purpose.
    package init() {}

    /// The word of `clients.access` that leaves the answer to a person.
    static let ask = "ask"

    /// The word of `clients.access`.
    fileprivate var accessWord: String { access?.rawValue ?? Self.ask }
}

extension ConfigurationKey {
    /// What each client in the list `clients` has. A key reads and writes the last client of a configuration.
    package static let ofClient: [ConfigurationKey] = [
        client(
            "clients.name", .clientName, \.name,
            "Name of the client: `usb`, `usb-console`, `ptpip`, or one of your own.",
            write: { if case .text(let name) = $1 { $0.name = name } }),
        client(
            "clients.purpose", .purpose, \.purpose, "Why the client needs access; shown with its prompts.",
            write: { if case .text(let purpose) = $1 { $0.purpose = purpose } }),
        client(
            "clients.access", .choice([ConfiguredClient.ask] + ClientLevel.allCases.map(\.rawValue)), \.accessWord,
            "`ask` prompts you; any other value is fixed.",
            write: {
                if case .text(let text) = $1 { $0.access = ClientLevel(rawValue: text) }
            }),
        client(
            "clients.on_hold", .choice(ConfiguredClient.OnHold.allCases.map(\.rawValue)), \.onHold.rawValue,
            "What holding the button grants: the photos you select, or all photos for this session. For `usb` and `usb-console` the default is `\"full\"`.",
            write: {
                if case .text(let text) = $1, let word = ConfiguredClient.OnHold(rawValue: text) { $0.onHold = word }
            }),
    ]

    /// True for what every client must have.
    package var isRequiredOfClient: Bool { kind == .clientName || kind == .purpose }

    private static func client(
        _ path: String, _ kind: Kind, _ place: KeyPath<ConfiguredClient, String> & Sendable, _ documentation: String,
        write: @escaping @Sendable (inout ConfiguredClient, ConfigurationValue) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(
            path, kind, settable: false, documentation,
            read: { .text(($0.clients.last ?? ConfiguredClient())[keyPath: place]) },
            write: { configuration, value in
                guard var last = configuration.clients.popLast() else { return }
                write(&last, value)
                configuration.clients.append(last)
            })
    }
}

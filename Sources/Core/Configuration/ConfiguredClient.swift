/// A client that may ask for the library: a line of `clients` in the configuration.
package struct ConfiguredClient: Hashable, Sendable {
    /// What it may do: a fixed answer, or what is answered when it asks.
    package enum Access: String, CaseIterable, Hashable, Sendable {
        /// A person decides.
        case ask
        /// Nothing, and it cannot be changed.
        case none
        /// Adding photos, and it cannot be changed.
        case addOnly = "add-only"
        /// Selected photos; that it has no more cannot be changed.
        case limited
        /// Everything, and it cannot be changed.
        case full
    }

    /// What holding the button gives a client that asks to see photos.
    package enum OnHold: String, CaseIterable, Hashable, Sendable {
        /// Selected photos, none at first.
        case limited
        /// All photos, for this session.
        case full
    }

    /// `usb`, `share:anna` …
    package var name = ""
    /// Why it asks, for the person who answers. Never empty once loaded.
    package var purpose = ""
    /// What it may do.
    package var access = Access.ask
    /// What holding the button gives.
    package var onHold = OnHold.limited

    /// A client without name and purpose.
    package init() {}
}

extension ConfigurationKey {
    /// What each client in the list `clients` has. A key reads and writes the last client of a configuration.
    package static let ofClient: [ConfigurationKey] = [
        client(
            "clients.name", .clientName, \.name, "Which client: `usb`, or one of your own.",
            write: { if case .text(let name) = $1 { $0.name = name } }),
        client(
            "clients.purpose", .purpose, \.purpose, "Why it asks; shown to the person who answers.",
            write: { if case .text(let purpose) = $1 { $0.purpose = purpose } }),
        client(
            "clients.access", .choice(ConfiguredClient.Access.allCases.map(\.rawValue)), \.access.rawValue,
            "`ask` leaves the answer to you; anything else is fixed.",
            write: {
                if case .text(let text) = $1, let word = ConfiguredClient.Access(rawValue: text) { $0.access = word }
            }),
        client(
            "clients.on_hold", .choice(ConfiguredClient.OnHold.allCases.map(\.rawValue)), \.onHold.rawValue,
            "What it may see when you hold the button: the photos you select, or all for this session. For `usb` the default is `\"full\"`.",
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

/// What a person, or configuration, has answered to one client.
///
/// Whether it may add and whether it may read are remembered apart; reading carries adding with it.
package struct Grant: Hashable, Sendable {
    /// The answer to a request to read.
    package enum Reading: Hashable, Sendable {
        /// No.
        case refused
        /// The assets of a selection; without an identifier none yet.
        case selected(AssetIdentifier?)
        /// All assets.
        case all
    }

    /// The answer to a request to add; nil while nobody has decided.
    package var adding: Bool?
    /// The answer to a request to read; nil while nobody has decided.
    package var reading: Reading?
    /// True when configuration has answered, which no person changes.
    package private(set) var isFixed = false

    /// A selection that no asset is ever part of.
    private static let emptySelection = AssetIdentifier(bytes: [UInt8](repeating: 0, count: 16)) ?? AssetIdentifier()

    /// Nothing decided.
    package init() {}

    /// What configuration fixes.
    ///
    /// - Parameter selection: that of a limited client, once there is one.
    package static func fixed(_ level: ClientLevel, selection: AssetIdentifier? = nil) -> Grant {
        var grant = Grant()
        grant.isFixed = true
        grant.set(level, selection: selection)
        return grant
    }

    /// Where the client stands with a level.
    package func status(for level: AccessLevel) -> AuthorizationStatus {
        switch (level, reading) {
        case (_, .all): .authorized
        case (_, .selected): .limited
        case (.readWrite, .refused): isFixed ? .restricted : .denied
        case (.readWrite, nil): .notDetermined
        case (.addOnly, .refused), (.addOnly, nil):
            switch adding {
            case .some(true): .authorized
            case .some(false): isFixed ? .restricted : .denied
            case .none: .notDetermined
            }
        }
    }

    /// What the client may do.
    package var rights: Rights {
        let visibility: Rights.Visibility =
            switch reading {
            case .all: .everything
            case .selected(let selection): .selection(selection ?? Self.emptySelection)
            case .refused, nil: .nothing
            }
        return Rights(mayAdd: [.authorized, .limited].contains(status(for: .addOnly)), visibility: visibility)
    }

    /// The selection of a limited client.
    package var selection: AssetIdentifier? {
        if case .selected(let selection) = reading { selection } else { nil }
    }

    /// How much the client has.
    package var level: ClientLevel {
        switch reading {
        case .all: .full
        case .selected: .limited
        case .refused, nil: adding == true ? .addOnly : .nothing
        }
    }

    /// True when it allows nothing that another does not.
    func isNarrower(than other: Grant) -> Bool {
        (!rights.mayAdd || other.rights.mayAdd)
            && (!rights.mayRead || other.rights.seesEverything || rights == other.rights)
    }

    /// True when nobody has decided anything.
    package var isUndecided: Bool { adding == nil && reading == nil }

    /// Gives the client this much, no less and no more. A selection it has is kept.
    ///
    /// - Parameter selection: that of a client that becomes limited.
    mutating func set(_ level: ClientLevel, selection: AssetIdentifier?) {
        switch level {
        case .nothing:
            adding = false
            reading = .refused
        case .addOnly:
            adding = true
            // What is undecided stays so; what was more is taken back.
            if reading != nil || isFixed { reading = .refused }
        case .limited:
            if case .selected(.some) = reading { return }
            reading = .selected(selection)
        case .full:
            reading = .all
        }
    }

    /// Refuses what was asked; the other answer stays.
    mutating func refuse(_ level: AccessLevel) {
        switch level {
        case .addOnly: adding = false
        case .readWrite: reading = .refused
        }
    }
}

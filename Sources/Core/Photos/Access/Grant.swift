import Platform

/// The answers that a person, or the configuration, has given to one client.
///
/// Whether it may add and whether it may read are remembered separately; a client that may read may also add.
package struct Grant: Hashable, Sendable {
    /// The answer to a request to read.
    package enum Reading: Hashable, Sendable {
        /// The client may not read.
        case refused
        /// The client may read the assets of a selection; without an identifier, no asset yet.
        case selected(AssetIdentifier?)
        /// The client may read all assets.
        case all
    }

    /// The answer to a request to add; nil while it is undecided.
    package var adding: Bool?
    /// The answer to a request to read; nil while it is undecided.
    package var reading: Reading?
    /// True when the configuration has answered, which no person can change.
    package private(set) var isFixed = false

    /// A selection that never contains an asset.
    private static let emptySelection = AssetIdentifier(bytes: [UInt8](repeating: 0, count: 16)) ?? AssetIdentifier()

    /// Creates an undecided grant.
    package init() {}

    /// The grant that the configuration fixes.
    ///
    /// - Parameter selection: the selection of a limited client; nil until it has one.
    package static func fixed(_ level: ClientLevel, selection: AssetIdentifier? = nil) -> Grant {
        var grant = Grant()
        grant.isFixed = true
        grant.set(level, selection: selection)
        return grant
    }

    /// The status of a request for a level.
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

    /// The operations that the grant permits.
    package var rights: Rights {
        let visibility: Rights.Visibility =
            switch reading {
            case .all: .everything
            case .selected(let selection): .selection(selection ?? Self.emptySelection)
            case .refused, nil: .nothing
            }
        return Rights(mayAdd: [.authorized, .limited].contains(status(for: .addOnly)), visibility: visibility)
    }

    /// The selection of a limited client; nil for other clients, and until a limited client has one.
    package var selection: AssetIdentifier? {
        if case .selected(let selection) = reading { selection } else { nil }
    }

    /// The highest level that the grant includes.
    package var level: ClientLevel {
        switch reading {
        case .all: .full
        case .selected: .limited
        case .refused, nil: adding == true ? .addOnly : .nothing
        }
    }

    /// True when another grant permits everything that this one permits.
    func isNarrower(than other: Grant) -> Bool {
        (!rights.mayAdd || other.rights.mayAdd)
            && (!rights.mayRead || other.rights.seesEverything || rights == other.rights)
    }

    /// True when neither request has an answer.
    package var isUndecided: Bool { adding == nil && reading == nil }

    /// Gives the client exactly this level. A selection that it has already stays.
    ///
    /// - Parameter selection: the selection of a client that becomes limited.
    mutating func set(_ level: ClientLevel, selection: AssetIdentifier?) {
        switch level {
        case .nothing:
            adding = false
            reading = .refused
        case .addOnly:
            adding = true
            // An undecided request to read stays undecided; a permission to read is taken back.
            if reading != nil || isFixed { reading = .refused }
        case .limited:
            if case .selected(.some) = reading { return }
            reading = .selected(selection)
        case .full:
            reading = .all
        }
    }

    /// Refuses a request; the answer to the other one stays.
    mutating func refuse(_ level: AccessLevel) {
        switch level {
        case .addOnly: adding = false
        case .readWrite: reading = .refused
        }
    }
}

/// What a client may do at one moment.
package struct Rights: Hashable, Sendable {
    /// The assets that a client sees.
    package enum Visibility: Hashable, Sendable {
        /// The client sees no assets.
        case nothing
        /// The assets of a selection.
        case selection(AssetIdentifier)
        /// The client sees all assets.
        case everything
    }

    /// True when the client may create assets.
    package var mayAdd: Bool
    /// The assets that the client sees, and may change and delete.
    package var visibility: Visibility

    /// True when the client may see assets, even if there are none yet.
    package var mayRead: Bool { visibility != .nothing }
    /// True when the client sees only the assets that were selected for it.
    package var isLimited: Bool { mayRead && !seesEverything }
    /// True when no asset is hidden from the client.
    package var seesEverything: Bool { visibility == .everything }

    /// Neither create nor see assets.
    package static let none = Rights(mayAdd: false, visibility: .nothing)
    /// Create assets, and see none.
    package static let addOnly = Rights(mayAdd: true, visibility: .nothing)
    /// Create, see and change all assets.
    package static let full = Rights(mayAdd: true, visibility: .everything)
}

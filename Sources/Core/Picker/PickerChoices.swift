import Photos
import Synchronization

/// What a front shows and changes: the photos on offer, page by page, and which of them are chosen.
///
/// - Isolation: every method may be called from any thread.
public final class PickerChoices: Sendable {
    /// What became of a toggle.
    public enum Toggle: Hashable, Sendable {
        /// The photo is chosen, at this place from 1.
        case selected(position: Int)
        /// The photo is no longer chosen.
        case deselected
        /// No more than this many may be chosen.
        case limitReached(Int)
        /// The picker is over.
        case over
    }

    private struct State {
        var session: PickerSession
        /// The assets of the chosen photos.
        var assets: [String: Asset]
    }

    /// How many photos may be chosen at most.
    public let selectionLimit: Int
    /// The place of each chosen photo is to be shown.
    public let isOrdered: Bool

    private let filter: FetchOptions.Filter?
    private let library: any PickerLibrary
    private let state: Mutex<State>
    private let report: @Sendable ([(choice: PickerSession.Choice, asset: Asset?)]) -> Void

    /// Choices before the first.
    ///
    /// - Parameter report: gets the selection with each change of a continuous picker, in the order of the changes. It
    ///   is called under a lock and must return at once.
    init(
        _ configuration: PickerConfiguration, present: [Asset], library: any PickerLibrary,
        report: @escaping @Sendable ([(choice: PickerSession.Choice, asset: Asset?)]) -> Void
    ) {
        selectionLimit = configuration.effectiveLimit
        isOrdered = configuration.isOrdered
        filter = configuration.filter?.fetchFilter
        self.library = library
        self.report = report
        state = Mutex(
            State(
                session: PickerSession(
                    limit: configuration.effectiveLimit, isContinuous: configuration.isContinuous,
                    preselection: configuration.preselection, present: present.map(\.localIdentifier)),
                assets: Dictionary(present.map { ($0.localIdentifier, $0) }) { first, _ in first }))
    }

    /// One page of the photos on offer, the newest first.
    ///
    /// - Parameters:
    ///   - cursor: where to go on: `next` of the page before; nil for the first page.
    ///   - limit: photos of a page.
    public func page(after cursor: FetchOptions.Cursor? = nil, limit: Int) async throws(PhotosError) -> FetchResult<
        Asset
    > {
        var options = FetchOptions()
        options.filter = filter
        options.cursor = cursor
        options.fetchLimit = max(1, limit)
        return try await library.fetch(options)
    }

    /// The identifiers of the chosen photos in the order in which they were chosen.
    public var selectedIdentifiers: [String] {
        state.withLock { $0.session.choices.map(\.identifier) }
    }

    /// Chooses a photo, or no longer chooses it. Where only one may be chosen, the other one makes room.
    ///
    /// - Throws: `.identifierNotFound` for a photo that is not on offer, and what the library throws.
    public func toggle(_ identifier: String) async throws(PhotosError) -> Toggle {
        if let toggle = deselect(identifier) { return toggle }
        var options = FetchOptions()
        options.filter = .all([.identifiers([identifier])] + (filter.map { [$0] } ?? []))
        options.fetchLimit = 1
        guard let asset = try await library.fetch(options).assets.first else { throw .noSuchPhoto(identifier) }
        return state.withLock { state in
            state.assets[identifier] = asset
            return handle(.toggle(identifier), &state) ?? .over
        }
    }

    /// Ends the picker, and gives the result of each chosen photo; the asset is nil when the photo is gone.
    func end(_ outcome: PickerOutcome) -> [(choice: PickerSession.Choice, asset: Asset?)] {
        state.withLock { state in
            for case .end(let choices) in state.session.handle(outcome == .done ? .finish : .cancel) {
                return Self.pair(choices, state)
            }
            return []
        }
    }

    /// A photo that is chosen can be let go without the library: it may be gone or no longer on offer.
    private func deselect(_ identifier: String) -> Toggle? {
        state.withLock { state in
            guard state.assets[identifier] != nil else { return nil }
            return handle(.toggle(identifier), &state) ?? .over
        }
    }

    private func handle(_ event: PickerSession.Event, _ state: inout State) -> Toggle? {
        var toggle: Toggle?
        let actions = state.session.handle(event)
        let chosen = Set(state.session.choices.map(\.identifier))
        state.assets = state.assets.filter { chosen.contains($0.key) }
        for action in actions {
            switch action {
            case .selected(let position): toggle = .selected(position: position)
            case .deselected: toggle = .deselected
            case .refused(let limit): toggle = .limitReached(limit)
            case .report(let choices): report(Self.pair(choices, state))
            case .end: break
            }
        }
        return toggle
    }

    private static func pair(
        _ choices: [PickerSession.Choice], _ state: State
    ) -> [(choice: PickerSession.Choice, asset: Asset?)] {
        choices.map { ($0, state.assets[$0.identifier]) }
    }
}

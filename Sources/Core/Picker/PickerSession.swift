/// The selection of one picker (pure).
package struct PickerSession: Sendable {
    /// A photo that is picked, and whether it was picked from the start.
    package struct Choice: Hashable, Sendable {
        /// The local identifier of the photo.
        package let identifier: String
        /// It was chosen before the picker began, and is chosen since.
        package let isPreselected: Bool
    }

    /// What the person does.
    package enum Event: Hashable, Sendable {
        /// Chooses a photo, or no longer chooses it.
        case toggle(String)
        /// The person is done.
        case finish
        /// Wants nothing of this.
        case cancel
    }

    /// What follows from it.
    package enum Action: Hashable, Sendable {
        /// The photo is chosen, at this place from 1.
        case selected(position: Int)
        /// The photo is no longer chosen.
        case deselected
        /// As many photos are chosen as may be.
        case refused(limit: Int)
        /// The selection is another one, and is to be reported.
        case report([Choice])
        /// It is over, with this result.
        case end([Choice])
    }

    /// How many photos may be chosen.
    package let limit: Int
    /// The chosen photos in the order in which they were chosen.
    package private(set) var choices: [Choice]
    private var places: Set<String>
    private let preselection: [String]
    private let isContinuous: Bool
    private var isOver = false

    /// A picker before the first event.
    ///
    /// - Parameters:
    ///   - preselection: what a canceled picker gives back.
    ///   - present: those of them that the library has.
    package init(limit: Int, isContinuous: Bool = false, preselection: [String] = [], present: [String]? = nil) {
        self.limit = limit
        self.isContinuous = isContinuous
        self.preselection = preselection
        choices = (present ?? preselection).map { Choice(identifier: $0, isPreselected: true) }
        places = Set(choices.map(\.identifier))
    }

    /// Takes an event. After the end nothing follows from any.
    package mutating func handle(_ event: Event) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .toggle(let identifier): return toggle(identifier)
        case .finish:
            isOver = true
            return [.end(choices)]
        case .cancel:
            isOver = true
            return [.end(preselection.map { Choice(identifier: $0, isPreselected: true) })]
        }
    }

    private mutating func toggle(_ identifier: String) -> [Action] {
        if places.remove(identifier) != nil {
            choices.removeAll { $0.identifier == identifier }
            return reporting(.deselected)
        }
        if choices.count >= limit {
            // Where only one can be chosen, another one takes its place.
            guard limit == 1 else { return [.refused(limit: limit)] }
            choices = []
            places = []
        }
        places.insert(identifier)
        choices.append(Choice(identifier: identifier, isPreselected: false))
        return reporting(.selected(position: choices.count))
    }

    private func reporting(_ action: Action) -> [Action] {
        isContinuous ? [action, .report(choices)] : [action]
    }
}

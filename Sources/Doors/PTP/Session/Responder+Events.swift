import Offload

/// What an initiator is told unasked.
extension Responder {
    /// The events that are sent, by the responder or by a link.
    static let eventCodes: [EventCode] = [
        .cancelTransaction, .objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .objectInfoChanged, .storeFull,
        .storageInfoChanged, .captureComplete, .unreportedStatus,
    ]
    /// Of more objects at once nothing is said but that everything is to be listed anew.
    static let eventLimit = 100

    /// What is told about a change; nothing about objects to one who may not see them.
    static func events(for change: StoreChange, mayRead: Bool) -> [ResponderEvent] {
        switch change {
        case .added(let handles): events(.objectAdded, handles, mayRead: mayRead)
        case .removed(let handles): events(.objectRemoved, handles, mayRead: mayRead)
        case .changed(let handles): events(.objectInfoChanged, handles, mayRead: mayRead)
        case .replaced: [ResponderEvent(.storeRemoved, [storage]), ResponderEvent(.storeAdded, [storage])]
        case .spaceChanged: [ResponderEvent(.storageInfoChanged, [storage])]
        case .full: [ResponderEvent(.storeFull, [storage])]
        case .captureCompleted(let transaction):
            [ResponderEvent(.captureComplete, transaction: transaction, [transaction])]
        }
    }

    private static func events(_ code: EventCode, _ handles: [UInt32], mayRead: Bool) -> [ResponderEvent] {
        guard mayRead else { return [] }
        guard handles.count <= eventLimit else { return events(for: .replaced, mayRead: mayRead) }
        return handles.map { ResponderEvent(code, [$0]) }
    }
}

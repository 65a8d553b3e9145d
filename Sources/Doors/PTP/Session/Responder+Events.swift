import Offload

/// The events that follow from changes of the store.
extension Responder {
    /// The events that the responder or a link sends.
    static let eventCodes: [EventCode] = [
        .cancelTransaction, .objectAdded, .objectRemoved, .storeAdded, .storeRemoved, .objectInfoChanged, .storeFull,
        .storageInfoChanged, .captureComplete, .unreportedStatus,
    ]
    /// Most objects that events name at once. Larger changes make the initiator list the whole store again.
    static let eventLimit = 100

    /// The events of a change; those about objects only for a client that may see them.
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

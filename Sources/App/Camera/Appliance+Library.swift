import Console
import Panel
import Photos
import Platform

// What happens to the library, for the light, the consoles and the log.
extension Appliance {
    func libraryDid(_ event: LibraryEvent) {
        switch event {
        case .added(let asset):
            panel.report(.saved)
            events.send(.saved(PhotoRecord(asset), time: rfc3339Now))
        case .changed(let asset):
            events.send(EventRecord(.changed, PhotoRecord(asset), time: rfc3339Now))
        case .removed(let identifiers):
            for identifier in identifiers { send(.deleted, ["id": .string(identifier)]) }
        case .restored(let asset):
            send(.restored, ["id": .string(asset.localIdentifier)])
        case .purged(let identifiers):
            send(.emptied, ["count": .integer(Int64(identifiers.count))])
        case .adopted(let asset):
            parts.log.write(.info, "found \(asset.name) and added it to the library")
        case .quarantined(let name, let reason):
            parts.log.write(.warning, "set \(name) aside: \(reason)")
        case .missing(_, let name):
            parts.log.write(.error, "\(name) is missing")
        case .stateChanged(let state):
            libraryStateDid(state)
        case .initialized(let library):
            parts.log.write(.info, "created a new library in \(library)")
        case .rebuilding(let reason, let copied):
            let lost = "favorites, albums, selections, changed dates and the identifiers of imported files"
            parts.log.write(
                .warning,
                "the catalog is being rebuilt: \(reason); "
                    + (copied.map { "\(lost) are restored as of \($0.rfc3339); later changes are lost" }
                        ?? "there is no copy of it, so \(lost) are lost"))
        case .accessChanged(let client):
            parts.log.write(.info, "the access of \(client.name) has changed")
            guard let grant = parts.store.clients().first(where: { $0.client == client }) else { return }
            events.send(
                .access(
                    client: client.name, level: grant.level.rawValue, status: grant.status.word, time: rfc3339Now))
        case .selectionChanged(let client):
            parts.log.write(.info, "the photos that \(client.name) sees have changed")
        case .grantsLost(let reason):
            parts.log.write(.warning, "the stored permissions of clients are lost, and no client has access: \(reason)")
        case .grantNotStored(let client, let reason):
            parts.log.write(.error, "\(client.name) was not allowed, because this could not be stored: \(reason)")
        }
    }

    /// Shows what the storage can do.
    func libraryStateDid(_ libraryState: LibraryState) {
        let fault: StatusLight.Fault? =
            switch libraryState {
            case .ready, .nearlyFull: nil
            case .full, .readOnly, .offline: .cardFull
            case .numberingExhausted: .numbersExhausted
            }
        let old = state.libraryFault
        state.libraryFault = fault
        panel.report(.cardNearlyFull(libraryState == .nearlyFull))
        guard fault != old else { return }
        if let old {
            panel.report(.faultEnded(old))
            send(.recovered, ["message": .string("photos can be saved again")])
        }
        if let fault {
            panel.report(.faultBegan(fault))
            if let refusal = libraryState.refusal { send(.fault, CommandFailure(refusal)) }
        }
    }
}

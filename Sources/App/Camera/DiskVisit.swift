import MassStorage
import PTP
import Photos
import Platform
import Synchronization
import USBGadget

/// The visit of a computer that sees a disk: what the owner lets it see, as it was when the owner said so.
///
/// Until then there is no medium in the disk, and none any more when it is taken back; whatever the owner says anew makes
/// another one. Photos that come later are seen at the next visit, because a computer does not expect a disk to change.
/// - Isolation: any thread.
final class DiskVisit: Sendable {
    /// What answers the computer.
    let connection: BulkOnlyConnection
    private let client: Client
    private let library: LibraryStore
    private let events: Broadcast<LibraryEvent>
    private let store: LibraryObjectStore
    /// Where a volume is put together, which takes seconds for very many photos.
    private let worker: WorkerThread
    /// Held while a medium is put in or taken out.
    private let state = Mutex(State())

    private struct State {
        /// What the client could see when the medium in the disk was made; nil for no medium.
        var shown: Rights?
        /// The files of that medium.
        var files: DiskFiles?
        /// How often another medium was asked for.
        var requests = 0
    }

    /// A visit over pipes that work.
    init(pipes: any USBPipes, client: Client, appliance: Appliance, worker: WorkerThread) {
        let parts = appliance.parts
        let store = LibraryObjectStore(library: parts.store, client: client, time: parts.time) {
            (_, _) throws(ResponseCode) in throw .operationNotSupported
        }
        (self.client, library, events) = (client, parts.store, parts.libraryEvents)
        (self.store, self.worker) = (store, worker)
        let identity = appliance.identity
        let consent = DiskConsent(client: client, appliance: appliance)
        connection = BulkOnlyConnection(
            pipes: pipes,
            identity: SCSIIdentity(
                vendor: identity.manufacturer, product: identity.model, revision: identity.version,
                serialNumber: identity.serialNumber)
        ) { [panel = appliance.panel] event in
            switch event {
            case .mediumWanted: consent.ask()
            case .ejected: panel.tell(.safeToUnplug)
            }
        }
    }

    /// Serves the computer until it has gone.
    ///
    /// - Blocking: until then.
    func serve() {
        let follower = events.follow { [weak self] event in self?.libraryDid(event) }
        defer { events.end(follower) }
        changeMedium()
        connection.run()
    }

    private func libraryDid(_ event: LibraryEvent) {
        switch event {
        case .accessChanged(client): changeMedium()
        case .selectionChanged(client): changeMedium(isOutdated: true)
        case .removed: state.withLock { $0.files }?.photosWereDeleted()
        // A card may have come back.
        case .stateChanged: changeMedium()
        default: break
        }
    }

    /// Takes a medium out that shows something else than what the client may see now, and has another one made. Never
    /// blocks.
    private func changeMedium(isOutdated: Bool = false) {
        let rights = library.rights(of: client)
        state.withLock { state in
            guard isOutdated || state.shown != rights else { return }
            if state.shown != nil { connection.removeMedium() }
            (state.shown, state.files) = (nil, nil)
            state.requests += 1
            guard rights.mayRead else { return }
            // When the store knows of everything that has happened.
            library.whenObserversKnow { [weak self, requests = state.requests] in
                self?.worker.submit { [weak self] in self?.insertMedium(requests) }
            }
        }
    }

    /// Puts a medium in, unless another one was asked for meanwhile. What is asked for by something that happens is asked
    /// for after the client's rights have changed.
    private func insertMedium(_ requests: Int) {
        let rights = library.rights(of: client)
        guard rights.mayRead, state.withLock({ $0.requests == requests }), let table = try? store.objects() else {
            return
        }
        let files = DiskFiles(table, in: store)
        let list = files.list
        // To a client that is limited photos are still to be given.
        if list.isEmpty, rights.isLimited { return }
        let volume = FATVolume(files: list, serialNumber: .random(in: 1 ... .max))
        state.withLock { state in
            guard state.requests == requests, library.rights(of: client) == rights else { return }
            connection.insert(volume, from: files)
            (state.shown, state.files) = (rights, files)
        }
    }
}

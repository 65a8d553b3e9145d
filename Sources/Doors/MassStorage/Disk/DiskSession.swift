import Offload
import Photos
import Platform
import Synchronization
import USBGadget

/// The session of a computer that sees a disk: the photos that the owner has granted it, as they were at that moment.
///
/// Before the owner grants access there is no medium in the disk, and a revoked grant takes it out; another decision of
/// the owner puts in another medium. Later photos appear in the next session, because a computer does not expect a disk
/// to change.
/// - Isolation: any thread.
package final class DiskSession: Sendable {
    /// The host of the pipes, which answers the computer.
    package let connection: BulkOnlyConnection
    private let client: Client
    private let sessions: ClientSessions
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
        /// How many media were requested.
        var requests = 0
    }

    /// A session over pipes that work.
    ///
    /// - Parameters:
    ///   - loop: where the next question to the owner is scheduled.
    ///   - worker: where volumes are put together.
    ///   - ejected: called when the computer has ejected the disk.
    package init(
        pipes: any USBPipes, client: Client, sessions: ClientSessions, identity: DeviceIdentity, loop: EventLoop,
        worker: WorkerThread, ejected: @escaping @Sendable () -> Void
    ) {
        (self.client, self.sessions, self.worker) = (client, sessions, worker)
        store = sessions.store(for: client)
        let consent = DiskConsent(client: client, library: sessions.library, loop: loop, time: sessions.time)
        connection = BulkOnlyConnection(pipes: pipes, identity: SCSIIdentity(identity)) { event in
            switch event {
            case .mediumWanted: consent.ask()
            case .ejected: ejected()
            }
        }
    }

    private var library: LibraryStore { sessions.library }

    /// Serves the computer until it has gone.
    ///
    /// - Blocking: until then.
    package func serve() {
        let follower = sessions.events.follow { [weak self] event in self?.libraryDid(event) }
        defer { sessions.events.end(follower) }
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

    /// Takes out a medium that no longer shows what the client may see, and requests another one. Never blocks.
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

    /// Puts a medium in, unless another one was requested meanwhile. Events come after the client's rights have changed,
    /// so a medium that shows old rights is always followed by another request.
    private func insertMedium(_ requests: Int) {
        let rights = library.rights(of: client)
        guard rights.mayRead, state.withLock({ $0.requests == requests }), let table = try? store.objects() else {
            return
        }
        let files = DiskFiles(table, in: store)
        let list = files.list
        // The owner has yet to select photos for a limited client.
        if list.isEmpty, rights.isLimited { return }
        let volume = FATVolume(files: list, serialNumber: .random(in: 1 ... .max))
        state.withLock { state in
            guard state.requests == requests, library.rights(of: client) == rights else { return }
            connection.insert(volume, from: files)
            (state.shown, state.files) = (rights, files)
        }
    }
}

/// Asks the owner for access when a computer looks for a medium in the disk, and again while the question stays
/// unanswered: the computer asks once and then only waits for a medium.
///
/// The library decides how soon a question may be repeated. Asking ends with the object.
/// - Isolation: any thread.
final class DiskConsent: Sendable {
    /// Shortest time between two questions.
    private static let interval = Duration.seconds(10)

    private let client: Client
    private let library: LibraryStore
    private let loop: EventLoop
    private let time: any TimeSource

    /// Asks on behalf of this client, beginning with the first `ask()`.
    init(client: Client, library: LibraryStore, loop: EventLoop, time: any TimeSource) {
        (self.client, self.library, self.loop, self.time) = (client, library, loop, time)
    }

    /// Asks if the owner has not decided. Returns at once.
    func ask() {
        guard library.authorizationStatus(for: .readWrite, client: client) == .notDetermined else { return }
        PhotoLibrary(store: library, client: client).requestAuthorization(for: .readWrite) { [weak self] status in
            guard let self, status == .notDetermined else { return }
            _ = loop.schedule(at: time.now + Self.interval) { [weak self] in self?.ask() }
        }
    }
}

import Platform
import Synchronization

/// The observers of one library, and how far each has been informed.
///
/// What an observer receives comes from the history, so that nothing is reported twice or in another order.
/// - Isolation: any thread; `look` on the reading thread. Observers are called on a thread of their own.
/// - Ownership: observers are held weakly, and their clients' views of the library until `close`.
final class ChangeObservers: Sendable {
    private struct Registration: Sendable {
        weak var observer: (any PhotoLibraryChangeObserver)?
        let library: PhotoLibrary
        /// The last change that it received; nil when the library was not open.
        var token: PersistentChangeToken?
        /// What its client was allowed to do at the last report.
        var rights: Rights
    }

    private struct State: Sendable {
        var registrations: [Int: Registration] = [:]
        var last = 0
    }

    private let authority: Authority
    private let state = Mutex(State())
    private let thread = WorkerThread(name: "library-observe")

    init(authority: Authority) {
        self.authority = authority
    }

    /// Adds an observer, once for each client.
    func add(_ observer: any PhotoLibraryChangeObserver, of library: PhotoLibrary, since token: PersistentChangeToken?)
    {
        let rights = authority.rights(of: library.client)
        state.withLock { state in
            // Those that are gone would stay until something changes.
            state.registrations = state.registrations.filter { $0.value.observer != nil }
            let isKnown = state.registrations.values.contains {
                $0.observer === observer && $0.library.client == library.client
            }
            guard !isKnown else { return }
            state.last += 1
            state.registrations[state.last] = Registration(
                observer: observer, library: library, token: token, rights: rights)
        }
    }

    /// Removes an observer of one client, and those that are gone.
    func remove(_ observer: any PhotoLibraryChangeObserver, for client: Client) {
        state.withLock { state in
            state.registrations = state.registrations.filter { _, registration in
                guard let known = registration.observer else { return false }
                return known !== observer || registration.library.client != client
            }
        }
    }

    /// Reads what has happened and reports it. What cannot be read now is reported the next time.
    func look(_ reader: LibraryReader) {
        let registrations = state.withLock { state in
            state.registrations = state.registrations.filter { $0.value.observer != nil }
            return state.registrations
        }
        for (number, registration) in registrations.sorted(by: { $0.key < $1.key }) {
            let rights = authority.rights(of: registration.library.client)
            let isSame = rights == registration.rights
            guard let end = reader.shared.changeToken else { return }
            let token = registration.token ?? end
            if isSame && token == end && registration.token != nil { continue }
            let read: (changes: [PersistentChange], end: PersistentChangeToken)?
            do throws(SQLiteError) {
                guard let view = try reader.view(rights) else { return }
                read = try view.changes(since: token)
            } catch {
                return
            }
            // Nil is a change that the history does not describe.
            let changes = isSame ? read.map { $0.changes.map { Optional($0) } } ?? [nil] : [nil]
            // Without the history the place is the newest that is known.
            let place = read?.end ?? end
            state.withLock { state in
                state.registrations[number]?.token = place
                state.registrations[number]?.rights = rights
            }
            for change in changes { report(number, change) }
        }
    }

    private func report(_ number: Int, _ change: PersistentChange?) {
        thread.submit { [self] in
            guard let registration = state.withLock({ $0.registrations[number] }) else { return }
            registration.observer?.photoLibraryDidChange(
                PhotoLibraryChange(persistentChange: change, library: registration.library))
        }
    }

    /// Calls `body` on the observers' thread, after every call that has been decided on.
    func afterCalls(_ body: @escaping @Sendable () -> Void) {
        if !thread.submit(body) { body() }
    }

    /// Reports what is waiting, then releases everything.
    func close() async {
        await thread.stop()
        state.withLock { $0.registrations = [:] }
    }
}

import Photos
import Platform
import Synchronization

/// The sessions of clients: which client each is to the library, and the files that it sees.
///
/// - Isolation: any thread.
package final class ClientSessions: Sendable {
    /// Whether the computer of a client has come or gone.
    package enum Change: Sendable {
        case connected, disconnected
    }

    /// The library that clients see.
    package let library: LibraryStore
    /// What happens in the library.
    package let events: Broadcast<LibraryEvent>
    /// The clock of the camera.
    package let time: any TimeSource
    private let capture: LibraryObjectStore.Capture
    private let reportChange: @Sendable (Change, Client, _ message: String) -> Void
    private let nextNumber = Mutex(1)

    /// A registry without sessions.
    ///
    /// - Parameters:
    ///   - report: shows the owner a sentence about a computer that came or went.
    ///   - capture: takes a photo for a client.
    package init(
        library: LibraryStore, events: Broadcast<LibraryEvent>, time: any TimeSource,
        report: @escaping @Sendable (Change, Client, _ message: String) -> Void,
        capture: @escaping LibraryObjectStore.Capture
    ) {
        (self.library, self.events, self.time) = (library, events, time)
        (reportChange, self.capture) = (report, capture)
    }

    /// Begins the session of a client that has connected.
    ///
    /// - Parameter isNumbered: true for a client that cannot be recognized when it comes back: what it is granted ends
    ///   with the session. A client that is known by its name keeps its grant, because programs connect for a moment at
    ///   a time and the owner may answer later.
    package func begin(_ name: String, isNumbered: Bool) -> Client {
        guard isNumbered else { return .named(name) }
        let number = nextNumber.withLock { number in
            defer { number += 1 }
            return number
        }
        let client = Client.session(name, number)
        library.beginSession(client)
        return client
    }

    /// Ends a session: the library forgets what it granted to a numbered one.
    package func end(_ client: Client) {
        if client.session != nil { library.endSession(client) }
    }

    /// Reports to the owner that a computer has come or gone.
    package func report(_ change: Change, _ client: Client, _ message: String) {
        reportChange(change, client, message)
    }

    /// The files that a client sees, from which it can take photos.
    ///
    /// The caller passes the library's events on to `LibraryObjectStore.libraryDid`.
    package func store(for client: Client) -> LibraryObjectStore {
        LibraryObjectStore(library: library, client: client, time: time, capture: capture)
    }
}

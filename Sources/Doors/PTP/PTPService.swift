import Offload
import Photos

/// Serves the library to initiators, whatever link they come over.
///
/// - Isolation: any thread.
package final class PTPService: Sendable {
    private let sessions: ClientSessions
    private let identity: DeviceIdentity
    private let properties: any DeviceProperties

    /// A service that shows initiators this camera.
    package init(sessions: ClientSessions, identity: DeviceIdentity, properties: any DeviceProperties) {
        (self.sessions, self.identity, self.properties) = (sessions, identity, properties)
    }

    /// Serves one client until its link is closed.
    ///
    /// - Blocking: until then.
    package func serve(_ link: any Link, as client: Client) {
        let store = sessions.store(for: client)
        let follower = sessions.events.follow { store.libraryDid($0) }
        defer { sessions.events.end(follower) }
        let responder = Responder(identity: identity, store: store, properties: properties)
        Connection(link: link, store: store, responder: responder).run()
    }
}

import Offload
import Photos
import Platform

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

/// What the camera says about its own state.
///
/// - Isolation: any thread.
/// - Blocking: never.
package protocol DeviceProperties: Sendable {
    /// How full the battery is, in percent; nil without one: then there is no such property.
    var batteryLevel: Int? { get }
    /// The camera's date and time.
    var now: WallTime { get }
}

import Offload
import Photos
import Platform

/// Serves the library to initiators over any kind of link.
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
    /// - Blocking: until the link is closed.
    package func serve(_ link: any Link, as client: Client) {
        let store = sessions.store(for: client)
        let follower = sessions.events.follow { store.libraryDid($0) }
        defer { sessions.events.end(follower) }
        let responder = Responder(identity: identity, store: store, properties: properties)
        Connection(link: link, store: store, responder: responder).run()
    }
}

/// The state of the camera that its PTP properties report.
///
/// - Isolation: any thread.
/// - Blocking: never.
package protocol DeviceProperties: Sendable {
    /// The battery's charge in percent; nil without a battery, and then the property is missing.
    var batteryLevel: Int? { get }
    /// The camera's date and time.
    var now: WallTime { get }
}

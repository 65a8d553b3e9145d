import Console
import PTP
import Photos
import Platform
import Synchronization

/// The visits of computers: who each is to the library, and what one that speaks PTP is served.
///
/// - Isolation: any thread.
package final class HostVisits: Sendable {
    private let appliance: Appliance
    private let nextVisit = Mutex(1)

    /// No visits yet.
    package init(appliance: Appliance) {
        self.appliance = appliance
    }

    /// A computer has come. A client that is known by its name has no visits: what it asks may be answered when it is
    /// gone, as programs come for a moment at a time.
    func begin(_ served: ServedClient) -> Client {
        guard served.isVisitor else { return .named(served.rawValue) }
        let number = nextVisit.withLock { number in
            defer { number += 1 }
            return number
        }
        let client = Client.session(served.rawValue, number)
        appliance.parts.store.beginSession(client)
        return client
    }

    /// It has gone: what it was given for its visit is forgotten.
    func end(_ client: Client) {
        if client.session != nil { appliance.parts.store.endSession(client) }
    }

    /// Serves the library to a computer until its link is closed.
    ///
    /// - Blocking: until then.
    func serve(_ link: any Link, as client: Client) {
        let parts = appliance.parts
        let store = LibraryObjectStore(library: parts.store, client: client, time: parts.time) {
            [appliance] (client, completion) throws(ResponseCode) in
            try appliance.takePhoto(for: client, completion)
        }
        let follower = parts.libraryEvents.follow { store.libraryDid($0) }
        defer { parts.libraryEvents.end(follower) }
        let responder = Responder(identity: appliance.identity, store: store, properties: CameraProperties(parts.time))
        Connection(link: link, store: store, responder: responder).run()
    }

    /// Tells the consoles that a computer came or went.
    func tell(_ name: EventName, _ client: Client, _ message: String) {
        appliance.send(name, ["client": .string(client.name), "message": .string(message)])
        appliance.parts.log.write(.info, message)
    }
}

extension Appliance {
    /// What computers are told that the camera is.
    var identity: DeviceIdentity {
        let camera = parts.settings.configuration.camera
        return DeviceIdentity(
            manufacturer: camera.make, model: camera.model, version: Version.current,
            serialNumber: SerialNumber.read(), friendlyName: camera.model)
    }

    /// Takes a photo that a computer asks for; it belongs to what that computer has added.
    fileprivate func takePhoto(
        for client: Client, _ completion: @escaping @Sendable (Bool) -> Void
    ) throws(ResponseCode) {
        var shot = Shutter.Shot(client: client, moment: parts.time.now)
        // A shot that is refused is completed as well: then what is thrown says it, and nothing else.
        let outcome = Mutex<(isAccepted: Bool, isSaved: Bool?)>((false, nil))
        shot.completion = { result in
            let isSaved = (try? result.get()) != nil
            let isAccepted = outcome.withLock { outcome in
                outcome.isSaved = isSaved
                return outcome.isAccepted
            }
            if isAccepted { completion(isSaved) }
        }
        guard let refusal = takePhoto(shot) else {
            let isSaved = outcome.withLock { outcome in
                outcome.isAccepted = true
                return outcome.isSaved
            }
            // As soon as that it can hardly be.
            if let isSaved { completion(isSaved) }
            return
        }
        switch refusal.exit {
        case .storage: throw .storeFull
        case .notPermitted: throw .accessDenied
        case .tryAgain: throw .deviceBusy
        default: throw .generalError
        }
    }
}

/// What computers can ask about the camera besides its photos.
private struct CameraProperties: DeviceProperties {
    private let time: any TimeSource

    init(_ time: any TimeSource) {
        self.time = time
    }

    var batteryLevel: Int? { Machine.batteryLevel }
    var now: WallTime { time.wallTime(at: time.now) }
}

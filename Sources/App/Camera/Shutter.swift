import Capture
import Console
import FoundationEssentials
import Photos
import Platform
import Synchronization

/// Takes photos and sees them into the library: from a press or a command to the moment when the photo is durable.
///
/// - Isolation: any thread. Nothing blocks.
final class Shutter: Sendable {
    /// One photo that somebody has asked for.
    struct Shot: Sendable {
        /// On whose behalf it is saved: the photo joins what a limited client sees.
        var client = Client.shutter
        /// The button edge, or the time of the command.
        var moment: MonotonicTime
        /// The frame claimed at the edge.
        var reservation: FrameReservation?
        /// Inside a burst: the frame before.
        var followingSequence: UInt64?
        /// The burst it belongs to; nil for a photo of its own.
        var burst: Burst?
        /// Called with the sequence number of the chosen frame.
        var frameChosen: (@Sendable (UInt64) -> Void)?
        /// Receives the identifier once the photo is durable, or the reason for the failure. Called exactly once.
        var completion: @Sendable (Result<String, CommandFailure>) -> Void = { _ in }
    }

    /// What happens to shots, for the light and the event stream.
    enum Event: Sendable {
        case accepted(identifier: String)
        case refused(CommandFailure)
        case captured(identifier: String)
        case failed(identifier: String, CommandFailure)
        /// So many shots are on their way.
        case inFlight(Int)
    }

    private enum Readiness { case starting, open, closed }

    private struct State {
        var readiness = Readiness.starting
        var inFlight = 0
        var idleWaiters: [@Sendable () -> Void] = []
        var report: @Sendable (Event) -> Void = { _ in }
    }

    private let output: CapturePhotoOutput
    private let store: LibraryStore
    private let largestPhoto: @Sendable () -> Int64
    // Shots end on the library's thread and begin on any.
    private let state = Mutex(State())

    /// A shutter that saves as the client `shutter`, which may only add, unless a shot names another. It refuses shots
    /// until it is opened.
    ///
    /// - Parameter largestPhoto: bytes that must be free before a photo is taken.
    init(output: CapturePhotoOutput, store: LibraryStore, largestPhoto: @escaping @Sendable () -> Int64) {
        self.output = output
        self.store = store
        self.largestPhoto = largestPhoto
    }

    /// Reports what happens to shots from now on, on the thread where it happens.
    func report(_ report: @escaping @Sendable (Event) -> Void) {
        state.withLock { $0.report = report }
    }

    /// Takes photos from now on.
    func open() {
        state.withLock { if $0.readiness == .starting { $0.readiness = .open } }
    }

    private func report(_ event: Event) {
        state.withLock { $0.report }(event)
    }

    /// Takes a photo.
    ///
    /// - Returns: why it was refused; nil when it was accepted.
    @discardableResult
    func take(_ shot: Shot, embedsThumbnail: Bool = true) -> CommandFailure? {
        let identifier = AssetIdentifier().description
        let settings = CapturePhotoSettings()
        settings.moment = .nearest(shot.moment)
        settings.reservation = shot.reservation
        settings.followingSequence = shot.followingSequence
        settings.frameChosen = { [self] sequence in
            if shot.burst == nil { report(.captured(identifier: identifier)) }
            shot.frameChosen?(sequence)
        }
        settings.identifier = identifier
        settings.embedsThumbnail = embedsThumbnail
        do {
            switch state.withLock({ $0.readiness }) {
            case .starting: throw CommandFailure.starting
            case .closed: throw CommandFailure.stopping
            case .open: break
            }
            let room = try store.admit(bytes: largestPhoto())
            change(by: 1)
            do {
                try output.takePhoto(
                    with: settings,
                    delegate: ShotDelegate(
                        shot: AcceptedShot(shot: shot, identifier: identifier, room: room), shutter: self))
            } catch {
                change(by: -1)
                throw CommandFailure(error)
            }
            if shot.burst == nil { report(.accepted(identifier: identifier)) }
            return nil
        } catch {
            let failure = (error as? PhotosError).map { CommandFailure($0) } ?? error as? CommandFailure ?? .unknown
            report(.refused(failure))
            shot.completion(.failure(failure))
            return failure
        }
    }

    /// Shots on their way.
    var inFlight: Int { state.withLock { $0.inFlight } }

    /// Calls `body` once nothing is on its way: at once if that is so already.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.inFlight > 0 { state.idleWaiters.append(body) }
            return state.inFlight == 0
        }
        if isIdle { body() }
    }

    /// Takes no more photos; those on their way are finished.
    func close() {
        state.withLock { $0.readiness = .closed }
    }

    private func change(by count: Int) {
        let (inFlight, waiters) = state.withLock { state in
            state.inFlight += count
            defer { if state.inFlight == 0 { state.idleWaiters = [] } }
            return (state.inFlight, state.inFlight == 0 ? state.idleWaiters : [])
        }
        report(.inFlight(inFlight))
        for waiter in waiters { waiter() }
    }

    /// A shot on its way.
    fileprivate struct AcceptedShot: Sendable {
        let shot: Shot
        let identifier: String
        /// Kept until the photo is durable or has failed.
        let room: SpaceReservation
    }

    fileprivate func save(_ data: Data, of photo: CapturePhoto, for accepted: AcceptedShot) {
        let (shot, identifier) = (accepted.shot, accepted.identifier)
        // Only now is it certain that a frame of a burst is wanted.
        if shot.burst != nil { report(.captured(identifier: identifier)) }
        // The photo belongs to the owner, even if the client that requested it is gone or not allowed to add photos now.
        let client = store.rights(of: shot.client).mayAdd ? shot.client : .shutter
        PhotoLibrary(store: store, client: client).performChanges {
            let request = AssetCreationRequest.forAsset()
            request.identifier = identifier
            request.addResource(with: .photo, data: data, options: nil)
            request.setPixelSize(
                width: photo.resolvedSettings.photoDimensions.width,
                height: photo.resolvedSettings.photoDimensions.height)
            request.captured = photo.metadata?.captureTime
            request.burstIdentifier = shot.burst?.identifier.description
            if shot.burst == nil {
                request.moment = shot.moment
                request.lag = photo.timestamp.map { ($0 - shot.moment).wholeNanoseconds / 1000 }
            } else {
                // No press requested this frame: its own time is the one wanted.
                request.moment = photo.timestamp
            }
        } completionHandler: { [self] isSaved, error in
            if isSaved {
                finish(accepted, .success(identifier))
            } else {
                finish(accepted, .failure((error as? PhotosError).map { CommandFailure($0) } ?? .unknown))
            }
        }
    }

    fileprivate func finish(_ accepted: AcceptedShot, _ result: Result<String, CommandFailure>) {
        if case .failure(let failure) = result { report(.failed(identifier: accepted.identifier, failure)) }
        end(accepted, result)
    }

    /// An unwanted frame: nothing was to be saved, and nothing failed.
    fileprivate func drop(_ accepted: AcceptedShot) {
        end(accepted, .failure(CommandFailure(.cancelled, "the button was released before this frame")))
    }

    private func end(_ accepted: AcceptedShot, _ result: Result<String, CommandFailure>) {
        // Before it is reported: the next shot may be requested at once, and needs the room.
        accepted.room.end()
        accepted.shot.completion(result)
        change(by: -1)
    }
}

/// Follows one shot through the photo output and hands its bytes to the library, in capture order.
private final class ShotDelegate: CapturePhotoCaptureDelegate {
    private let shot: Shutter.AcceptedShot
    private let shutter: Shutter

    init(shot: Shutter.AcceptedShot, shutter: Shutter) {
        self.shot = shot
        self.shutter = shutter
    }

    func photoOutput(
        _ output: CapturePhotoOutput, didFinishProcessingPhoto photo: CapturePhoto, error: (any Error)?
    ) {
        if let error {
            shutter.finish(shot, .failure((error as? CaptureError).map { CommandFailure($0) } ?? .unknown))
        } else if let timestamp = photo.timestamp, shot.shot.burst?.wants(frameAt: timestamp) == false {
            shutter.drop(shot)
        } else if let data = photo.fileDataRepresentation() {
            shutter.save(data, of: photo, for: shot)
        } else {
            shutter.finish(shot, .failure(.unknown))
        }
    }
}

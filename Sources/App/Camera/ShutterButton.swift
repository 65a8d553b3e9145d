import Capture
import Panel
import Photos
import Platform

/// Takes the photos of the shutter button: of a press, and of a hold, which is a burst.
///
/// - Isolation: its state belongs to the event loop, and so do its methods.
final class ShutterButton: Sendable {
    private struct State {
        var burst = BurstMachine()
        var timer: EventLoop.Timer?
        /// Frames claimed at first edges that are not decided yet.
        var reservations: [MonotonicTime: FrameReservation] = [:]
        var refused = 0
    }

    private let loop: EventLoop
    private let time: any TimeSource
    private let log: Log
    private let output: CapturePhotoOutput
    private let shutter: Shutter
    private let library: PhotoLibrary
    private let embedsThumbnail: @Sendable () -> Bool
    private let state: LoopConfined<State>

    /// A button at rest.
    ///
    /// - Parameters:
    ///   - library: the library as the owner sees it.
    ///   - embedsThumbnail: the setting in force.
    init(
        loop: EventLoop, time: any TimeSource, log: Log, output: CapturePhotoOutput, shutter: Shutter,
        library: PhotoLibrary, embedsThumbnail: @escaping @Sendable () -> Bool
    ) {
        self.loop = loop
        self.time = time
        self.log = log
        self.output = output
        self.shutter = shutter
        self.library = library
        self.embedsThumbnail = embedsThumbnail
        state = LoopConfined(State(), to: loop)
    }

    /// Presses without a photo, since the start.
    var refused: Int { state.value.refused }

    /// True until the last photo of a burst is saved.
    var isBurstUnderWay: Bool { state.value.burst.isUnderWay }

    /// True while no press is being decided.
    var isDecided: Bool { state.value.reservations.isEmpty }

    /// Claims the frame of a moment, at the first edge of what may become a press.
    func pin(_ moment: MonotonicTime) {
        if let reservation = output.reserveFrame(at: moment) { state.value.reservations[moment] = reservation }
    }

    /// Gives the frame of a moment back, as the edge was noise.
    func unpin(_ moment: MonotonicTime) {
        state.value.reservations[moment] = nil
    }

    /// Gives back every frame whose press is not decided.
    func unpinAll() {
        state.value.reservations = [:]
    }

    /// Takes the photo of a press. Should the press turn out to begin a burst, its photo joins that.
    func press(_ moment: MonotonicTime) {
        var shot = Shutter.Shot(moment: moment, reservation: state.value.reservations.removeValue(forKey: moment))
        shot.completion = { [weak self] result in
            guard case .success(let identifier) = result else { return }
            self?.post { $0.handle(.saved(press: moment, identifier: identifier)) }
        }
        if shutter.take(shot, embedsThumbnail: embedsThumbnail()) != nil { state.value.refused += 1 }
    }

    /// Begins the burst of a hold.
    func beginBurst(press: MonotonicTime, at start: MonotonicTime) {
        handle(.began(Burst(press: press), at: start))
    }

    /// Ends the burst, if one goes on: the button was let go at this moment.
    func endBurst(at end: MonotonicTime) {
        handle(.ended(at: end))
    }

    /// Has the burst take what happened, and carries out what it says.
    private func handle(_ event: BurstMachine.Event) {
        let actions = state.value.burst.handle(event)
        if let timer = state.value.timer.take() { loop.cancel(timer) }
        state.value.timer = state.value.burst.nextDeadline.map { moment in
            loop.schedule(at: moment) { [weak self] in
                guard let self else { return }
                handle(.time(time.now))
            }
        }
        for action in actions {
            switch action {
            case .take(let moment, let sequence, let burst): takeFrame(nearest: moment, after: sequence, of: burst)
            case .join(let identifier, let burst): join(identifier, to: burst)
            case .end(let burst, let moment):
                burst.end(at: moment)
                shutter.whenIdle { [weak self] in self?.post { $0.handle(.idle) } }
            }
        }
    }

    private func takeFrame(nearest moment: MonotonicTime, after sequence: UInt64?, of burst: Burst) {
        var shot = Shutter.Shot(moment: moment, followingSequence: sequence, burst: burst)
        shot.frameChosen = { [weak self] sequence in
            self?.post { $0.handle(.frameChosen(sequence, of: burst, at: $0.time.now)) }
        }
        guard let refusal = shutter.take(shot, embedsThumbnail: embedsThumbnail()) else { return }
        handle(.refused(after: sequence, canRetry: refusal.retry, of: burst, at: time.now))
    }

    /// Makes a saved photo part of a burst.
    private func join(_ identifier: String, to burst: Burst) {
        Task { [library, log] in
            guard let asset = try? await library.asset(identifier) else { return }
            library.performChanges {
                AssetChangeRequest(for: asset).join(burst: burst.identifier)
            } completionHandler: { isDone, error in
                if !isDone {
                    log.write(
                        .warning, "\(asset.number) could not join its burst: \((error as? PhotosError)?.message ?? "")")
                }
            }
        }
    }

    private func post(_ body: @escaping @Sendable (ShutterButton) -> Void) {
        loop.post { [self] in body(self) }
    }
}

import FoundationEssentials
import Imaging
import Platform
import Synchronization

/// Takes photos: keeps the ring of frames, admits captures by memory, encodes, and runs the delegates' callbacks.
///
/// - Isolation: every method may be called from any thread.
/// - Blocking: no call blocks. Encoding runs on the encoder threads, callbacks on the callback thread.
public final class CapturePhotoOutput: Sendable {
    /// The formats of an uncompressed photo.
    public typealias PixelFormat = PictureLayout.Format

    /// Whether a capture would be accepted now. Advice: only `capturePhoto` decides.
    public enum CaptureReadiness: Int, Sendable {
        /// The session does not run.
        case sessionNotRunning = 0
        /// A capture would be accepted.
        case ready = 1
        /// Not yet: the first frame has not come.
        case notReadyMomentarily = 2
        /// Earlier captures wait for their frames.
        case notReadyWaitingForCapture = 3
        /// Earlier photos are being encoded or saved.
        case notReadyWaitingForProcessing = 4
    }

    /// What an output needs from its surroundings.
    package struct Environment: Sendable {
        /// Time.
        package var time: any TimeSource
        /// Compressor.
        package var encoding: any PhotoEncoding
        /// Encoder threads.
        package var encoderThreads: Int
        /// Bytes of encoded photos that may wait to be saved.
        package var encodedLimit: Int
        /// JPEG quality 1…100.
        package var quality: Int
        /// What every photo's Exif says; exposure, time and identifier are filled in for each.
        package var metadata: PhotoMetadata

        /// An environment from its parts.
        package init(
            time: any TimeSource, encoding: any PhotoEncoding = JPEGPhotoEncoding(), encoderThreads: Int,
            encodedLimit: Int, quality: Int, metadata: PhotoMetadata
        ) {
            self.time = time
            self.encoding = encoding
            self.encoderThreads = encoderThreads
            self.encodedLimit = encodedLimit
            self.quality = quality
            self.metadata = metadata
        }
    }

    struct State {
        var ring = FrameRing(capacity: 0)
        var stream: StreamConfiguration?
        /// When the newest frame came; nil before the first.
        var newestArrival: MonotonicTime?
        var quality: Int
        var metadata: PhotoMetadata
        /// Frames of claims that no capture has taken over yet; nil while the claim waits.
        var reservations: [ClaimID: Frame?] = [:]
        /// Captures by claim.
        var captures: [ClaimID: PhotoCapture] = [:]
        /// The same captures in the order in which they were accepted, until they are finished.
        var order: [PhotoCapture] = []
        var isClosed = false
    }

    let environment: Environment
    let state: Mutex<State>
    let budget: EncodedBudget
    let encoders: WorkQueue
    let callbacks = WorkerThread(name: "callbacks")

    /// An output for a camera that says who it is in each photo.
    package init(environment: Environment) {
        self.environment = environment
        state = Mutex(State(quality: environment.quality, metadata: environment.metadata))
        budget = EncodedBudget(limit: environment.encodedLimit)
        encoders = WorkQueue(name: "encoder", threads: environment.encoderThreads)
    }

    /// Compressed formats it makes.
    public var availablePhotoCodecTypes: [CapturePhotoSettings.CodecType] { [.jpeg] }
    /// Uncompressed formats it gives: that of the running stream.
    public var availablePhotoPixelFormats: [PixelFormat] {
        state.withLock { $0.stream.map { [$0.layout.format] } ?? [] }
    }
    /// Ways to use a flash: none is wired.
    public var supportedFlashModes: [CapturePhotoSettings.FlashMode] { [.off] }
    /// The highest `photoQualityPrioritization` accepted.
    public var maxPhotoQualityPrioritization: CapturePhotoSettings.QualityPrioritization { .quality }

    /// Whether a capture would be accepted now.
    public var captureReadiness: CaptureReadiness {
        let byteCount = budget.byteCount
        return state.withLock { state in
            guard let stream = state.stream else { return .sessionNotRunning }
            guard state.newestArrival != nil else { return .notReadyMomentarily }
            if !state.ring.hasRoom {
                return state.ring.isWaiting ? .notReadyWaitingForCapture : .notReadyWaitingForProcessing
            }
            return byteCount > 0 && byteCount + Self.estimate(stream.layout) > budget.limit
                ? .notReadyWaitingForProcessing : .ready
        }
    }

    /// When the newest frame of the running stream came; nil before the first.
    package var newestFrameArrival: MonotonicTime? { state.withLock { $0.newestArrival } }

    /// Bytes of encoded photos that somebody holds, and of those being encoded.
    package var encodedByteCount: Int { budget.byteCount }

    /// Changes the quality and the common Exif of later photos.
    package func setDefaults(quality: Int, metadata: PhotoMetadata) {
        state.withLock {
            $0.quality = quality
            $0.metadata = metadata
        }
    }

    /// Claims the frame nearest to a moment for a photo that may or may not be wanted.
    ///
    /// - Returns: nil when the session does not run or memory does not allow another frame.
    package func reserveFrame(at moment: MonotonicTime) -> FrameReservation? {
        state.withLock { state in
            guard state.stream != nil, let (claim, actions) = state.ring.claim(.nearest(moment)) else { return nil }
            var frame: Frame?
            if case .resolved(_, let resolved)? = actions.first { frame = resolved }
            state.reservations[claim] = .some(frame)
            return FrameReservation(claim: claim, output: self)
        }
    }

    func endReservation(_ claim: ClaimID) {
        let dropped: ([FrameRing.Action], Frame??) = state.withLock { state in
            guard let frame = state.reservations.removeValue(forKey: claim) else { return ([], nil) }
            return (state.ring.end(claim), frame)
        }
        withExtendedLifetime(dropped) {}  // frames are let go of outside the lock
    }

    /// Takes a photo.
    ///
    /// - Parameters:
    ///   - settings: used once; copied.
    ///   - delegate: follows the capture; kept until its last callback.
    /// - Throws: before any callback: `.invalidUsage` for settings used before, `.unsupportedSettings` for a wish that
    ///   cannot be met, `.sessionNotRunning`, `.outOfMemory` when admission by memory refuses.
    public func capturePhoto(
        with settings: CapturePhotoSettings, delegate: any CapturePhotoCaptureDelegate
    ) throws(CaptureError) {
        try validate(settings)
        let now = environment.time.now
        let accepted: Result<[FrameRing.Action], CaptureError> = state.withLock { state in
            guard let stream = state.stream else { return .failure(.sessionNotRunning) }
            guard let share = budget.reserve(Self.estimate(stream.layout)) else { return .failure(.outOfMemory) }
            let claim: ClaimID
            var actions: [FrameRing.Action] = []
            if let reservation = settings.reservation,
                let frame = state.reservations.removeValue(forKey: reservation.claim)
            {
                claim = reservation.claim
                if let frame { actions = [.resolved(claim, frame)] }
            } else if let (id, resolution) = state.ring.claim(settings.frameRule(now: now)) {
                (claim, actions) = (id, resolution)
            } else {
                return .failure(.outOfMemory)
            }
            let capture = PhotoCapture(
                settings: settings, layout: stream.layout, quality: settings.quality ?? state.quality,
                metadata: state.metadata, claim: claim, delegate: delegate, share: share)
            state.captures[claim] = capture
            state.order.append(capture)
            callbacks.submit { [self] in capture.begin(self) }
            return .success(actions)
        }
        settings.isUsed = true
        act(on: try accepted.get())
    }

    private func validate(_ settings: CapturePhotoSettings) throws(CaptureError) {
        guard !settings.isUsed else {
            throw .invalidUsage("settings are for one capture; make new ones with init(from:)")
        }
        switch (settings.codec, settings.pixelFormat) {
        case (.some(let codec), nil) where availablePhotoCodecTypes.contains(codec): break
        case (nil, .some(let format)) where availablePhotoPixelFormats.contains(format): break
        case (nil, .some): throw .unsupportedSettings("the pixel format is not among availablePhotoPixelFormats")
        case (.some, nil): throw .unsupportedSettings("the codec is not among availablePhotoCodecTypes")
        default: throw .unsupportedSettings("settings need either a codec or a pixel format")
        }
        guard (1...100).contains(settings.quality ?? 1) else {
            throw .unsupportedSettings("JPEG quality goes from 1 to 100")
        }
        guard settings.photoQualityPrioritization <= maxPhotoQualityPrioritization else {
            throw .unsupportedSettings("the quality asked for is above maxPhotoQualityPrioritization")
        }
        guard supportedFlashModes.contains(settings.flashMode) else {
            throw .unsupportedSettings("this camera has no flash")
        }
        for key in settings.metadata.keys where CapturePhotoSettings.MetadataKey(rawValue: key) == nil {
            throw .unsupportedSettings("\(key) is not a metadata key; see CapturePhotoSettings.MetadataKey")
        }
    }

    /// An encoded photo's likely size, on the safe side: half a byte a pixel.
    private static func estimate(_ layout: PictureLayout) -> Int { layout.width * layout.height / 2 }

    /// Ends the threads after what is in flight. The output cannot be used afterwards.
    package func close() async {
        streamDidEnd(.sessionNotRunning)
        await encoders.stop()
        await callbacks.stop()
    }
}

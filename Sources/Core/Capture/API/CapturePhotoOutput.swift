import Glibc
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
    /// The formats of a raw photo.
    public typealias RawPixelFormat = RawLayout.Format
    /// Whether speed or quality matters more.
    public typealias QualityPrioritization = CapturePhotoSettings.QualityPrioritization

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

    /// The dependencies and defaults of an output.
    package struct Environment: Sendable {
        /// Clock of captures and dates.
        package var time: any TimeSource
        /// Compressor of processed photos.
        package var encoding: any PhotoEncoding
        /// Maker of raw files; nil for none.
        package var rawEncoding: (any RawPhotoEncoding)?
        /// How many threads encode photos at the same time.
        package var encoderThreads: Int
        /// Bytes of encoded photos that may wait to be saved.
        package var encodedLimit: Int
        /// JPEG quality 1…100 of photos whose settings give none.
        package var quality: Int
        /// What every photo's Exif says; exposure, time and identifier are filled in for each.
        package var metadata: PhotoMetadata

        /// An environment; limits are in bytes.
        package init(
            time: any TimeSource, encoding: any PhotoEncoding = JPEGPhotoEncoding(),
            rawEncoding: (any RawPhotoEncoding)? = nil, encoderThreads: Int, encodedLimit: Int, quality: Int,
            metadata: PhotoMetadata
        ) {
            self.time = time
            self.encoding = encoding
            self.rawEncoding = rawEncoding
            self.encoderThreads = encoderThreads
            self.encodedLimit = encodedLimit
            self.quality = quality
            self.metadata = metadata
        }
    }

    /// What captures get unless their settings say otherwise.
    struct Defaults: Sendable {
        var quality: Int
        var metadata: PhotoMetadata
        var maxPhotoQualityPrioritization = QualityPrioritization.balanced
    }

    struct State: Sendable {
        var queue = CaptureQueue()
        var defaults: Defaults
        /// What waits for a stream to be prepared for.
        var preparation: Preparation?
    }

    let environment: Environment
    let state: Mutex<State>
    let budget: EncodedBudget
    let encoders: WorkQueue
    let callbacks = WorkerThread(name: "callbacks")

    /// An output for a camera that says who it is in each photo.
    package init(environment: Environment) {
        self.environment = environment
        state = Mutex(
            State(defaults: Defaults(quality: environment.quality, metadata: environment.metadata)))
        budget = EncodedBudget(limit: environment.encodedLimit)
        encoders = WorkQueue(name: "encoder", threads: environment.encoderThreads)
    }

    /// An output with the usual settings: JPEG quality 93, an encoder thread for each processor, at most 64 MiB of photos
    /// that wait to be let go of, dates by the system's clock.
    public convenience init() {
        let time = SystemTime(continuing: nil)
        self.init(
            environment: Environment(
                time: time, encoderThreads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), encodedLimit: 64 << 20,
                quality: 93,
                metadata: PhotoMetadata(
                    make: "Pinhole", model: "Pinhole camera", software: "Pinhole",
                    captureTime: time.wallTime(at: time.now))))
    }

    deinit {
        // The threads keep themselves alive until they are stopped.
        let (encoders, callbacks) = (encoders, callbacks)
        let preparation = state.withLock { $0.preparation }
        Task {
            preparation?.end(false, CaptureError.sessionNotRunning, on: callbacks)
            await encoders.stop()
            await callbacks.stop()
        }
    }

    /// Changes the queue and submits its notices.
    @discardableResult
    func update<Result: Sendable>(_ body: (inout CaptureQueue) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state.queue)
            submitNotices(&state)
            return result
        }
    }

    /// Submits what the queue reports. Under the lock, so that callbacks have the order of the changes.
    func submitNotices(_ state: inout State) {
        for notice in state.queue.takeNotices() {
            switch notice {
            case .begin(let capture): callbacks.submit { [self] in capture.begin(self) }
            case .captured(let capture): callbacks.submit { [self] in capture.didCapture(self) }
            case .frame(let capture, let sequence): callbacks.submit { capture.reportFrame(sequence) }
            case .photo(let capture, let place): callbacks.submit { [self] in capture.deliver(self, place) }
            case .end(let capture): callbacks.submit { [self] in capture.end(self) }
            case .exposure(let exposure, let stream): stream.setExposure(exposure)
            }
        }
    }

    // MARK: What it can do

    /// Compressed formats it makes.
    public var availablePhotoCodecTypes: [CapturePhotoSettings.CodecType] { [.jpeg] }

    /// Uncompressed formats it gives: that of the running stream.
    public var availablePhotoPixelFormats: [PixelFormat] {
        state.withLock { $0.queue.stream.map { [$0.configuration.layout.format] } ?? [] }
    }

    /// Raw formats it makes files of: that of the running stream, when the camera gives raw frames and there is an
    /// encoder for them.
    public var availableRawPhotoPixelFormatTypes: [RawPixelFormat] {
        guard environment.rawEncoding != nil else { return [] }
        return state.withLock { ($0.queue.stream?.configuration.rawLayout).map { [$0.format] } ?? [] }
    }

    /// True for raw formats with one sample a pixel behind a color filter: all of them.
    public static func isBayerRAWPixelFormat(_ format: RawPixelFormat) -> Bool { true }

    /// Most exposures of a bracket.
    public var maxBracketedCapturePhotoCount: Int { 9 }

    /// Ways to use a flash: none is wired.
    public var supportedFlashModes: [CapturePhotoSettings.FlashMode] { [.off] }

    /// The highest `photoQualityPrioritization` accepted; balanced at first.
    public var maxPhotoQualityPrioritization: QualityPrioritization {
        get { state.withLock { $0.defaults.maxPhotoQualityPrioritization } }
        set { state.withLock { $0.defaults.maxPhotoQualityPrioritization = newValue } }
    }

    /// Whether a capture would be accepted now.
    public var captureReadiness: CaptureReadiness {
        let (readiness, stream) = state.withLock { ($0.queue.readiness, $0.queue.stream) }
        guard readiness == .ready, let stream else { return readiness }
        let byteCount = budget.byteCount
        let estimate = Self.estimate(.compressed, stream.configuration)
        return byteCount > 0 && byteCount + estimate > budget.limit ? .notReadyWaitingForProcessing : .ready
    }

    /// When the newest frame of the running stream came; nil before the first.
    package var newestFrameArrival: MonotonicTime? { state.withLock { $0.queue.newestArrival } }

    /// The newest frame of the running stream; nil before the first frame. A caller that keeps it keeps one of the
    /// sensor's buffers.
    package var newestFrame: Frame? { state.withLock { $0.queue.newestFrame } }

    /// Bytes of encoded photos that are still in memory, and of those being encoded.
    package var encodedByteCount: Int { budget.byteCount }

    /// Changes the quality and the common Exif of later photos.
    package func setDefaults(quality: Int, metadata: PhotoMetadata) {
        state.withLock {
            $0.defaults.quality = quality
            $0.defaults.metadata = metadata
        }
    }

    /// Ends the threads after what is in flight. The output cannot be used afterwards.
    package func close() async {
        streamDidEnd(.sessionNotRunning)
        let preparation = state.withLock { $0.preparation.take() }
        preparation?.end(false, CaptureError.sessionNotRunning, on: callbacks)
        await encoders.stop()
        await callbacks.stop()
    }
}

import Imaging
import Platform
import Synchronization

/// Joins a camera to a photo output and runs the stream between them.
///
/// - Isolation: every method may be called from any thread; start and stop are carried out one after another, in the
///   order of the calls.
public final class CaptureSession: Sendable {
    /// Changes that a session reports.
    public enum Event: Sendable {
        /// The sensor streams; its first frame may still be on the way.
        case didStart
        /// The stream was stopped.
        case didStop
        /// The stream broke down; the session is stopped. Starting again may help.
        case runtimeError(CaptureError)
        /// A call broke the rules of the interface and changed nothing.
        case usageError(CaptureError)
    }

    /// What the stream is for.
    public struct Preset: RawRepresentable, Hashable, Sendable {
        /// Apple's name for the preset, such as `AVCaptureSessionPresetPhoto`.
        public let rawValue: String

        /// A preset by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Photos at the camera's full size.
        public static let photo = Preset(rawValue: "AVCaptureSessionPresetPhoto")
    }

    /// The stream that a session requests from its camera.
    package struct StreamRequest: Hashable, Sendable {
        /// Arrangement of the samples.
        package var format: PictureLayout.Format
        /// Buffers that circulate between sensor and ring; at least 3.
        package var bufferCount: Int

        /// A request with at least three buffers.
        package init(format: PictureLayout.Format = .yuv420, bufferCount: Int) {
            precondition(bufferCount >= 3, "the sensor keeps two buffers and the ring needs one")
            self.format = format
            self.bufferCount = bufferCount
        }
    }

    private struct State {
        var inputs: [CaptureDeviceInput] = []
        var outputs: [CapturePhotoOutput] = []
        var configurationDepth = 0
        /// Set when a running session was changed, until the outermost commit.
        var needsRestart = false
        /// The first usage error since the last start; the next start throws it.
        var usageError: CaptureError?
        /// What runs now; nil while stopped.
        var running: Running?
        /// Sensors whose last call has not come back; they cannot be used until it does.
        var hung: Set<ObjectIdentifier> = []
        /// The last requested start or stop; the next one waits for it.
        var lastTransition: Task<Void, Never>?
        var eventHandler: (@Sendable (Event) -> Void)?
    }

    private struct Running {
        let device: CaptureDevice
        let output: CapturePhotoOutput
        let stream: StreamConfiguration
    }

    private let state = Mutex(State())
    private let request: StreamRequest
    private let driverLimit: @Sendable () async -> Void
    private let thread = WorkerThread(name: "session")

    /// A session without input and output.
    ///
    /// - Parameter driverLimit: returns when a call of the sensor has taken so long that it counts as stalled, or when
    ///   its task is canceled; after 10 s by default.
    package init(
        request: StreamRequest,
        driverLimit: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
    ) {
        self.request = request
        self.driverLimit = driverLimit
    }

    /// A session without input and output, whose stream has the usual number of buffers.
    public convenience init() {
        self.init(request: StreamRequest(bufferCount: 6))
    }

    deinit {
        // The thread keeps itself alive until it is stopped.
        let thread = thread
        Task { await thread.stop() }
    }

    /// True while the stream runs.
    public var isRunning: Bool { state.withLock { $0.running != nil } }

    /// The stream in force; nil while stopped.
    package var stream: StreamConfiguration? { state.withLock { $0.running?.stream } }

    /// Receives the session's events, on any thread. The handler must return at once.
    public func setEventHandler(_ handler: (@Sendable (Event) -> Void)?) {
        state.withLock { $0.eventHandler = handler }
    }

    // MARK: Running

    /// Applies changes to a running session, unless a group of changes is open.
    func restartIfNeeded() {
        let isNeeded = state.withLock { state in
            guard state.needsRestart, state.configurationDepth == 0 else { return false }
            state.needsRestart = false
            return true
        }
        guard isNeeded else { return }
        _ = transition { session in
            // A session that has broken down in the meantime is not restarted without its user's knowledge.
            guard await session.stop(.sessionConfigurationChanged) else { return }
            do throws(CaptureError) {
                try await session.start()
            } catch {
                session.report(.runtimeError(error))
            }
        }
    }

    /// Starts the stream and returns when it runs. Starting a running session does nothing.
    ///
    /// - Throws: `CaptureError.invalidUsage` inside begin/commit, without input and output, or once after another usage
    ///   error; what the camera refuses.
    public func startRunning() async throws(CaptureError) {
        try checkOutsideConfiguration("startRunning")
        if let error = state.withLock({ $0.usageError.take() }) { throw error }
        let outcome = Mutex<CaptureError?>(nil)
        await transition { session in
            do throws(CaptureError) {
                try await session.start()
            } catch {
                outcome.withLock { $0 = error }
            }
        }.value
        if let error = outcome.withLock({ $0 }) { throw error }
    }

    /// Stops the stream and returns when no more frames come. Captures that wait for a frame fail; those that have one
    /// are finished.
    ///
    /// - Throws: `CaptureError.invalidUsage` inside begin/commit.
    public func stopRunning() async throws(CaptureError) {
        try checkOutsideConfiguration("stopRunning")
        await transition { _ = await $0.stop(.sessionNotRunning) }.value
    }

    /// Starts the stream, for callers that cannot await. Errors are reported as events: `usageError` inside
    /// begin/commit, `runtimeError` otherwise; `isRunning` is false then.
    ///
    /// - Blocking: until the stream runs; do not call it on Swift's pool or on an interactive thread.
    public func startRunning() {
        block { session in
            do throws(CaptureError) {
                try session.checkOutsideConfiguration("startRunning")
            } catch {
                return session.report(.usageError(error))
            }
            do throws(CaptureError) {
                try await session.startRunning()
            } catch {
                session.report(.runtimeError(error))
            }
        }
    }

    /// Stops the stream, for callers that cannot await. Inside begin/commit nothing is stopped: that is a usage error, reported
    /// as an event.
    ///
    /// - Blocking: until nothing more comes; do not call it on Swift's pool or on an interactive thread.
    public func stopRunning() {
        block { session in
            do throws(CaptureError) {
                try await session.stopRunning()
            } catch {
                session.report(.usageError(error))
            }
        }
    }

    private func block(_ body: @escaping @Sendable (CaptureSession) async -> Void) {
        let done = Semaphore()
        Task { [self] in
            await body(self)
            done.signal()
        }
        done.wait()
    }

    private func checkOutsideConfiguration(_ call: String) throws(CaptureError) {
        guard state.withLock({ $0.configurationDepth == 0 }) else {
            throw .invalidUsage("\(call)() between beginConfiguration() and commitConfiguration()")
        }
    }

    /// Runs `body` after every transition asked for so far.
    private func transition(_ body: @escaping @Sendable (CaptureSession) async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            let previous = state.lastTransition
            let task = Task { [self] in
                await previous?.value
                await body(self)
            }
            state.lastTransition = task
            return task
        }
    }

    private func start() async throws(CaptureError) {
        let (device, output, isRunning) = state.withLock {
            ($0.inputs.first?.device, $0.outputs.first, $0.running != nil)
        }
        guard !isRunning else { return }
        guard let device, let output else {
            throw .invalidUsage("a session needs an input and an output before it starts")
        }
        let sensor = device.sensor
        let model = sensor.model
        let request = request
        let wantsRaw = output.environment.rawEncoding != nil
        do throws(CaptureError) {
            let stream = try await call(sensor) { () throws(SensorError) -> StreamConfiguration in
                try sensor.configure(
                    StreamConfiguration(
                        layout: PictureLayout(packed: request.format, width: model.width, height: model.height),
                        bufferCount: request.bufferCount, frameInterval: .zero, readoutTime: .zero,
                        rawLayout: wantsRaw ? model.rawLayout : nil))
            }
            output.streamDidStart(
                CaptureQueue.Stream(configuration: stream, model: model) { [thread] exposure in
                    thread.submit { device.setBracketExposure(exposure) }
                })
            state.withLock { $0.running = Running(device: device, output: output, stream: stream) }
            let sink = SessionSink(session: self, output: output)
            try await call(sensor) { () throws(SensorError) in try sensor.start(delivering: sink) }
        } catch {
            state.withLock { $0.running = nil }
            output.streamDidEnd(error)
            throw error
        }
        report(.didStart)
    }

    /// Makes a blocking call of the sensor on the session's thread, within the limit.
    private func call<Success: Sendable>(
        _ sensor: any Sensor, _ body: @escaping @Sendable () throws(SensorError) -> Success
    ) async throws(CaptureError) -> Success {
        let result: Result<Success, SensorError>? = await limited(sensor) { [thread] in
            do throws(SensorError) {
                return .success(try await thread.run(body))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let success)?: return success
        case .failure(let error)?: throw CaptureError(error)
        case nil: throw .deviceStalled
        }
    }

    /// Waits for a call of the sensor. A sensor that does not return in time is not used until it does.
    private func limited<Success: Sendable>(
        _ sensor: any Sensor, _ body: @escaping @Sendable () async -> Success
    ) async -> Success? {
        let identifier = ObjectIdentifier(sensor)
        guard state.withLock({ $0.hung.insert(identifier).inserted }) else { return nil }
        @Sendable func release() { _ = state.withLock { $0.hung.remove(identifier) } }
        let result = await TimeLimit.wait(driverLimit, for: body) {
            // The caller has given up, so a late start is stopped.
            await sensor.stop()
            release()
        }
        if result != nil { release() }
        return result
    }

    /// Stops the stream, if it runs.
    ///
    /// - Returns: true when it ran.
    private func stop(_ reason: CaptureError) async -> Bool {
        let running = state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
        guard let running else { return false }
        let sensor = running.device.sensor
        _ = await limited(sensor) { await sensor.stop() }
        running.output.streamDidEnd(reason)
        report(.didStop)
        return true
    }

    /// Ends the stream after a failure: it ended by itself, or its watchdog saw no frames.
    ///
    /// - Isolation: any thread; it returns at once.
    package func streamDidFail(_ failure: SensorFailure) {
        let error = CaptureError(failure)
        _ = transition { session in
            let device = session.state.withLock { $0.running?.device }
            guard await session.stop(error) else { return }
            if failure == .disconnected { device?.disconnect() }
            session.report(.runtimeError(error))
        }
    }

    func report(_ event: Event) {
        state.withLock { $0.eventHandler }?(event)
    }
}

/// Hands the sensor's frames to the output.
private final class SessionSink: FrameSink {
    private let session: CaptureSession
    private let output: CapturePhotoOutput

    init(session: CaptureSession, output: CapturePhotoOutput) {
        self.session = session
        self.output = output
    }

    func sensorDidDeliver(_ frame: Frame) {
        output.frameDidArrive(frame)
    }

    func sensorDidFail(_ failure: SensorFailure) {
        session.streamDidFail(failure)
    }
}

// What a session joins.
extension CaptureSession {
    /// What the stream is for; always photos. Another preset is a usage error.
    public var sessionPreset: Preset {
        get { .photo }
        set {
            guard !canSetSessionPreset(newValue) else { return }
            reject("a session takes photos only; use the preset .photo")
        }
    }

    /// True for the only preset there is.
    public func canSetSessionPreset(_ preset: Preset) -> Bool { preset == .photo }

    /// The camera, once it was added.
    public var inputs: [CaptureDeviceInput] { state.withLock { $0.inputs } }

    /// The photo output, once it was added.
    public var outputs: [CapturePhotoOutput] { state.withLock { $0.outputs } }

    /// True when the session has no input yet.
    public func canAddInput(_ input: CaptureDeviceInput) -> Bool {
        state.withLock { $0.inputs.isEmpty }
    }

    /// Adds a camera. When `canAddInput` is false nothing is added: that is a usage error, reported as an event at once,
    /// and thrown by the next `startRunning()`.
    public func addInput(_ input: CaptureDeviceInput) {
        if !add(input, to: \.inputs) { reject("a session has one input; remove the other one first") }
    }

    /// Removes a camera, if the session has it. A running session then restarts with what is left, and reports a
    /// `runtimeError` when that is not enough.
    public func removeInput(_ input: CaptureDeviceInput) {
        remove(input, from: \.inputs)
    }

    /// True when the session has no output yet.
    public func canAddOutput(_ output: CapturePhotoOutput) -> Bool {
        state.withLock { $0.outputs.isEmpty }
    }

    /// Adds a photo output. When `canAddOutput` is false nothing is added: that is a usage error, reported as an event at
    /// once, and thrown by the next `startRunning()`.
    public func addOutput(_ output: CapturePhotoOutput) {
        if !add(output, to: \.outputs) { reject("a session has one output; remove the other one first") }
    }

    /// Removes an output, if the session has it. A running session then restarts with what is left, and reports a
    /// `runtimeError` when that is not enough.
    public func removeOutput(_ output: CapturePhotoOutput) {
        remove(output, from: \.outputs)
    }

    /// Opens a group of changes that are applied together. Groups nest.
    public func beginConfiguration() {
        state.withLock { $0.configurationDepth += 1 }
    }

    /// Closes a group of changes; the outermost one applies them. Without a `beginConfiguration` it is a usage error, reported
    /// as an event at once, and thrown by the next `startRunning()`.
    public func commitConfiguration() {
        let isPaired = state.withLock { state in
            guard state.configurationDepth > 0 else { return false }
            state.configurationDepth -= 1
            return true
        }
        guard isPaired else { return reject("commitConfiguration() without beginConfiguration()") }
        restartIfNeeded()
    }

    /// Keeps a usage error for the next start, and reports it.
    private func reject(_ sentence: String) {
        let error = CaptureError.invalidUsage(sentence)
        state.withLock { if $0.usageError == nil { $0.usageError = error } }
        report(.usageError(error))
    }

    /// Adds an input or output; false when there is one already.
    private func add<Part>(_ part: Part, to parts: WritableKeyPath<State, [Part]>) -> Bool {
        change { state in
            guard state[keyPath: parts].isEmpty else { return false }
            state[keyPath: parts].append(part)
            return true
        }
    }

    /// Removes an input or output, if it is there.
    private func remove<Part: AnyObject>(_ part: Part, from parts: WritableKeyPath<State, [Part]>) {
        change { state in
            let count = state[keyPath: parts].count
            state[keyPath: parts].removeAll { $0 === part }
            return state[keyPath: parts].count != count
        }
    }

    /// Changes inputs or outputs; `body` says whether anything changed.
    @discardableResult
    private func change(_ body: (inout State) -> Bool) -> Bool {
        let isChanged = state.withLock { state in
            let isChanged = body(&state)
            if isChanged, state.running != nil { state.needsRestart = true }
            return isChanged
        }
        if isChanged { restartIfNeeded() }
        return isChanged
    }
}

import Capture
import Configuration
import Console
import Platform

/// The camera's stream of frames: the sensor that is there, started, watched, and started again after it failed.
///
/// - Isolation: its state belongs to the event loop. Methods without a note may be called from any thread.
final class CameraStream: Sendable {
    /// What happens to the stream. Reported on the event loop.
    enum Event: Sendable {
        /// The stream has started, and frames arrive.
        case running
        /// The stream failed that ran before.
        case failed(CommandFailure)
        /// That fault is over.
        case recovered(CommandFailure)
    }

    private struct State {
        var recovery = StreamRecovery()
        var timer: EventLoop.Timer?
        var device: CaptureDevice?
        var input: CaptureDeviceInput?
        var report: @Sendable (Event) -> Void = { _ in }
    }

    let session: CaptureSession
    let output: CapturePhotoOutput
    private let sensors: SensorFinder
    private let loop: EventLoop
    private let time: any TimeSource
    private let log: Log
    private let controls: @Sendable () -> SensorControls
    private let state: LoopConfined<State>

    /// A stream that is not started.
    ///
    /// - Parameter controls: the sensor's settings in force.
    init(
        session: CaptureSession, output: CapturePhotoOutput, sensors: SensorFinder, loop: EventLoop,
        time: any TimeSource, log: Log, controls: @escaping @Sendable () -> SensorControls
    ) {
        self.session = session
        self.output = output
        self.sensors = sensors
        self.loop = loop
        self.time = time
        self.log = log
        self.controls = controls
        state = LoopConfined(State(), to: loop)
    }

    /// Starts the stream, and from now on watches it and starts it again. Returns when it runs, or when it is certain that
    /// there are no frames yet.
    func start(report: @escaping @Sendable (Event) -> Void) async {
        session.setEventHandler { [weak self] event in self?.post { $0.sessionDid(event) } }
        sensors.follow(on: loop) { [weak self] in self?.recover(.sensorsChanged) }
        await loop.run { [self] in
            state.value.report = report
            watchFrames()
        }
        session.addOutput(output)
        await startStream()
    }

    /// Starts no stream any more; one that runs goes on.
    ///
    /// - Isolation: the event loop.
    func close() {
        recover(.closed)
    }

    /// Ends the stream and what is in flight in its output.
    func stop() async {
        try? await session.stopRunning()
        await output.close()
    }

    /// Has the sensor take the settings in force.
    func applyControls() {
        post { $0.state.value.device?.setControls($0.controls()) }
    }

    /// Why there are no frames; nil while the stream runs.
    ///
    /// - Isolation: the event loop.
    var failure: CommandFailure? { state.value.recovery.failure }

    /// Name of the sensor whose stream runs; nil while none does.
    ///
    /// - Isolation: the event loop.
    var sensorName: String? { session.isRunning ? state.value.device?.localizedName : nil }

    /// True when a frame has come since a moment, when none is due yet, and when none can come because no stream runs.
    func isSensorAlive(since moment: MonotonicTime) -> Bool {
        guard let stream = session.stream else { return true }
        if let newest = output.newestFrameArrival, newest > moment { return true }
        // A long exposure is not a stuck sensor.
        return stream.frameInterval > StreamRecovery.frameLimit && time.now - moment < stream.frameInterval * 10
    }

    // MARK: Starting

    /// Starts the stream on the sensor that is there now.
    private func startStream() async {
        do {
            let input = try CaptureDeviceInput(device: try await device())
            let old = await loop.run { [self] in
                defer { state.value.input = input }
                return state.value.input
            }
            if let old = old ?? nil { session.removeInput(old) }
            session.addInput(input)
            applyControls()
            try await session.startRunning()
        } catch {
            let failure = error as? CommandFailure ?? (error as? CaptureError).map { CommandFailure($0) } ?? .unknown
            await loop.run { [self] in recover(.failed(failure, at: time.now)) }
        }
    }

    /// The sensor's device. An unplugged one stays unplugged; the sensor may be back as a new one.
    private func device() async throws(CommandFailure) -> CaptureDevice {
        if let device = await loop.run({ [self] in state.value.device }) ?? nil, device.isConnected { return device }
        let sensor: any Sensor
        do throws(SensorError) { sensor = try await sensors.connect() } catch { throw CommandFailure(error) }
        let device = CaptureDevice(sensor: sensor)
        await loop.run { [self] in state.value.device = device }
        CaptureDevice.register(device)
        return device
    }

    private func sessionDid(_ event: CaptureSession.Event) {
        switch event {
        case .didStart:
            recover(.started(at: time.now))
            state.value.report(.running)
        case .didStop: recover(.stopped)
        case .runtimeError(let error): recover(.failed(CommandFailure(error), at: time.now))
        case .usageError(let error): log.write(.error, error.message)
        }
    }

    // MARK: Watching

    /// Looks whether frames come, in case the sensor does not report that it stalled. Calls itself again.
    private func watchFrames() {
        lookForFrames()
        _ = loop.schedule(at: time.now + .seconds(1)) { [weak self] in self?.watchFrames() }
    }

    /// Ends a stream whose frames stay away.
    ///
    /// - Isolation: the event loop.
    func lookForFrames() {
        guard let stream = session.stream else { return }
        recover(.watched(newest: output.newestFrameArrival, frameInterval: stream.frameInterval, at: time.now))
    }

    /// Has the recovery take what happened, and carries out what it says.
    ///
    /// - Isolation: the event loop.
    func recover(_ event: StreamRecovery.Event) {
        let actions = state.value.recovery.handle(event)
        if let timer = state.value.timer.take() { loop.cancel(timer) }
        state.value.timer = state.value.recovery.nextAttempt.map { moment in
            loop.schedule(at: moment) { [weak self] in
                guard let self else { return }
                recover(.time(time.now))
            }
        }
        for action in actions {
            switch action {
            case .start: Task { await startStream() }
            case .report(let failure): state.value.report(.failed(failure))
            case .recovered(let failure): state.value.report(.recovered(failure))
            case .stall: session.streamDidFail(.stalled)
            }
        }
    }

    private func post(_ body: @escaping @Sendable (CameraStream) -> Void) {
        loop.post { [self] in body(self) }
    }
}

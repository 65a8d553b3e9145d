import Capture
import Glibc
import Imaging
import Platform
import Synchronization

/// A camera of libcamera.
///
/// It is taken from other programs while it is configured or streams, and only then. One that was unplugged can be
/// configured again as soon as it is back.
package final class LibcameraSensor: Sensor {
    private struct State {
        var controls = SensorControls()
        var serial: UInt64 = 1
        var reading = FrameReading()
        var watch: StallWatch?
        var configuration: StreamConfiguration?
        var thread: WorkerThread?
        var skippedFrames: UInt64 = 0
    }

    package let model: SensorModel
    private let port: any CameraPort
    private let clock: @Sendable () -> MonotonicTime
    private let state = Mutex(State())

    /// A sensor over a port.
    init(model: SensorModel, port: any CameraPort, clock: @escaping @Sendable () -> MonotonicTime = { .now() }) {
        self.model = model
        self.port = port
        self.clock = clock
    }

    /// Frames of the present stream that came with an error, or faster than they could be taken.
    package var skippedFrames: UInt64 { state.withLock { $0.skippedFrames } }

    package func configure(_ request: StreamConfiguration) throws(SensorError) -> StreamConfiguration {
        guard state.withLock({ $0.thread == nil }) else { throw .refused("the camera is streaming") }
        state.withLock { $0.configuration = nil }
        let granted = try port.configure(request)
        do throws(SensorError) {
            let configuration = try granted.configuration(hasGlobalShutter: model.hasGlobalShutter)
            state.withLock { $0.configuration = configuration }
            return configuration
        } catch {
            port.stop()
            throw error
        }
    }

    package func start(delivering sink: any FrameSink) throws(SensorError) {
        let (configuration, controls, serial, isStreaming) = state.withLock {
            ($0.configuration, $0.controls, $0.serial, $0.thread != nil)
        }
        guard !isStreaming else { throw .refused("the camera is streaming") }
        guard let configuration else { throw .refused("the camera is not configured") }
        state.withLock { state in
            state.reading.streamWillStart(controls, serial: serial)
            state.watch = StallWatch(
                start: clock(), frameInterval: configuration.frameInterval, exposure: controls.exposureTime)
            state.skippedFrames = 0
        }
        do throws(SensorError) {
            try port.start(controls, serial: serial)
        } catch {
            state.withLock { $0.configuration = nil }
            port.stop()
            throw error
        }
        let thread = WorkerThread(name: "sensor")
        let newest = state.withLock { state in
            state.thread = thread
            return state.serial == serial ? nil : (state.controls, state.serial)
        }
        // Settings that were asked for while it started.
        if let (controls, serial) = newest { port.setControls(controls, serial: serial) }
        thread.submit { [self] in stream(configuration, to: sink) }
    }

    package func stop() async {
        let thread = state.withLock { state -> WorkerThread? in
            let isConfigured = state.configuration != nil
            state.configuration = nil
            // One that is configured and was never started has the camera too.
            return state.thread.take() ?? (isConfigured ? WorkerThread(name: "sensor") : nil)
        }
        guard let thread else { return }
        port.interrupt()
        thread.submit { [port] in port.stop() }
        await thread.stop()
    }

    package func setControls(_ controls: SensorControls) {
        state.withLock { state in
            state.serial += 1
            state.controls = controls
            state.reading.controlsWereSet(controls, serial: state.serial)
            state.watch?.exposureWillBe(controls.exposureTime)
            // Under the lock, so that the camera receives the newest settings last. The port only stores them.
            port.setControls(controls, serial: state.serial)
        }
    }

    // MARK: The sensor's thread

    /// Runs until `stop`, or until the stream has ended by itself.
    private func stream(_ configuration: StreamConfiguration, to sink: any FrameSink) {
        while let deadline = state.withLock({ $0.watch?.deadline }) {
            switch port.next(until: deadline) {
            case .interrupted: return
            case .unplugged: return sink.sensorDidFail(.disconnected)
            case .timedOut:
                // A longer exposure may have been asked for meanwhile.
                guard let later = state.withLock({ $0.watch?.deadline }), later > deadline else {
                    return sink.sensorDidFail(.stalled)
                }
            case .frame(let frame): deliver(frame, configuration, to: sink)
            }
        }
    }

    private func deliver(_ frame: CompletedFrame, _ configuration: StreamConfiguration, to sink: any FrameSink) {
        let properties = state.withLock { state in
            state.skippedFrames = frame.skipped
            let properties = state.reading.handle(frame, now: clock(), suspended: Self.suspended())
            state.watch?.frameDidCome(
                at: clock(), duration: frame.duration > 0 ? .microseconds(frame.duration) : nil)
            return properties
        }
        let (generation, slot) = (frame.generation, frame.slot)
        guard let base = UnsafeRawPointer(bitPattern: frame.address) else {
            return port.recycle(generation: generation, slot: slot)
        }
        let raw = configuration.rawLayout.flatMap { layout in
            UnsafeRawPointer(bitPattern: frame.rawAddress).map { (layout: layout, base: $0) }
        }
        // The lease keeps the port, and with it the memory.
        sink.sensorDidDeliver(
            Frame(
                sequence: properties.sequence, timestamp: properties.timestamp, metadata: properties.metadata,
                layout: configuration.layout, base: base, raw: raw, readoutTime: configuration.readoutTime
            ) { [port] in port.recycle(generation: generation, slot: slot) })
    }

    /// How far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC.
    private static func suspended() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let boot = MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        return max(boot - .now(), .zero)
    }
}

import Capture
import Imaging
import PinholeTesting
import Platform

@testable import LibcameraSensor

/// A camera whose stream brings what a test says, with the shim's rules for generations and slots.
final class FakeCamera: CameraPort {
    private struct Lease: Hashable, Sendable {
        var generation: UInt64
        var slot: UInt32
    }

    private struct State: Sendable {
        var granted: GrantedStream
        var configureError: SensorError?
        var startError: SensorError?
        var events: [CameraEvent] = []
        var isInterrupted = false
        var isConfigured = false
        var generation: UInt64 = 0
        var leases: Set<Lease> = []
        var staleReturns = 0
        var unknownReturns = 0
        var stops = 0
        var deadlines: [MonotonicTime] = []
        var controls: [SensorControls] = []
        var serial: UInt64 = 0
    }

    private let state: Watched<State>
    private let wake = Semaphore()
    private let memory: UInt

    init(_ granted: GrantedStream = .small) {
        state = Watched(State(granted: granted))
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 77)
        memory = UInt(bitPattern: bytes.baseAddress)
    }

    deinit { UnsafeMutableRawPointer(bitPattern: memory)?.deallocate() }

    // MARK: CameraPort

    func configure(_ request: StreamConfiguration) throws(SensorError) -> GrantedStream {
        let result = state.withLock { state -> Result<GrantedStream, SensorError> in
            if let error = state.configureError { return .failure(error) }
            state.isConfigured = true
            state.generation += 1
            return .success(state.granted)
        }
        return try result.get()
    }

    func start(_ controls: SensorControls, serial: UInt64) throws(SensorError) {
        let error = state.withLock { state in
            state.events = []
            state.isInterrupted = false
            state.controls.append(controls)
            state.serial = serial
            return state.startError
        }
        if let error { throw error }
    }

    func setControls(_ controls: SensorControls, serial: UInt64) {
        state.withLock { state in
            state.controls.append(controls)
            state.serial = serial
        }
    }

    func next(until moment: MonotonicTime) -> CameraEvent {
        state.withLock { $0.deadlines.append(moment) }
        while true {
            let event = state.withLock { state -> CameraEvent? in
                if state.isInterrupted { return .interrupted }
                guard !state.events.isEmpty else { return nil }
                let event = state.events.removeFirst()
                if case .frame(let frame) = event {
                    state.leases.insert(Lease(generation: frame.generation, slot: frame.slot))
                }
                return event
            }
            if let event { return event }
            wake.wait()
        }
    }

    func interrupt() {
        state.withLock { $0.isInterrupted = true }
        wake.signal()
    }

    func recycle(generation: UInt64, slot: UInt32) {
        state.withLock { state in
            guard state.leases.remove(Lease(generation: generation, slot: slot)) != nil else {
                return state.unknownReturns += 1
            }
            if generation != state.generation { state.staleReturns += 1 }
        }
    }

    func stop() {
        state.withLock { state in
            state.isConfigured = false
            state.stops += 1
        }
    }

    // MARK: What a test does and sees

    /// Brings a frame of the present stream.
    func bring(slot: UInt32 = 0, sequence: UInt32 = 0, change: (inout CompletedFrame) -> Void = { _ in }) {
        let (generation, serial) = state.withLock { ($0.generation, $0.serial) }
        let now = MonotonicTime.now().nanoseconds
        var frame = CompletedFrame(
            generation: generation, slot: slot, sequence: sequence, timestamp: now, completed: now, exposure: 10_000,
            analogueGain: 2, serial: serial, address: memory)
        change(&frame)
        bring(.frame(frame))
    }

    /// Brings anything.
    func bring(_ event: CameraEvent) {
        state.withLock { $0.events.append(event) }
        wake.signal()
    }

    func fail(configure: SensorError? = nil, start: SensorError? = nil) {
        state.withLock { ($0.configureError, $0.startError) = (configure, start) }
    }

    var leased: Int { state.withLock { $0.leases.count } }
    var staleReturns: Int { state.withLock { $0.staleReturns } }
    var unknownReturns: Int { state.withLock { $0.unknownReturns } }
    var stops: Int { state.withLock { $0.stops } }
    var isTaken: Bool { state.withLock { $0.isConfigured } }
    var deadlines: [MonotonicTime] { state.withLock { $0.deadlines } }
    var controls: [SensorControls] { state.withLock { $0.controls } }

    /// Waits until the sensor has waited for events a number of times.
    func until(waits count: Int) async {
        await state.until { $0.deadlines.count >= count }
    }
}

extension GrantedStream {
    /// 64 by 48 pixels of NV12, ten frames a second at most.
    static let small = GrantedStream(
        format: .nv12, width: 64, height: 48, bufferCount: 6,
        planes: [
            Plane(offset: 0, stride: 128, length: 128 * 48), Plane(offset: 8192, stride: 128, length: 128 * 24),
        ], shortestFrame: .milliseconds(100))
}

extension SensorModel {
    /// A camera with a rolling shutter.
    static let small = SensorModel(
        identifier: "/base/imx477@1a", name: "imx477", position: .back, width: 64, height: 48,
        hasGlobalShutter: false, exposureTimes: .microseconds(100)...(.seconds(10)), isoSpeeds: 100...1600)
}

/// Keeps what a sensor delivers.
final class Sink: FrameSink {
    private struct State: Sendable {
        var frames: [Frame] = []
        var count = 0
        var failures: [SensorFailure] = []
    }

    private let state = Watched(State())
    private let keepsFrames: Bool

    init(keepsFrames: Bool = true) {
        self.keepsFrames = keepsFrames
    }

    func sensorDidDeliver(_ frame: Frame) {
        state.withLock { state in
            state.count += 1
            if keepsFrames { state.frames.append(frame) }
        }
    }

    func sensorDidFail(_ failure: SensorFailure) {
        state.withLock { $0.failures.append(failure) }
    }

    var frames: [Frame] { state.withLock { $0.frames } }
    var failures: [SensorFailure] { state.withLock { $0.failures } }

    /// Waits for a number of frames; the suite's time limit ends a wait in vain.
    func until(frames count: Int) async {
        await state.until { $0.count >= count }
    }

    /// Waits until the stream has ended by itself.
    func untilItFails() async {
        await state.until { !$0.failures.isEmpty }
    }

    /// Lets the frames go.
    func drop() {
        let frames = state.withLock { state in
            defer { state.frames = [] }
            return state.frames
        }
        withExtendedLifetime(frames) {}
    }
}

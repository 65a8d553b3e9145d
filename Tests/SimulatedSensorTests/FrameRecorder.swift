import Capture
import Imaging
import Platform
import SimulatedSensor
import Synchronization

/// Notes what a sensor delivers, keeps some of the frames, and wakes whoever waits for something to have come.
final class FrameRecorder: FrameSink {
    struct Entry: Hashable {
        var sequence: UInt64
        var timestamp: MonotonicTime
        var midpoint: MonotonicTime
        var metadata: FrameMetadata
        var stampedSequence: UInt64?
        var stampedTimestamp: MonotonicTime?
    }

    struct Record {
        var entries: [Entry] = []
        var failures: [SensorFailure] = []
        var held: [Frame] = []
    }

    private struct State {
        var record = Record()
        var holdLimit: Int
        var waiting: [(isMet: @Sendable (Record) -> Bool, continuation: CheckedContinuation<Record, Never>)] = []
    }

    private let state: Mutex<State>

    /// A recorder that keeps the first `holding` frames.
    init(holding: Int = 0) {
        state = Mutex(State(holdLimit: holding))
    }

    var record: Record { state.withLock { $0.record } }

    /// Waits until what came fulfils a condition.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (Record) -> Bool) async -> Record {
        await withCheckedContinuation { continuation in
            let present = state.withLock { state -> Record? in
                if isMet(state.record) { return state.record }
                state.waiting.append((isMet, continuation))
                return nil
            }
            if let present { continuation.resume(returning: present) }
        }
    }

    /// Lets go of the frames kept so far and keeps no more.
    func letGo() {
        let frames = state.withLock { state in
            state.holdLimit = 0
            defer { state.record.held = [] }
            return state.record.held
        }
        _ = frames
    }

    func sensorDidDeliver(_ frame: Frame) {
        let stamp = frame.withPicture { FrameStamp.read(from: $0) }
        change { state in
            state.record.entries.append(
                Entry(
                    sequence: frame.sequence, timestamp: frame.timestamp, midpoint: frame.midpoint,
                    metadata: frame.metadata, stampedSequence: stamp?.sequence, stampedTimestamp: stamp?.timestamp))
            if state.record.held.count < state.holdLimit { state.record.held.append(frame) }
        }
    }

    func sensorDidFail(_ failure: SensorFailure) {
        change { $0.record.failures.append(failure) }
    }

    private func change(_ body: (inout State) -> Void) {
        let (met, record) = state.withLock { state in
            body(&state)
            let met = state.waiting.filter { $0.isMet(state.record) }
            state.waiting.removeAll { $0.isMet(state.record) }
            return (met, state.record)
        }
        for waiter in met { waiter.continuation.resume(returning: record) }
    }
}

extension SimulatedSensor {
    /// A small and fast sensor.
    static func small(_ change: (inout SimulatedSensorOptions) -> Void = { _ in }) -> SimulatedSensor {
        var options = SimulatedSensorOptions()
        (options.width, options.height, options.framesPerSecond) = (640, 96, 200)
        change(&options)
        return SimulatedSensor(options: options)
    }

    /// Configures with as many buffers as asked for.
    @discardableResult
    func configure(buffers: Int = 4) throws -> StreamConfiguration {
        try configure(
            StreamConfiguration(
                layout: PictureLayout(packed: .yuv420, width: 64, height: 48), bufferCount: buffers,
                frameInterval: .seconds(1), readoutTime: .zero))
    }
}

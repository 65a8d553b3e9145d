import Capture
import Imaging
import Platform

/// A sensor whose frames come when a test says so.
package final class FakeSensor: Sensor {
    private struct State: Sendable {
        var sink: (any FrameSink)?
        var startError: SensorError?
        var configureError: SensorError?
        var nextSequence: UInt64 = 1
        var outstanding = 0
        var recycled = 0
        var starts = 0
        var stops = 0
        var controls: [SensorControls] = []
        /// What frames are taken with, and since which delivery it was asked for.
        var requested: [(controls: SensorControls, age: Int)] = []
        var obeysControls = true
        var hangsInStart = false
        var hangsInStop = false
        var isHanging = false
    }

    package let model: SensorModel
    /// Time from one frame to the next.
    package let frameInterval = Duration.milliseconds(100)
    /// Automatic exposure time of a frame.
    package let exposureTime = Duration.milliseconds(10)
    /// Frames from a request for settings to the first that was taken with them.
    package let controlDelay = 3
    private let state = Watched(State())
    private let gate = Semaphore()

    /// A sensor of a small size, with raw frames of 12 bits when asked for.
    package init(identifier: String = "fake", width: Int = 64, height: Int = 48, givesRaw: Bool = false) {
        let format = RawLayout.Format(pattern: .rggb, bitsPerSample: 12, packing: .words)
        model = SensorModel(
            identifier: identifier, name: "Fake sensor", position: .back, width: width, height: height,
            hasGlobalShutter: true, exposureTimes: .microseconds(100)...(.seconds(1)), isoSpeeds: 100...1600,
            rawLayout: givesRaw ? RawLayout(format: format, width: width, height: height, stride: 2 * width) : nil)
    }

    package func configure(_ request: StreamConfiguration) throws(SensorError) -> StreamConfiguration {
        if let error = state.withLock({ $0.configureError }) { throw error }
        var granted = request
        granted.frameInterval = frameInterval
        return granted
    }

    package func start(delivering sink: any FrameSink) throws(SensorError) {
        if isToHang(\.hangsInStart) {
            gate.wait()
            state.withLock { $0.isHanging = false }
        }
        if let error = state.withLock({ $0.startError }) { throw error }
        state.withLock {
            $0.sink = sink
            $0.starts += 1
        }
    }

    package func stop() async {
        if isToHang(\.hangsInStop) { await state.until { !$0.hangsInStop } }
        state.withLock {
            $0.isHanging = false
            $0.sink = nil
            $0.stops += 1
        }
    }

    package func setControls(_ controls: SensorControls) {
        state.withLock { state in
            state.controls.append(controls)
            state.requested.append((controls, 0))
        }
    }

    /// Returns once a call hangs, or when its task is canceled: a time limit that is always right.
    @Sendable
    package func untilItHangs() async {
        await state.until { $0.isHanging }
    }

    private func isToHang(_ call: KeyPath<State, Bool> & Sendable) -> Bool {
        state.withLock { state in
            if state[keyPath: call] { state.isHanging = true }
            return state[keyPath: call]
        }
    }

    /// Makes later calls never come back, until `letGo`.
    package func hang(start: Bool = false, stop: Bool = false) {
        state.withLock {
            $0.hangsInStart = start
            $0.hangsInStop = stop
        }
    }

    /// Lets calls that hang come back.
    package func letGo() {
        let isHeld = state.withLock { state in
            defer { (state.hangsInStart, state.hangsInStop) = (false, false) }
            return state.hangsInStart
        }
        if isHeld { gate.signal() }
    }

    /// Makes later calls fail; nil lets them succeed again.
    package func fail(configure: SensorError? = nil, start: SensorError? = nil) {
        state.withLock {
            $0.configureError = configure
            $0.startError = start
        }
    }

    /// Delivers the frame whose exposure has its middle at the moment given.
    ///
    /// - Returns: its sequence number.
    @discardableResult
    package func deliver(midpoint: MonotonicTime) -> UInt64 {
        let (sink, sequence, controls) = state.withLock { state in
            defer { state.nextSequence += 1 }
            for index in state.requested.indices { state.requested[index].age += 1 }
            if let newest = state.requested.lastIndex(where: { $0.age > controlDelay }) {
                state.requested.removeFirst(newest)
            }
            let isInForce = state.obeysControls && (state.requested.first?.age ?? 0) > controlDelay
            return (state.sink, state.nextSequence, isInForce ? state.requested.first?.controls : nil)
        }
        guard let sink else { return sequence }
        sink.sensorDidDeliver(frame(sequence: sequence, midpoint: midpoint, controls: controls ?? SensorControls()))
        return sequence
    }

    /// Waits until the camera was asked for settings `count` times.
    package func controls(_ count: Int) async {
        await state.until { $0.controls.count >= count }
    }

    /// Makes the sensor ignore later settings.
    package func ignoreControls() {
        state.withLock { $0.obeysControls = false }
    }

    /// A frame of its own, gray, that counts as leased until it is let go of.
    package func frame(
        sequence: UInt64, midpoint: MonotonicTime, controls: SensorControls = SensorControls()
    ) -> Frame {
        let layout = PictureLayout(packed: .yuv420, width: model.width, height: model.height)
        let rawOffset = (layout.byteCount + 15) / 16 * 16
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rawOffset + (model.rawLayout?.byteCount ?? 0), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 128)
        let base = UnsafeRawPointer(memory.baseAddress!)
        let address = UInt(bitPattern: base)
        let exposureTime = controls.exposureTime ?? exposureTime
        state.withLock { $0.outstanding += 1 }
        return Frame(
            sequence: sequence, timestamp: midpoint + exposureTime / 2,
            metadata: FrameMetadata(
                exposureTime: exposureTime, isoSpeed: controls.isoSpeed ?? 100, exposureBias: controls.exposureBias,
                isManualExposure: controls.exposureTime != nil),
            layout: layout, base: base, raw: model.rawLayout.map { ($0, base + rawOffset) }, readoutTime: .zero
        ) { [self] in
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
            state.withLock {
                $0.outstanding -= 1
                $0.recycled += 1
            }
        }
    }

    /// Ends the stream as a broken cable or a stall does.
    package func breakDown(_ failure: SensorFailure) {
        state.withLock { $0.sink }?.sensorDidFail(failure)
    }

    /// The number of frames that are leased.
    package var outstandingFrames: Int { state.withLock { $0.outstanding } }
    /// How often the stream was started.
    package var starts: Int { state.withLock { $0.starts } }
    /// How often it was stopped.
    package var stops: Int { state.withLock { $0.stops } }
    /// Every control setting, oldest first.
    package var controls: [SensorControls] { state.withLock { $0.controls } }
}

import Capture
import Imaging
import Platform
import Synchronization

/// A sensor without hardware: it keeps a sensor's time, applies settings with a sensor's delay, and marks each frame's
/// picture with its number and time.
package final class SimulatedSensor: Sensor {
    /// What a configuration made.
    private struct Setup: Sendable {
        var configuration: StreamConfiguration
        var buffers: FrameBuffers
        var source: any PictureSource
        var log: FrameLog?
    }

    private struct State {
        var script: StreamScript
        var setup: Setup?
        var thread: WorkerThread?
        var isStopping = false
    }

    package let model: SensorModel
    private let options: SimulatedSensorOptions
    private let state: Mutex<State>
    private let wake = Semaphore()

    /// A sensor that is plugged in and not configured.
    package init(options: SimulatedSensorOptions = SimulatedSensorOptions()) {
        self.options = options
        let model = SensorModel(
            identifier: "simulated", name: "Simulated camera", position: .back, width: options.width,
            height: options.height, hasGlobalShutter: false,
            exposureTimes: .microseconds(60)...max(options.frameInterval, .microseconds(60)), isoSpeeds: 100...1600)
        self.model = model
        let limit = options.stallLimit ?? max(.seconds(1), options.frameInterval * 5)
        state = Mutex(State(script: StreamScript(model: model, stallLimit: limit)))
    }

    /// Makes something go wrong.
    package func inject(_ fault: SimulatedFault) {
        state.withLock { $0.script.inject(fault) }
        wake.signal()
    }

    // MARK: Sensor

    package func configure(_ request: StreamConfiguration) throws(SensorError) -> StreamConfiguration {
        let result = state.withLock { state -> Result<Void, SensorError> in
            guard state.thread == nil else { return .failure(.refused("the sensor is streaming")) }
            // The old buffers must go before the new ones come: a small board has no room for both.
            state.setup = nil
            return Result { () throws(SensorError) in try state.script.configure() }
        }
        try result.get()
        let setup = try makeSetup(bufferCount: min(max(request.bufferCount, 4), 64))
        state.withLock { $0.setup = setup }
        return setup.configuration
    }

    package func start(delivering sink: any FrameSink) throws(SensorError) {
        let result = state.withLock { state -> Result<Void, SensorError> in
            guard let setup = state.setup else { return .failure(.refused("the sensor is not configured")) }
            guard state.thread == nil else { return .failure(.refused("the sensor is streaming")) }
            return Result { () throws(SensorError) in
                let delay = try state.script.start()
                let thread = WorkerThread(name: "sensor")
                state.isStopping = false
                state.thread = thread
                thread.submit { [self] in
                    stream(setup, to: sink, from: .now() + delay + setup.configuration.frameInterval)
                }
            }
        }
        try result.get()
    }

    package func stop() async {
        let thread = state.withLock { state in
            state.isStopping = true
            return state.thread.take()
        }
        wake.signal()
        // The thread lets go of the sink before it ends.
        await thread?.stop()
    }

    package func setControls(_ controls: SensorControls) {
        state.withLock { $0.script.request(controls) }
    }

    // MARK: Set-up

    private func makeSetup(bufferCount: Int) throws(SensorError) -> Setup {
        guard (1...65_500).contains(options.width), (1...65_500).contains(options.height),
            FrameStamp.fits(PictureLayout(packed: options.format, width: options.width, height: options.height))
        else {
            throw .refused(
                "a simulated frame is at least \(FrameStamp.minimumWidth) by \(2 * FrameStamp.rows) pixels large, "
                    + "not \(options.width) by \(options.height)")
        }
        let layout = PictureLayout(
            packed: options.format, width: options.width, height: options.height, alignment: 64)
        guard let buffers = FrameBuffers(count: bufferCount, layout: layout) else { throw .outOfMemory }
        let source = try makeSource(layout)
        do throws(ReplayError) {
            // Painting everything now also makes the kernel give the memory, not in the middle of a stream.
            let (number, picture) = try source.picture(at: .zero)
            for index in buffers.indices { buffers.show(picture, number: number, in: index) }
        } catch {
            throw .refused(error.sentence)
        }
        var log: FrameLog?
        if let path = options.frameLog {
            do throws(SystemError) {
                log = try FrameLog(path: path)
            } catch {
                throw .refused("\(error)")
            }
        }
        return Setup(
            configuration: StreamConfiguration(
                layout: layout, bufferCount: bufferCount, frameInterval: options.frameInterval,
                readoutTime: options.readoutTime),
            buffers: buffers, source: source, log: log)
    }

    private func makeSource(_ layout: PictureLayout) throws(SensorError) -> any PictureSource {
        guard let path = options.photographs else {
            guard let scene = TestScene(layout: layout) else { throw .outOfMemory }
            return scene
        }
        do throws(ReplayError) {
            return try ReplayFolder(path: path, layout: layout)
        } catch {
            throw .refused(error.sentence)
        }
    }

    // MARK: The sensor's thread

    /// Runs until `stop`, or until the script ends the stream. `first` is the first frame's time.
    private func stream(_ setup: Setup, to sink: any FrameSink, from first: MonotonicTime) {
        var moment = first
        while wait(until: moment) != .stopped {
            switch state.withLock({ $0.script.step(at: moment) }) {
            case .nothing: break
            case .end(let failure): return sink.sensorDidFail(failure)
            case .frame(let plan):
                do throws(ReplayError) {
                    try readOut(plan, at: moment, elapsed: moment - first, setup, to: sink)
                } catch {
                    // The folder changed under us: like a sensor that is gone; configuring again says why.
                    return sink.sensorDidFail(.disconnected)
                }
            }
            moment = moment + setup.configuration.frameInterval
        }
    }

    private func readOut(
        _ plan: StreamScript.FramePlan, at moment: MonotonicTime, elapsed: Duration, _ setup: Setup,
        to sink: any FrameSink
    ) throws(ReplayError) {
        let (configuration, buffers) = (setup.configuration, setup.buffers)
        let midpoint = plan.timestamp - plan.metadata.exposureTime / 2 + configuration.readoutTime / 2
        let (number, picture) = try setup.source.picture(at: elapsed)
        // A machine that was held up loses frames, as it does with a real sensor.
        let isLate = MonotonicTime.now() > moment + configuration.frameInterval
        guard !plan.isLost, !isLate, let index = buffers.take() else {
            setup.log?.add(plan, midpoint: midpoint, outcome: isLate && !plan.isLost ? .late : .dropped)
            return
        }
        buffers.show(picture, number: number, in: index)
        let memory = buffers[index]
        FrameStamp.paint(
            sequence: plan.sequence, timestamp: plan.timestamp, layout: memory.layout, into: memory.bytes)
        let frame = Frame(
            sequence: plan.sequence, timestamp: plan.timestamp, metadata: plan.metadata, layout: memory.layout,
            base: UnsafeRawPointer(memory.base), readoutTime: configuration.readoutTime
        ) { buffers.giveBack(index) }
        let isDelivered = wait(until: moment + configuration.readoutTime) == .timeHasCome
        setup.log?.add(plan, midpoint: midpoint, outcome: isDelivered ? .delivered : .dropped)
        if isDelivered { sink.sensorDidDeliver(frame) }
    }

    private enum Wait { case timeHasCome, stopped, unplugged }

    private func wait(until moment: MonotonicTime) -> Wait {
        while true {
            let (isStopping, isPlugged) = state.withLock { ($0.isStopping, $0.script.isPlugged) }
            if isStopping { return .stopped }
            if !isPlugged { return .unplugged }
            if !wake.wait(until: moment) { return .timeHasCome }
        }
    }
}

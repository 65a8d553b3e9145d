import Capture
import Glibc
import Platform

/// Decides what each frame of the stream is: its number, time, settings and faults. Pure.
struct StreamScript {
    /// The properties of one frame.
    struct FramePlan: Hashable {
        var sequence: UInt64
        var timestamp: MonotonicTime
        var metadata: FrameMetadata
        var isLost: Bool
    }

    /// What the stream does at a frame's time.
    enum Step: Hashable {
        case frame(FramePlan)
        /// Nothing comes; ask again at the next frame's time.
        case nothing
        /// The stream ends by itself for this reason.
        case end(SensorFailure)
    }

    /// Frames from a request for settings to the first that was taken with them.
    static let controlDelay: UInt64 = 4
    static let automaticExposureTime = Duration.milliseconds(10)
    static let automaticISOSpeed = 100

    let model: SensorModel
    let stallLimit: Duration
    private(set) var isPlugged = true
    /// Delay of the next start's first frame.
    private var startDelay = Duration.zero
    private var failsAllocation = false
    private var timestampShift = Duration.zero
    private var framesToLose = 0
    private var isStalled = false
    private var stalledSince: MonotonicTime?
    private var nextSequence: UInt64 = 0
    private var controls = SensorControls()
    private var requested: [(from: UInt64, controls: SensorControls)] = []

    init(model: SensorModel, stallLimit: Duration) {
        self.model = model
        self.stallLimit = stallLimit
    }

    /// Makes something go wrong.
    mutating func inject(_ fault: SimulatedFault) {
        switch fault {
        case .stall: isStalled = true
        case .unplug: isPlugged = false
        case .replug: isPlugged = true
        case .loseFrames(let count): framesToLose += max(0, count)
        case .slowStart(let delay): startDelay = delay
        case .allocationFailure: failsAllocation = true
        case .timestampJump(let interval): timestampShift += interval
        }
    }

    /// Called for each configuration.
    mutating func configure() throws(SensorError) {
        guard isPlugged else { throw .disconnected }
        if failsAllocation {
            failsAllocation = false
            throw .outOfMemory
        }
    }

    /// Called for each start.
    ///
    /// - Returns: how much later than usual the first frame comes.
    mutating func start() throws(SensorError) -> Duration {
        guard isPlugged else { throw .disconnected }
        isStalled = false
        stalledSince = nil
        defer { startDelay = .zero }
        return startDelay
    }

    /// Takes a request for settings, which counts from the frame that is being read out.
    mutating func request(_ controls: SensorControls) {
        let current = nextSequence == 0 ? 0 : nextSequence - 1
        requested.append((current + Self.controlDelay, controls))
    }

    /// What happens at the moment at which a frame's first row is read out.
    mutating func step(at moment: MonotonicTime) -> Step {
        guard isPlugged else { return .end(.disconnected) }
        if isStalled {
            let since = stalledSince ?? moment
            stalledSince = since
            return moment - since >= stallLimit ? .end(.stalled) : .nothing
        }
        let sequence = nextSequence
        nextSequence += 1
        while let next = requested.first, next.from <= sequence {
            controls = next.controls
            requested.removeFirst()
        }
        let isLost = framesToLose > 0
        if isLost { framesToLose -= 1 }
        return .frame(
            FramePlan(
                sequence: sequence, timestamp: moment + timestampShift, metadata: Self.metadata(controls, model),
                isLost: isLost))
    }

    /// What a sensor of this model does with the settings asked for.
    private static func metadata(_ controls: SensorControls, _ model: SensorModel) -> FrameMetadata {
        let bias = controls.exposureTime == nil ? min(max(controls.exposureBias, -8), 8) : 0
        let automatic = automaticExposureTime.inSeconds * exp2(bias)
        let exposureTime = controls.exposureTime ?? .nanoseconds(Int64(automatic * 1e9))
        return FrameMetadata(
            exposureTime: min(max(exposureTime, model.exposureTimes.lowerBound), model.exposureTimes.upperBound),
            isoSpeed: min(
                max(controls.isoSpeed ?? automaticISOSpeed, model.isoSpeeds.lowerBound), model.isoSpeeds.upperBound),
            exposureBias: bias, isManualExposure: controls.exposureTime != nil)
    }
}

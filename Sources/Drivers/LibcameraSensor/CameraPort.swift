import Capture
import Imaging
import Platform

/// The port to one camera of libcamera: the shim's, or a test's.
///
/// - Isolation: `configure`, `start` and `stop` one at a time, `next` on one thread at a time, the others on any thread.
protocol CameraPort: AnyObject, Sendable {
    /// Takes the camera and allocates its buffers.
    func configure(_ request: StreamConfiguration) throws(SensorError) -> GrantedStream
    /// Starts what was configured.
    func start(_ controls: SensorControls, serial: UInt64) throws(SensorError)
    /// Asks for settings; frames name the serial that their request carried.
    func setControls(_ controls: SensorControls, serial: UInt64)
    /// Waits for what comes next.
    func next(until moment: MonotonicTime) -> CameraEvent
    /// Makes `next` return until the next start.
    func interrupt()
    /// Gives a frame back, whatever has happened to the stream it is from.
    func recycle(generation: UInt64, slot: UInt32)
    /// Ends the stream and lets others have the camera.
    func stop()
}

/// What a camera's stream brings.
enum CameraEvent: Hashable, Sendable {
    case frame(CompletedFrame)
    case timedOut
    case interrupted
    case unplugged
}

/// A frame as libcamera completed it. Nothing in it has been checked.
struct CompletedFrame: Hashable, Sendable {
    /// The configuration that it is from.
    var generation: UInt64 = 1
    /// Its buffer in that configuration.
    var slot: UInt32 = 0
    /// The sensor's number since the start; it may wrap.
    var sequence: UInt32 = 0
    /// Nanoseconds; 0 when not reported.
    var timestamp: Int64 = 0
    /// When libcamera completed it, CLOCK_MONOTONIC, nanoseconds.
    var completed: Int64 = 0
    /// Microseconds; 0 when not reported.
    var exposure: Int64 = 0
    /// 0 when not reported.
    var analogueGain: Float = 0
    /// 0 when not reported.
    var digitalGain: Float = 0
    /// Microseconds from the frame before; 0 when not reported.
    var duration: Int64 = 0
    /// Whether the exposure time was set manually; nil when not reported.
    var isManual: Bool?
    /// Whether automatic exposure has settled; nil when not reported.
    var isSettled: Bool?
    /// The settings that its request carried.
    var serial: UInt64 = 0
    /// Frames given back since the start because of an error, or because they came too fast.
    var skipped: UInt64 = 0
    /// Where the samples are.
    var address: UInt = 0
    /// Where the raw samples are; 0 when there are none.
    var rawAddress: UInt = 0
}

import Imaging

/// The behavior of a simulated sensor.
package struct SimulatedSensorOptions: Hashable, Sendable {
    /// Width of each frame in pixels; at least `FrameStamp.minimumWidth`.
    package var width = 4056
    /// Height of each frame in pixels.
    package var height = 3040
    /// Arrangement of the samples.
    package var format = PictureLayout.Format.yuv420
    /// Frames delivered each second.
    package var framesPerSecond = 10.0
    /// A folder of JPEG photographs to show, the next one every second; nil for a drawn scene.
    package var photographs: String?
    /// A file to which a line is appended for each frame:
    /// `sequence timestamp_ns exposure_ns midpoint_ns delivered|dropped`.
    package var frameLog: String?
    /// The time without frames after which the sink receives a stall; nil for five frames, but at least one second.
    package var stallLimit: Duration?

    /// A Raspberry Pi HQ camera at full size.
    package init() {}

    /// Time from one frame to the next.
    var frameInterval: Duration { .nanoseconds(Int64(1e9 / framesPerSecond)) }

    /// A rolling shutter that reads for four fifths of the time.
    var readoutTime: Duration { frameInterval * 4 / 5 }
}

import Imaging
import Platform

/// The interface to a camera, real or simulated, that the capture pipeline uses.
///
/// One session uses a sensor at a time; calls are made one after another, never from inside a `FrameSink` call.
package protocol Sensor: AnyObject, Sendable {
    /// The sensor's properties, the same for as long as it is plugged in.
    var model: SensorModel { get }
    /// Sets the still stream up and allocates its buffers.
    ///
    /// - Returns: what was granted; the size and the number of buffers may differ from what was asked.
    /// - Blocking: until the buffers are there; not called on Swift's pool.
    func configure(_ request: StreamConfiguration) throws(SensorError) -> StreamConfiguration
    /// Starts streaming into `sink`, which is held until `stop` has returned.
    /// - Blocking: until the sensor accepted; not called on Swift's pool.
    func start(delivering sink: any FrameSink) throws(SensorError)
    /// Stops streaming. When it returns, no further sink call comes; frames still held stay readable.
    func stop() async
    /// Requests settings and returns at once. They take effect some frames later; each frame's metadata says which it was
    /// taken with.
    func setControls(_ controls: SensorControls)
}

/// Receives what a running sensor delivers.
///
/// - Isolation: called on the sensor's own thread, one call at a time. Validate, hand over, return: no I/O, no encoding.
package protocol FrameSink: AnyObject, Sendable {
    /// A finished frame. Letting go of it gives the buffer back to the sensor.
    func sensorDidDeliver(_ frame: Frame)
    /// The stream ended by itself.
    func sensorDidFail(_ failure: SensorFailure)
}

/// Properties of a sensor that do not change while it is plugged in.
package struct SensorModel: Hashable, Sendable {
    /// Tells sensors apart and stays the same after a reboot.
    package var identifier: String
    /// A person's name for it.
    package var name: String
    /// The side that the sensor looks toward; `.unspecified` when the hardware does not say.
    package var position: CaptureDevice.Position
    /// Full size in pixels.
    package var width: Int
    /// Full size in pixels.
    package var height: Int
    /// True when all rows are exposed at the same time.
    package var hasGlobalShutter: Bool
    /// Exposure times that may be set by hand; zero to zero when they cannot be set.
    package var exposureTimes: ClosedRange<Duration>
    /// ISO speeds that may be set by hand; 0 to 0 when they cannot be set.
    package var isoSpeeds: ClosedRange<Int>
    /// The raw frames it can give beside the processed ones; nil when it gives none.
    package var rawLayout: RawLayout?

    /// The model of a sensor; sizes are in pixels, and `rawLayout` is nil for a sensor without raw frames.
    package init(
        identifier: String, name: String, position: CaptureDevice.Position, width: Int, height: Int,
        hasGlobalShutter: Bool, exposureTimes: ClosedRange<Duration>, isoSpeeds: ClosedRange<Int>,
        rawLayout: RawLayout? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.position = position
        self.width = width
        self.height = height
        self.hasGlobalShutter = hasGlobalShutter
        self.exposureTimes = exposureTimes
        self.isoSpeeds = isoSpeeds
        self.rawLayout = rawLayout
    }
}

/// The still stream, as the session requests it and then as the sensor grants it.
package struct StreamConfiguration: Hashable, Sendable {
    /// Size, format and strides of each frame.
    package var layout: PictureLayout
    /// Buffers that circulate between sensor and ring.
    package var bufferCount: Int
    /// Time from one frame to the next.
    package var frameInterval: Duration
    /// Time from the first row's readout to the last's; zero for a global shutter.
    package var readoutTime: Duration
    /// Where the raw samples of each frame lie; nil when they are not wanted, or not granted.
    package var rawLayout: RawLayout?

    /// A configuration; `rawLayout` is nil for a stream without raw frames.
    package init(
        layout: PictureLayout, bufferCount: Int, frameInterval: Duration, readoutTime: Duration,
        rawLayout: RawLayout? = nil
    ) {
        self.layout = layout
        self.bufferCount = bufferCount
        self.frameInterval = frameInterval
        self.readoutTime = readoutTime
        self.rawLayout = rawLayout
    }
}

/// Settings of the sensor and its processing. `nil` means automatic.
package struct SensorControls: Hashable, Sendable {
    /// Exposure time, or automatic.
    package var exposureTime: Duration?
    /// ISO speed, or automatic.
    package var isoSpeed: Int?
    /// Exposure compensation in EV, for automatic exposure.
    package var exposureBias: Double

    /// Controls; nil means automatic, and the bias in EV applies to automatic exposure only.
    package init(exposureTime: Duration? = nil, isoSpeed: Int? = nil, exposureBias: Double = 0) {
        self.exposureTime = exposureTime
        self.isoSpeed = isoSpeed
        self.exposureBias = exposureBias
    }
}

/// A sensor call that did not succeed.
package enum SensorError: Error, Hashable, Sendable {
    /// Not plugged in, or gone.
    case disconnected
    /// Another program has it.
    case inUse
    /// No memory for the buffers.
    case outOfMemory
    /// It refused, with its own words.
    case refused(String)
    /// There is none; the sentence says what to do.
    case missing(String)
}

/// Why a running stream ended.
package enum SensorFailure: Hashable, Sendable {
    /// No frame came for longer than the stall limit; stop and start helps.
    case stalled
    /// The sensor was unplugged while it was streaming.
    case disconnected
}

import Capture
import Console
import Imaging
import Platform
import SimulatedSensor

/// Where the camera's sensor comes from. There may be none now and one later.
package protocol SensorProvider: Sendable {
    /// The sensor that is there now; asked for again after one was unplugged, and until there is one.
    ///
    /// - Throws: `CommandFailure` with what is missing and what to do.
    func connect() async throws(CommandFailure) -> any Sensor

    /// Tells when a camera came or went, on the loop. Called once.
    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void)

    /// Full size of the frames: of the sensor connected last, or of a likely one while there was none.
    var frameSize: PixelSize { get }
}

/// The simulated sensor, which is always there.
package struct SimulatedSensors: SensorProvider {
    private let sensor: SimulatedSensor

    /// Provides a sensor.
    package init(_ sensor: SimulatedSensor) {
        self.sensor = sensor
    }

    package func connect() async throws(CommandFailure) -> any Sensor { sensor }

    package func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {}

    package var frameSize: PixelSize { PixelSize(width: sensor.model.width, height: sensor.model.height) }
}

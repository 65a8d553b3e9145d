import Capture
import LibcameraSensor
import Synchronization

/// The port to a library that finds cameras.
protocol CameraDriver: Sendable {
    /// Its name and version, such as `libcamera v0.4.0`.
    var name: String { get }
    /// The cameras there are now.
    ///
    /// - Throws: `SensorError` with the library's words.
    /// - Blocking: while it looks.
    func cameras() throws(SensorError) -> [SensorModel]
    /// The sensor of a camera that `cameras` has told of.
    func sensor(of model: SensorModel) throws(SensorError) -> any Sensor
    /// Why there is no camera, and what to do.
    var absence: String { get }
}

/// libcamera, which runs from the first look on: it follows cameras that come and go.
final class LibcameraDriver: CameraDriver {
    private let system = Mutex<LibcameraSystem?>(nil)

    var name: String { "libcamera " + LibcameraSystem.version }

    var absence: String { CameraAbsence().sentence }

    func cameras() throws(SensorError) -> [SensorModel] { try started().cameras() }

    func sensor(of model: SensorModel) throws(SensorError) -> any Sensor { try started().sensor(of: model) }

    private func started() throws(SensorError) -> LibcameraSystem {
        if let system = system.withLock({ $0 }) { return system }
        let started = try LibcameraSystem()
        system.withLock { $0 = started }
        return started
    }
}

import Capture
import LibcameraSensor
import Platform
import Synchronization

/// The port to a library that finds cameras.
package protocol CameraDriver: Sendable {
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
    /// Tells of cameras that come and go, as soon as the library runs. Called once.
    ///
    /// - Isolation: `changed` is called on the loop.
    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void)
}

/// libcamera, which runs from the first look on: it follows cameras that come and go.
package final class LibcameraDriver: CameraDriver {
    private struct State {
        var system: LibcameraSystem?
        /// Watches a system's changes, once it runs.
        var watch: (@Sendable (LibcameraSystem) -> Void)?
    }

    private let state = Mutex(State())

    /// A driver that starts libcamera at the first look.
    package init() {}

    package var name: String { "libcamera " + LibcameraSystem.version }

    package var absence: String { CameraAbsence().sentence }

    package func cameras() throws(SensorError) -> [SensorModel] { try started().cameras() }

    package func sensor(of model: SensorModel) throws(SensorError) -> any Sensor { try started().sensor(of: model) }

    package func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        let watch: @Sendable (LibcameraSystem) -> Void = { system in
            // The loop keeps the system, whose descriptor it watches. Without it, it is still asked again and again.
            _ = try? loop.register(system.changes, .read) { _ in
                system.clearChanges()
                changed()
            }
        }
        let system = state.withLock { state in
            state.watch = watch
            return state.system
        }
        if let system { watch(system) }
    }

    private func started() throws(SensorError) -> LibcameraSystem {
        if let system = state.withLock({ $0.system }) { return system }
        let started = try LibcameraSystem()
        let watch = state.withLock { state in
            state.system = started
            return state.watch
        }
        watch?(started)
        return started
    }
}

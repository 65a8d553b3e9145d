import Capture
import Platform
import Synchronization

/// Cameras that libcamera finds.
package struct LibcameraDriver: SensorDriver {
    package let name = "libcamera"
    package let summary = "the first camera that libcamera finds"

    /// A driver that does not touch libcamera before a source looks for cameras.
    package init() {}

    package func source(_ request: SensorRequest) -> any SensorSource { LibcameraSource() }
}

/// libcamera at work. It runs from the first look on, because it follows cameras that come and go.
private final class LibcameraSource: SensorSource {
    private struct State {
        var system: LibcameraSystem?
        /// Watches a system's changes, once it runs.
        var watch: (@Sendable (LibcameraSystem) -> Void)?
    }

    private let state = Mutex(State())

    var version: String { "libcamera " + LibcameraSystem.version }

    var absence: String { CameraAbsence().sentence }

    func find() throws(SensorError) -> [SensorModel] { try started().cameras() }

    func open(_ model: SensorModel) throws(SensorError) -> any Sensor { try started().sensor(of: model) }

    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        let watch: @Sendable (LibcameraSystem) -> Void = { system in
            // The loop keeps the system, whose descriptor it watches. Should the loop refuse, the camera still asks again.
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

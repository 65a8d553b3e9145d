import Capture
import Console
import Imaging
import Platform
import Synchronization

/// The first camera that a driver finds.
package final class HardwareSensors: SensorProvider {
    /// A Raspberry Pi HQ camera; the room for its photos is kept until a camera says its own size.
    private static let likelySize = PixelSize(width: 4056, height: 3040)

    private let driver: any CameraDriver
    private let adviceForTerminal: String?
    private let size = Mutex(likelySize)
    private let thread = WorkerThread(name: "cameras")

    /// Cameras of a driver.
    ///
    /// - Parameter hasTerminal: true when a person sits at this terminal, who may be offered the simulated camera.
    package init(driver: any CameraDriver, hasTerminal: Bool) {
        self.driver = driver
        adviceForTerminal = hasTerminal ? "to try Pinhole without a camera, give --sensor simulated" : nil
    }

    deinit {
        // The thread holds itself; it must be told to end.
        let thread = thread
        Task { await thread.stop() }
    }

    package var frameSize: PixelSize { size.withLock { $0 } }

    package func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        driver.follow(on: loop, changed)
    }

    package func connect() async throws(CommandFailure) -> any Sensor {
        let (driver, adviceForTerminal) = (driver, adviceForTerminal)
        let sensor = try await thread.run { () throws(CommandFailure) -> any Sensor in
            do throws(SensorError) {
                if let model = try driver.cameras().first { return try driver.sensor(of: model) }
            } catch {
                throw CommandFailure(CaptureError(error))
            }
            let sentence = [driver.absence, adviceForTerminal].compactMap(\.self).joined(separator: "; ")
            throw CommandFailure(.cameraMissing, sentence, retry: true)
        }
        size.withLock { $0 = PixelSize(width: sensor.model.width, height: sensor.model.height) }
        return sensor
    }
}

import Imaging
import Platform
import Synchronization

/// Finds the camera's sensor: the first one of the sources, in their order. There may be none now and one later.
package final class SensorFinder: Sendable {
    /// A Raspberry Pi HQ camera: the library keeps room for its photos until a sensor reports its own size.
    private static let likelySize = PixelSize(width: 4056, height: 3040)

    private let sources: [any SensorSource]
    private let advice: String?
    private let size = Mutex(likelySize)
    private let thread = WorkerThread(name: "cameras")

    /// A finder that has not looked yet.
    ///
    /// - Parameter advice: what a person can do without any camera; added to the sentence about its absence.
    package init(_ sources: [any SensorSource], advice: String? = nil) {
        self.sources = sources
        self.advice = advice
    }

    deinit {
        // The thread keeps itself alive; it must be stopped.
        let thread = thread
        Task { await thread.stop() }
    }

    /// Full size of the frames: of the sensor found last, or of a likely one before that.
    package var frameSize: PixelSize { size.withLock { $0 } }

    /// The sensor that is there now. The camera asks again after one was unplugged, and until there is one.
    ///
    /// - Throws: `SensorError.missing` with what is missing and what to do, or why a driver failed.
    package func connect() async throws(SensorError) -> any Sensor {
        let (sources, advice) = (sources, advice)
        let sensor = try await thread.run { () throws(SensorError) -> any Sensor in
            var failure: SensorError?
            for source in sources {
                do throws(SensorError) {
                    if let model = try source.find().first { return try source.open(model) }
                } catch {
                    failure = failure ?? error
                }
            }
            throw failure ?? .missing((sources.map(\.absence) + [advice].compactMap(\.self)).joined(separator: "; "))
        }
        size.withLock { $0 = PixelSize(width: sensor.model.width, height: sensor.model.height) }
        return sensor
    }

    /// Reports that a sensor came or went.
    ///
    /// - Isolation: `changed` is called on the loop.
    package func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        for source in sources { source.follow(on: loop, changed) }
    }
}

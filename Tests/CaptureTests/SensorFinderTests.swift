import PinholeTesting
import Platform
import Synchronization
import Testing

@testable import Capture

@Suite("Finding a sensor")
struct SensorFinderTests {
    /// A source that finds what a test gives it.
    private final class ScriptedSource: SensorSource {
        let found = Mutex<[SensorModel]>([])
        let changed = Mutex<(@Sendable () -> Void)?>(nil)
        let failure: SensorError?
        let sensor: FakeSensor
        let version = "scripted 1"
        let absence = "no camera: look at the cable"

        init(_ sensor: FakeSensor = FakeSensor(), failure: SensorError? = nil) {
            (self.sensor, self.failure) = (sensor, failure)
        }

        func find() throws(SensorError) -> [SensorModel] {
            if let failure { throw failure }
            return found.withLock { $0 }
        }
        func open(_ model: SensorModel) throws(SensorError) -> any Sensor { sensor }
        func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
            self.changed.withLock { $0 = changed }
        }
    }

    @Test("without a sensor the error says why and adds the advice; a source's report of a change is passed on")
    func absence() async throws {
        let source = ScriptedSource()
        let finder = SensorFinder([source], advice: "to try it, give --sensor simulated")
        let reports = Recorder<Void>()
        finder.follow(on: try EventLoop()) { reports.add(()) }
        await #expect(throws: SensorError.missing("no camera: look at the cable; to try it, give --sensor simulated")) {
            _ = try await finder.connect()
        }
        source.found.withLock { $0 = [source.sensor.model] }
        let changed = try #require(source.changed.withLock { $0 })
        changed()
        #expect(reports.elements.count == 1)
        #expect(try await finder.connect() === source.sensor)
        #expect(finder.frameSize.width == source.sensor.model.width)
    }

    @Test("the first source with a sensor counts, whatever those before it lack or fail with")
    func order() async throws {
        let (empty, broken, found) = (ScriptedSource(), ScriptedSource(failure: .refused("broken")), ScriptedSource())
        found.found.withLock { $0 = [found.sensor.model] }
        #expect(try await SensorFinder([empty, broken, found]).connect() === found.sensor)
        await #expect(throws: SensorError.refused("broken")) { _ = try await SensorFinder([empty, broken]).connect() }
    }
}

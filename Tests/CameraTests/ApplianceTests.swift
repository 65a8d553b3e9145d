import Capture
import Configuration
import Console
import Foundation
import Imaging
import Panel
import Photos
import PinholeTesting
import Platform
import SimulatedSensor
import Synchronization
import Testing

@testable import Camera

/// A sensor that is there when a test says so, and then reports it.
final class AnnouncedSensor: SensorSource {
    private let sensor: SimulatedSensor
    private struct State {
        var isThere = false
        var changed: (@Sendable () -> Void)?
        var loop: EventLoop?
    }
    private let state = Mutex(State())
    /// One element for each look.
    let looks = Recorder<Bool>()

    let version = "announced"
    let absence = "no camera"

    init() {
        var options = SimulatedSensorOptions()
        (options.width, options.height, options.framesPerSecond) = (640, 480, 60)
        sensor = SimulatedSensor(options: options)
    }

    func find() -> [SensorModel] {
        let isThere = state.withLock { $0.isThere }
        looks.add(isThere)
        return isThere ? [sensor.model] : []
    }

    func open(_ model: SensorModel) -> any Sensor { sensor }

    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        state.withLock { ($0.changed, $0.loop) = (changed, loop) }
    }

    /// Reports a change, with the sensor there or not.
    func change(isThere: Bool) {
        let (changed, loop) = state.withLock { state in
            state.isThere = isThere
            return (state.changed, state.loop)
        }
        guard let loop, let changed else { return }
        if loop.isCurrent { changed() } else { loop.post(changed) }
    }
}

/// A sensor that counts how often the camera looks for it.
private struct CountingSource: SensorSource {
    let version = "counting"
    let absence = "no camera"
    let looks = Recorder<Void>()
    private let sensor: SimulatedSensor

    init(_ sensor: SimulatedSensor) {
        self.sensor = sensor
    }

    func find() -> [SensorModel] {
        looks.add(())
        return [sensor.model]
    }

    func open(_ model: SensorModel) -> any Sensor { sensor }

    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {}
}

/// A sensor whose start blocks when a test wants it to.
private final class SlowlyStarting: Sensor, SensorSource {
    let isHeld = Mutex(false)
    let go = Semaphore()
    let starts: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let sensor: SimulatedSensor

    init(_ sensor: SimulatedSensor) {
        self.sensor = sensor
        (starts, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    var model: SensorModel { sensor.model }
    let version = "slow"
    let absence = "no camera"
    func find() -> [SensorModel] { [sensor.model] }
    func open(_ model: SensorModel) -> any Sensor { self }
    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {}
    func configure(_ request: StreamConfiguration) throws(SensorError) -> StreamConfiguration {
        try sensor.configure(request)
    }
    func start(delivering sink: any FrameSink) throws(SensorError) {
        if isHeld.withLock({ $0 }) {
            continuation.yield()
            go.wait()
        }
        try sensor.start(delivering: sink)
    }
    func stop() async { await sensor.stop() }
    func setControls(_ controls: SensorControls) { sensor.setControls(controls) }
}

@Suite("The camera when its sensor fails", .timeLimit(.minutes(10)))
struct ApplianceTests {
    @Test("the light and an event report a stall, presses are refused meanwhile, and the camera recovers by itself")
    func stall() async throws {
        let camera = try await CameraInProcess()
        #expect((try? await camera.shoot().get()) != nil)
        camera.sensor.inject(.stall)
        let fault = try await camera.next(.fault)
        #expect(fault.text("code") == "camera-stalled")
        #expect(await camera.state == .fault)
        #expect(await camera.lightPattern == "camera-unavailable")
        guard case .failure(let refusal) = await camera.shoot() else {
            Issue.record("a photo without a sensor")
            return
        }
        #expect(refusal.exit == .unavailable)
        _ = try await camera.next(.recovered)
        // The stream runs; its first frame follows.
        #expect((try? await camera.shoot().get()) != nil)
        #expect(await camera.state != .fault)
        try await camera.end()
    }

    @Test("an unplugged sensor is tried again, and works when it is back")
    func unplugged() async throws {
        let looking = Mutex<CountingSource?>(nil)
        let camera = try await CameraInProcess { sensor in
            let source = CountingSource(sensor)
            looking.withLock { $0 = source }
            return source
        }
        let looks = try #require(looking.withLock { $0 }).looks
        camera.sensor.inject(.unplug)
        let fault = try await camera.next(.fault)
        #expect(fault.text("code") == "camera-missing")
        // At least one more try fails before the sensor is back.
        await looks.elements(looks.elements.count + 1)
        camera.sensor.inject(.replug)
        _ = try await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        #expect(camera.appliance.events.recent.count { $0.name == .fault } == 1, "one fault is reported once")
        try await camera.end()
    }

    @Test("a camera that appears is tried at once, and one that works is left alone")
    func appears() async throws {
        let sensor = AnnouncedSensor()
        let camera = try await CameraInProcess { _ in sensor }
        #expect(try await camera.next(.fault).text("code") == "camera-missing")
        sensor.change(isThere: true)
        _ = try await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        let looks = sensor.looks.elements.count
        await camera.loop.run { sensor.change(isThere: true) }
        await camera.appliance.run { _ in }
        #expect(sensor.looks.elements.count == looks)
        try await camera.end()
    }

    @Test("a stream that takes its time to start again is not taken for one that stalls")
    func slowRestart() async throws {
        let slow = Mutex<SlowlyStarting?>(nil)
        let camera = try await CameraInProcess { sensor in
            let starting = SlowlyStarting(sensor)
            slow.withLock { $0 = starting }
            return starting
        }
        let sensor = try #require(slow.withLock { $0 })
        #expect((try? await camera.shoot().get()) != nil)
        // As if it had run for long.
        await camera.appliance.run { $0.stream.recover(.started(at: $0.parts.time.now - .seconds(60))) }
        sensor.isHeld.withLock { $0 = true }
        camera.sensor.inject(.stall)
        for await _ in sensor.starts { break }
        await camera.appliance.run { $0.stream.lookForFrames() }
        sensor.go.signal()
        _ = try await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        #expect(camera.appliance.events.recent.count { $0.name == .fault } == 1)
        try await camera.end()
    }

    @Test("a command that comes when the camera has stopped is refused")
    func commandAfterStop() async throws {
        let camera = try await CameraInProcess()
        let appliance = camera.appliance
        #expect(try await appliance.runCommand { 1 } == 1)
        try await camera.end()
        await #expect(throws: CommandFailure.stopping) { try await appliance.runCommand { 1 } }
    }

    @Test("a press whose frame never comes fails visibly, and the next one works")
    func pressDuringStall() async throws {
        let camera = try await CameraInProcess()
        // Later than any frame that is on its way already.
        let result = await camera.shoot(in: .seconds(10)) { camera.sensor.inject(.stall) }
        #expect((try? result.get()) == nil)
        _ = try await camera.next(.failed)
        _ = try await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        try await camera.end()
    }

    @Test("on a card that stalls, photos are accepted within the memory allowed and then refused; all are saved later")
    func slowCard() async throws {
        var configuration = CameraConfiguration(schema: .doors())
        configuration.capture.backlogMebibytes = 8
        let files = FaultyFileOperations()
        let camera = try await CameraInProcess(configuration, files: files)
        #expect((try? await camera.shoot().get()) != nil)
        files.hold()
        let saved = Recorder<String>()
        var refusal: CommandFailure?
        var accepted = 0
        while refusal == nil {
            // A frame is free again as soon as it is encoded; only the memory for encoded photos fills up.
            await camera.until { $0.stream.output.captureReadiness != .notReadyWaitingForCapture }
            let shot = Shutter.Shot(
                moment: camera.appliance.parts.time.now,
                completion: { if case .success(let identifier) = $0 { saved.add(identifier) } })
            refusal = camera.appliance.takePhoto(shot)
            if refusal == nil { accepted += 1 }
            if refusal != nil, camera.appliance.stream.output.encodedByteCount < 7 << 20 {
                // Refused for want of frames.
                refusal = nil
                await camera.until { $0.stream.output.captureReadiness == .ready }
            }
        }
        #expect(refusal?.exit == .tryAgain && refusal?.retry == true)
        #expect(accepted > 10)
        #expect(camera.appliance.stream.output.encodedByteCount <= 8 << 20)
        #expect(saved.elements.isEmpty)
        files.letGo()
        await saved.elements(accepted)
        let listed = try await camera.appliance.library.fetchAssets().assets.map(\.localIdentifier)
        #expect(Array(listed.reversed().dropFirst()) == saved.elements)
        try await camera.end()
    }

    @Test("lost frames are passed over")
    func lostFrames() async throws {
        let camera = try await CameraInProcess()
        camera.sensor.inject(.loseFrames(3))
        #expect((try? await camera.shoot().get()) != nil)
        try await camera.end()
    }

    /// `bench/button-storm` asks for a longer one and reads the figures.
    @Test("a storm of 10 kHz on the button takes no photo, and the next press does")
    func storm() async throws {
        let camera = try await CameraInProcess()
        let appliance = camera.appliance
        let seconds = ProcessInfo.processInfo.environment["PINHOLE_STORM_SECONDS"].flatMap(Int.init) ?? 1
        var used = [await ButtonStorm.processorTime(of: camera.loop)]
        let calm = appliance.parts.time.now + .seconds(seconds)
        while appliance.parts.time.now < calm { try await Task.sleep(for: .milliseconds(20)) }
        used.append(await ButtonStorm.processorTime(of: camera.loop))
        await ButtonStorm.pass(over: appliance, loop: camera.loop, seconds: seconds)
        used.append(await ButtonStorm.processorTime(of: camera.loop))
        let percent = zip(used, used.dropFirst()).map { Double($1 - $0) / Double(seconds) / 10_000_000 }
        print(
            "button storm: \(seconds) s, event loop: \(String(format: "%.1f", percent[0])) % of one processor without,"
                + " \(String(format: "%.1f", percent[1])) % in a storm of 10 kHz")
        #expect(!appliance.events.recent.contains { $0.name == .pressed })
        // A press begins after rest only.
        await camera.until { $0.panel.isAtRest }
        appliance.panel.press(.shutter, hold: .milliseconds(80), bounce: .milliseconds(5)) { _ in }
        _ = try await camera.next(.saved)
        #expect(appliance.events.recent.count { $0.name == .pressed } == 1)
        try await camera.end()
    }
}

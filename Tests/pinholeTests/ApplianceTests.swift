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
@testable import pinhole

/// A sensor that is there when a test says so, and then tells of it.
final class AnnouncedSensors: SensorProvider {
    private let sensor: SimulatedSensor
    private struct State {
        var isThere = false
        var connects = 0
        var changed: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())

    init() {
        var options = SimulatedSensorOptions()
        (options.width, options.height, options.framesPerSecond) = (640, 480, 60)
        sensor = SimulatedSensor(options: options)
    }

    /// How often a sensor was asked for.
    var connects: Int { state.withLock { $0.connects } }

    var frameSize: PixelSize { PixelSize(width: 640, height: 480) }

    func connect() async throws(CommandFailure) -> any Sensor {
        let isThere = state.withLock { state in
            state.connects += 1
            return state.isThere
        }
        guard isThere else { throw CommandFailure(.cameraMissing, "no camera", retry: true) }
        return sensor
    }

    func follow(on loop: EventLoop, _ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.changed = changed }
    }

    /// Tells of a change, with the sensor there or not.
    func change(isThere: Bool) {
        let changed = state.withLock { state in
            state.isThere = isThere
            return state.changed
        }
        changed?()
    }
}

/// The camera in this process, so that its sensor can be made to fail.
final class CameraInProcess: Sendable {
    let appliance: Appliance
    let sensor: SimulatedSensor
    let loop: EventLoop
    private let folder: URL

    init(
        _ configuration: CameraConfiguration = CameraConfiguration(schema: .pinhole),
        files: any FileOperations = PosixFileOperations(),
        sensors: (SimulatedSensor) -> any SensorProvider = { SimulatedSensors($0) }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("pinhole-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var options = SimulatedSensorOptions()
        (options.width, options.height, options.framesPerSecond) = (640, 480, 60)
        options.stallLimit = .milliseconds(100)
        sensor = SimulatedSensor(options: options)
        loop = try EventLoop()
        try loop.start()
        let state = folder.appendingPathComponent("state").path
        let time = SystemTime(continuing: nil)
        let libraryEvents = Broadcast<LibraryEvent>(remembering: 100)
        let store = try await LibraryStore.open(
            library: state + "/library", state: state, files: files, time: time,
            policies: configuration.clientPolicies, photoReader: LibraryFileReader()
        ) { libraryEvents.send($0) }
        appliance = Appliance(
            Appliance.Parts(
                state: state, loop: loop, time: time, clockFile: ClockFile(state: state, files: files),
                systemClock: SystemClock(state: state), log: Log(time: time, level: .debug),
                settings: SettingsKeeper(base: configuration, configurationPath: nil, state: state, files: files) { _ in
                },
                store: store, libraryEvents: libraryEvents, sensors: sensors(sensor), boardName: "simulated",
                light: SimulatedLight(time: time)))
        await appliance.start()
    }

    func end() async throws {
        await appliance.stop()
        loop.stop()
        try FileManager.default.removeItem(at: folder)
    }

    /// Waits for an event after the ones remembered in `seen`.
    func next(_ name: EventName, after seen: Int = 0) async -> EventRecord {
        while true {
            let events = appliance.events.recent
            if let event = events.dropFirst(seen).first(where: { $0.name == name }) { return event }
            await Task.yield()
        }
    }

    /// Takes a photo and waits until it is durable or refused.
    ///
    /// - Parameters:
    ///   - delay: how long from now its moment is.
    ///   - body: is called when it is accepted or refused.
    func shoot(in delay: Duration = .zero, then body: () -> Void = {}) async -> Result<String, CommandFailure> {
        await withCheckedContinuation { continuation in
            appliance.takePhoto(
                Shutter.Shot(
                    moment: appliance.parts.time.now + delay, completion: { continuation.resume(returning: $0) }))
            body()
        }
    }
}

/// A sensor whose start blocks when a test wants it to.
private final class SlowlyStarting: Sensor, SensorProvider {
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
    var frameSize: PixelSize { SimulatedSensors(sensor).frameSize }
    func connect() async throws(CommandFailure) -> any Sensor { self }
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
    @Test("a stall is told by light and event, presses are refused meanwhile, and it comes back by itself")
    func stall() async throws {
        let camera = try await CameraInProcess()
        #expect((try? await camera.shoot().get()) != nil)
        camera.sensor.inject(.stall)
        let fault = await camera.next(.fault)
        #expect(fault.text("code") == "camera-stalled")
        #expect(camera.appliance.cameraState == .fault)
        while camera.appliance.panel.patternName != "camera-unavailable" { await Task.yield() }
        guard case .failure(let refusal) = await camera.shoot() else {
            Issue.record("a photo without a sensor")
            return
        }
        #expect(refusal.exit == .unavailable)
        _ = await camera.next(.recovered)
        // The stream runs; its first frame follows.
        #expect((try? await camera.shoot().get()) != nil)
        #expect(camera.appliance.cameraState != .fault)
        try await camera.end()
    }

    @Test("an unplugged sensor is tried again later and later, and works when it is back")
    func unplugged() async throws {
        let camera = try await CameraInProcess()
        camera.sensor.inject(.unplug)
        let fault = await camera.next(.fault)
        #expect(fault.text("code") == "camera-missing")
        // At least one more try fails before the sensor is back.
        while camera.appliance.state.withLock({ $0.restartDelay }) == Appliance.firstRestartDelay { await Task.yield() }
        camera.sensor.inject(.replug)
        _ = await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        #expect(camera.appliance.events.recent.count { $0.name == .fault } == 1, "one fault is told once")
        try await camera.end()
    }

    @Test("a camera that appears is tried at once, not when it would have been asked for again")
    func appears() async throws {
        let sensors = AnnouncedSensors()
        let camera = try await CameraInProcess { _ in sensors }
        let state = { camera.appliance.state.withLock { ($0.awaitedAttempt, $0.restartDelay) } }
        #expect(await camera.next(.fault).text("code") == "camera-missing")
        // The attempt after the next is in half a minute.
        camera.appliance.state.withLock { $0.restartDelay = Appliance.longestRestartDelay }
        while sensors.connects < 2 || state().0 == nil { await Task.yield() }
        var asked = sensors.connects
        sensors.change(isThere: false)
        #expect(state().0 == nil, "the attempt was taken")
        while state().0 == nil { await Task.yield() }
        #expect(sensors.connects == asked + 1)
        #expect(state().1 == Appliance.firstRestartDelay, "it may come a moment after its announcement")
        asked = sensors.connects
        sensors.change(isThere: true)
        _ = await camera.next(.recovered)
        #expect(sensors.connects == asked + 1, "the attempt that was planned is not made as well")
        #expect((try? await camera.shoot().get()) != nil)
        sensors.change(isThere: true)
        #expect(sensors.connects == asked + 1, "a camera that works is left alone")
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
        camera.appliance.state.withLock { $0.streamStart = camera.appliance.parts.time.now - .seconds(60) }
        sensor.isHeld.withLock { $0 = true }
        camera.sensor.inject(.stall)
        for await _ in sensor.starts { break }
        camera.appliance.watchFrames()
        sensor.go.signal()
        _ = await camera.next(.recovered)
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
        _ = await camera.next(.failed)
        _ = await camera.next(.recovered)
        #expect((try? await camera.shoot().get()) != nil)
        try await camera.end()
    }

    @Test("on a card that stalls, photos are accepted within the memory allowed and then refused; all are saved later")
    func slowCard() async throws {
        var configuration = CameraConfiguration(schema: .pinhole)
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
            while camera.appliance.output.captureReadiness == .notReadyWaitingForCapture { await Task.yield() }
            let shot = Shutter.Shot(
                moment: camera.appliance.parts.time.now,
                completion: { if case .success(let identifier) = $0 { saved.add(identifier) } })
            refusal = camera.appliance.takePhoto(shot)
            if refusal == nil { accepted += 1 }
            if refusal != nil, camera.appliance.output.encodedByteCount < 7 << 20 {
                refusal = nil
                await Task.yield()
            }
        }
        #expect(refusal?.exit == .tryAgain && refusal?.retry == true)
        #expect(accepted > 10)
        #expect(camera.appliance.output.encodedByteCount <= 8 << 20)
        #expect(saved.elements.isEmpty)
        files.letGo()
        while saved.elements.count < accepted { await Task.yield() }
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
        while !appliance.panel.isAtRest { await Task.yield() }
        appliance.panel.press(.shutter, hold: .milliseconds(80), bounce: .milliseconds(5)) { _ in }
        _ = await camera.next(.saved)
        #expect(appliance.events.recent.count { $0.name == .pressed } == 1)
        try await camera.end()
    }
}

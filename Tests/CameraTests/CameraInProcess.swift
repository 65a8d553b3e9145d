import Capture
import Configuration
import Console
import Foundation
import Imaging
import Offload
import Panel
import Photos
import PinholeTesting
import Platform
import SimulatedSensor
import Synchronization
import Testing

@testable import Camera

/// The camera in this process, so that its sensor can be made to fail.
final class CameraInProcess: Sendable {
    let appliance: Appliance
    let sensor: SimulatedSensor
    let loop: EventLoop
    /// Every event since the start.
    let events = Recorder<EventRecord>()
    private let folder: URL

    init(
        _ configuration: CameraConfiguration = CameraConfiguration(schema: .doors()),
        files: any FileOperations = PosixFileOperations(),
        source: (SimulatedSensor) -> any SensorSource = { SimulatedSource($0) }
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
        let sensors = SensorFinder([source(sensor)])
        _ = try? await sensors.connect()
        appliance = Appliance(
            Appliance.Parts(
                state: state, loop: loop, time: time, clockFile: ClockFile(state: state, files: files),
                systemClock: SystemClock(state: state), log: Log(time: time, level: .debug),
                settings: SettingsKeeper(base: configuration, configurationPath: nil, state: state, files: files) { _ in
                },
                store: store, libraryEvents: libraryEvents, sensors: sensors, boardName: "simulated",
                light: SimulatedLight(time: time)))
        _ = appliance.events.follow(replaying: true) { [events] in events.add($0) }
        await appliance.start()
    }

    /// What the camera offers doors whose consoles carry out no commands.
    func doorContext() -> DoorContext { appliance.doorContext(commands: NoCommands()) }

    func end() async throws {
        await appliance.stop()
        loop.stop()
        try FileManager.default.removeItem(at: folder)
    }

    /// Waits for an event after the ones remembered in `seen`.
    func next(_ name: EventName, after seen: Int = 0) async throws -> EventRecord {
        let all = await events.until { $0.dropFirst(seen).contains { $0.name == name } }
        return try #require(all.dropFirst(seen).first { $0.name == name })
    }

    /// Waits for a condition that the camera does not report, looked at on its event loop each millisecond.
    func until(_ condition: @escaping @Sendable (Appliance) -> Bool) async {
        await withCheckedContinuation { continuation in
            appliance.post { $0.resume(continuation, when: condition) }
        }
    }

    /// What the light shows once everything reported so far has reached it.
    var lightPattern: String? {
        get async { await appliance.run { $0.panel.patternName } }
    }

    /// What the camera says of itself.
    var state: CameraState? {
        get async { await appliance.run { $0.cameraState } }
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

/// Carries out nothing.
private final class NoCommands: CommandHandler {
    let grammar = CommandGrammar()
    func handle(_ command: Command, origin: CommandOrigin, reply: any ReplySink) { reply.finish(.done) }
    func consoleEnded() {}
}

extension Appliance {
    fileprivate func resume(
        _ continuation: CheckedContinuation<Void, Never>, when condition: @escaping @Sendable (Appliance) -> Bool
    ) {
        if condition(self) { return continuation.resume() }
        _ = parts.loop.schedule(at: parts.time.now + .milliseconds(1)) { [self] in resume(continuation, when: condition)
        }
    }
}

import Camera
import Capture
import Configuration
import Console
import GPIOPanel
import Glibc
import Imaging
import Offload
import Panel
import Photos
import Platform
import Synchronization

/// `pinhole run`: puts the camera together, keeps it going, and takes it apart again.
struct RunCommand: Sendable {
    let options: RunOptions
    let state: String
    /// True when the console shall show JSON.
    let json: Bool
    /// Requested once the camera accepts presses.
    private let started = End()

    /// How long stopping may take.
    private static let stopLimit = Duration.seconds(30)
    /// How often the date is kept for the next start.
    private static let clockInterval = Duration.seconds(600)
    /// How often it is looked whether everything is finished, once the console has ended.
    private static let restInterval = Duration.milliseconds(20)

    init(options: RunOptions, state: String, json: Bool) {
        self.options = options
        self.state = state
        self.json = json
    }

    /// Runs until a signal, or until the console on standard input has ended and everything is finished.
    ///
    /// - Parameter signals: made before any thread was started.
    /// - Returns: the exit status.
    /// - Throws: why the camera could not start; what had started is stopped then.
    func run(_ signals: Signals) async throws(CommandFailure) -> Int32 {
        let sensor = try SensorSelection(options.sensor)
        let path = options.configuration ?? Self.installedConfiguration
        let board = try Board.find(options.board, isSensorSimulated: sensor.isSimulated)
        var configured = CameraConfiguration(schema: .pinhole)
        for file in [board.path, path].compactMap(\.self) {
            configured = try ConfigurationCheck.load(file, over: configured)
        }
        let overrides = try overrides
        try ConfigurationCheck.check(configured.setting(overrides), source: "--set")
        var lifetime = Lifetime()
        do throws(CommandFailure) {
            try await runCamera(configured, overrides, board, path, sensor, signals, &lifetime)
        } catch {
            await lifetime.stop()
            throw error
        }
        await lifetime.stop()
        return ExitStatus.done.rawValue
    }

    /// The configuration of an installed camera, if there is one.
    private static var installedConfiguration: String? {
        access(ConfigurationCheck.installedPath, F_OK) == 0 ? ConfigurationCheck.installedPath : nil
    }

    /// The settings that the command line gives.
    private var overrides: [String: ConfigurationValue] {
        get throws(CommandFailure) {
            do throws(ConfigurationError) {
                return try ConfigurationSchema.pinhole.values(of: options.settings.map { ($0.key, $0.value) })
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// Starts one part after the other, and returns when the camera is to stop.
    private func runCamera(
        _ configured: CameraConfiguration, _ overrides: [String: ConfigurationValue], _ board: Board, _ path: String?,
        _ sensor: SensorSelection, _ signals: Signals, _ lifetime: inout Lifetime
    ) async throws(CommandFailure) {
        let base = configured.setting(overrides)
        let wiring = try PanelWiring(base)
        _ = SystemTime.setZone(base.clock.zone)
        let end = End()
        let loop = try await lifetime.start { () throws(CommandFailure) in
            try startLoop()
        } stop: {
            $0.stop()
        }
        // What a hang-up signal does: nothing until the camera is there.
        let hangUp = LoopConfined<@Sendable () -> Void>({}, to: loop)
        // From now on, so that a start that hangs can be ended.
        do throws(SystemError) { try deliver(signals, on: loop, end, hangUp) } catch { throw CommandFailure(error) }
        // Only when every photo is durable.
        lifetime.onStop { [state] in
            if end.wantsPowerOff { _ = await PowerSwitch(state: state).request() }
        }
        let files = PosixFileOperations()
        let clockFile = ClockFile(state: state, files: files)
        let time = SystemTime(continuing: clockFile.load())
        let log = Log(time: time, level: base.log.level)
        // Refused before the state folder is touched.
        let sensors = try sensor.finder(base, hasTerminal: options.console == .stdio && isatty(STDIN_FILENO) == 1)
        // The library keeps room for photos of its frames' size. A sensor that is missing is reported by the stream's start.
        _ = try? await sensors.connect()
        let libraryEvents = Broadcast<LibraryEvent>(remembering: 100)
        let store = try await lifetime.start { () throws(CommandFailure) in
            try await openLibrary(base, sensors.frameSize, files, time, libraryEvents)
        } stop: {
            await $0.close()
        }
        let settings = SettingsKeeper(
            base: configured, overrides: overrides, boardPath: board.path, configurationPath: path, state: state,
            files: files
        ) { log.write(.warning, $0) }
        let light = wiring.light.map { place in
            RetriedLight(loop: loop) { () throws(SystemError) in try place.open() }
        }
        lifetime.onStop { await light?.end() }
        let appliance = Appliance(
            Appliance.Parts(
                state: state, loop: loop, time: time, clockFile: clockFile,
                systemClock: SystemClock(state: state), log: log, settings: settings, store: store,
                libraryEvents: libraryEvents, sensors: sensors, boardName: board.name,
                light: light ?? SimulatedLight(time: time)
            ) {
                end.request(withPowerOff: true)
            })
        let commands = CommandService(
            appliance: appliance, doors: Lists.doors, grammar: .pinhole, standAlone: standAloneCommands(board)
        ) { stopAtRest(appliance, loop, end) }
        _ = try await lifetime.start { () throws(CommandFailure) in
            try listen(commands, loop, files)
        } stop: {
            await $0.stop()
        }
        // Stopped after the camera, so that it shows the photos that were in flight.
        let console = console(commands, loop)
        lifetime.onStop { console?.stop() }
        if options.console != .stdio { logToStandardError(log) }
        keepDate(appliance, loop)
        let buttons = board.isSimulated ? nil : appliance.connectBoard(wiring, light: light)
        lifetime.onStop { await buttons?.stop() }
        lifetime.onStop { await appliance.stop() }
        await appliance.start()
        await loop.run {
            hangUp.value = {
                reload(appliance)
                Task { for door in Lists.doors { await door.reload() } }
            }
        }
        try await openDoors(appliance.doorContext(commands: commands), overrides, &lifetime)
        // A client whose deletion waits for the owner must not be waited for.
        lifetime.onStop { store.setPresenter(nil) }
        let service = ServiceManager.fromEnvironment.map {
            ServiceKeeper(manager: $0, interval: ServiceManager.watchdogInterval, appliance: appliance)
        }
        service?.started()
        lifetime.onStop { service?.stopping() }
        if let console {
            // Only now, so that what was typed ahead, or comes from a file, finds the camera ready.
            try console.start()
            // Also what was reported before it was there, such as that there is no camera.
            _ = appliance.events.follow(replaying: true) { console.announce($0) }
        }
        if options.pressAtStart && board.isSimulated && !end.isRequested {
            appliance.panel.press(.shutter, hold: .milliseconds(80), bounce: .zero) { _ in }
        }
        started.request()
        await end.requested()
        // Whatever hangs, a driver or a disk, the process ends.
        _ = loop.schedule(at: .now() + Self.stopLimit) {
            let sentence =
                "pinhole: internal: the camera did not stop within \(Self.stopLimit); its process was ended\n"
            _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(ExitStatus.internal.rawValue)
        }
    }

    // MARK: Parts

    private func startLoop() throws(CommandFailure) -> EventLoop {
        do throws(SystemError) {
            let loop = try EventLoop()
            try loop.start()
            return loop
        } catch {
            throw CommandFailure(error)
        }
    }

    private func deliver(
        _ signals: Signals, on loop: EventLoop, _ end: End, _ hangUp: LoopConfined<@Sendable () -> Void>
    ) throws(SystemError) {
        try signals.deliver(on: loop) { signal in
            if signal == SIGHUP { return hangUp.value() }
            if end.isRequested, !started.isRequested { _exit(ExitStatus.tryAgain.rawValue) }
            end.request()
        }
    }

    private func openLibrary(
        _ base: CameraConfiguration, _ frameSize: PixelSize, _ files: any FileOperations, _ time: SystemTime,
        _ events: Broadcast<LibraryEvent>
    ) async throws(CommandFailure) -> LibraryStore {
        var settings = LibrarySettings()
        settings.filesPerDirectory = base.library.filesPerDirectory
        settings.reservedBytes = Int64(base.library.reserveMebibytes) << 20
        settings.largestPhotoBytes = Appliance.largestPhoto(frameSize)
        settings.trashDays = base.library.trashDays
        do throws(LibraryError) {
            return try await LibraryStore.open(
                library: state + "/library", state: state, files: files, time: time, settings: settings,
                policies: base.clientPolicies, photoReader: LibraryFileReader()
            ) { events.send($0) }
        } catch {
            throw CommandFailure(error)
        }
    }

    private func listen(
        _ service: CommandService, _ loop: EventLoop, _ files: any FileOperations
    ) throws(CommandFailure) -> ControlServer {
        let directory = state + "/run"
        do throws(SystemError) {
            if try files.metadata(directory) == nil { try files.createDirectory(directory) }
        } catch {
            throw CommandFailure(error)
        }
        return try ControlServer(path: try ControlSocket.path(state: state), loop: loop, handler: service)
    }

    /// The console that was asked for, not started yet.
    private func console(_ service: CommandService, _ loop: EventLoop) -> TerminalConsole? {
        let place: TerminalConsole.Place
        switch options.console ?? .none {
        case .none: return nil
        case .stdio: place = .stdio
        case .terminal(let path): place = .terminal(path: path)
        }
        return TerminalConsole(place, loop: loop, handler: service, json: json)
    }

    private func standAloneCommands(_ board: Board) -> StandAloneCommands {
        StandAloneCommands(
            doctor: { [state] in
                Doctor.findings(state: state, running: Doctor.Running(board: board.name, configuration: $0))
            }, check: { (file) throws(CommandFailure) in try ConfigurationCheck.check(file) })
    }

    /// Opens the doors. If one cannot be opened, the camera works without it, unless this command line requested it.
    private func openDoors(
        _ context: DoorContext, _ overrides: [String: ConfigurationValue], _ lifetime: inout Lifetime
    ) async throws(CommandFailure) {
        for door in Lists.doors {
            do throws(CommandFailure) {
                try await lifetime.start { () throws(CommandFailure) in
                    try await door.start(context)
                } stop: {
                    await door.stop()
                }
            } catch {
                if door.keys.contains(where: { overrides[$0.path] != nil }) { throw error }
                context.log.write(.warning, error.message)
            }
        }
    }

    private func logToStandardError(_ log: Log) {
        let format = JournalFormat.ofStandardError
        _ = log.lines.follow(replaying: true) { line in
            let bytes = Array(format.text(line).utf8)
            _ = write(STDERR_FILENO, bytes, bytes.count)
        }
    }

    // MARK: While it runs

    /// The console on standard input has ended: stop when everything that was begun is finished.
    private func stopAtRest(_ appliance: Appliance, _ loop: EventLoop, _ end: End) {
        Task {
            await started.requested()
            loop.post { checkRest(appliance, loop, end) }
        }
    }

    private func checkRest(_ appliance: Appliance, _ loop: EventLoop, _ end: End) {
        if appliance.isAtRest { return end.request() }
        _ = loop.schedule(at: .now() + Self.restInterval) { checkRest(appliance, loop, end) }
    }

    private func keepDate(_ appliance: Appliance, _ loop: EventLoop) {
        _ = loop.schedule(at: .now() + Self.clockInterval) {
            let parts = appliance.parts
            appliance.commands.submit { parts.clockFile.save(parts.time.record, log: parts.log) }
            keepDate(appliance, loop)
        }
    }

    private func reload(_ appliance: Appliance) {
        appliance.commands.submit {
            do throws(CommandFailure) {
                let needsRestart = try appliance.parts.settings.reload()
                appliance.applySettings()
                let message = needsRestart ? "reloaded; some changes need a restart" : "reloaded"
                appliance.send(.configuration, ["message": .string(message)])
                appliance.panel.report(.faultEnded(.configurationRefused))
            } catch {
                appliance.panel.report(.faultBegan(.configurationRefused))
                appliance.send(.configuration, error)
            }
        }
    }

    /// Resumed once, when the camera shall stop.
    private final class End: Sendable {
        private let continuation: AsyncStream<Void>.Continuation
        private let stream: AsyncStream<Void>
        private let isRequestedFlag = Atomic(false)
        private let wantsPowerOffFlag = Atomic(false)

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        }

        /// - Parameter withPowerOff: true when the board is to be powered off afterwards.
        func request(withPowerOff: Bool = false) {
            if withPowerOff { wantsPowerOffFlag.store(true, ordering: .sequentiallyConsistent) }
            isRequestedFlag.store(true, ordering: .sequentiallyConsistent)
            continuation.finish()
        }

        var isRequested: Bool { isRequestedFlag.load(ordering: .sequentiallyConsistent) }

        var wantsPowerOff: Bool { wantsPowerOffFlag.load(ordering: .sequentiallyConsistent) }

        func requested() async {
            for await _ in stream {}
        }
    }
}

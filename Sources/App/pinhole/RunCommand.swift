import Camera
import Capture
import Configuration
import Console
import GPIOPanel
import Glibc
import Imaging
import Panel
import Photos
import Platform
import SimulatedSensor
import Synchronization

/// `pinhole run`: puts the camera together, keeps it going, and takes it apart again.
struct RunCommand: Sendable {
    let options: RunOptions
    let state: String
    /// True when the console shall show JSON.
    let json: Bool
    /// Requested once the camera takes presses.
    private let started = End()
    private let hangUp = HangUp()

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
    /// - Throws: why the camera could not start; nothing was changed then.
    func run(_ signals: Signals) async throws(CommandFailure) -> Int32 {
        let path = options.configuration ?? Self.installedConfiguration
        let board = try Board.find(options.board, isSensorSimulated: isSensorSimulated)
        var configured = CameraConfiguration(schema: .pinhole)
        for file in [board.path, path].compactMap(\.self) {
            configured = try ConfigurationCheck.load(file, over: configured)
        }
        let overrides = try overrides
        try ConfigurationCheck.check(configured.setting(overrides), source: "--set")
        let loop: EventLoop
        let end = End()
        do throws(SystemError) {
            loop = try EventLoop()
            try loop.start()
            // From now on, so that a start that hangs can be ended.
            try signals.deliver(on: loop) { signal in
                if signal == SIGHUP { return hangUp.act() }
                if end.isRequested, !started.isRequested { _exit(ExitStatus.tryAgain.rawValue) }
                end.request()
            }
        } catch {
            throw CommandFailure(error)
        }
        defer { loop.stop() }
        return try await runCamera(configured, overrides, board, path, loop, end)
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

    private func runCamera(
        _ configured: CameraConfiguration, _ overrides: [String: ConfigurationValue], _ board: Board, _ path: String?,
        _ loop: EventLoop, _ end: End
    ) async throws(CommandFailure) -> Int32 {
        let base = configured.setting(overrides)
        let wiring = try PanelWiring(base)
        _ = SystemTime.setZone(base.clock.zone)
        let files = PosixFileOperations()
        let clockFile = ClockFile(state: state, files: files)
        let time = SystemTime(continuing: clockFile.load())
        let log = Log(time: time, level: base.log.level)
        // Refused before the state folder is touched.
        let sensors = try await makeSensors(base)
        let libraryEvents = Broadcast<LibraryEvent>(remembering: 100)
        let store = try await openLibrary(base, sensors.frameSize, files, time, libraryEvents)
        let settings = SettingsKeeper(
            base: configured, overrides: overrides, boardPath: board.path, configurationPath: path, state: state,
            files: files
        ) { log.write(.warning, $0) }
        let retriedLight = wiring.light.map { place in
            RetriedLight(loop: loop) { () throws(SystemError) in try place.open() }
        }
        let wantsPowerOff = Mutex(false)
        let appliance = Appliance(
            Appliance.Parts(
                state: state, loop: loop, time: time, clockFile: clockFile,
                systemClock: SystemClock(state: state), log: log, settings: settings, store: store,
                libraryEvents: libraryEvents, sensors: sensors, boardName: board.name,
                light: retriedLight ?? SimulatedLight(time: time)
            ) {
                wantsPowerOff.withLock { $0 = true }
                end.request()
            })
        let commands = CommandService(
            appliance: appliance,
            standAlone: StandAloneCommands(
                doctor: { [state, name = board.name] in
                    Doctor.findings(state: state, running: Doctor.Running(board: name, configuration: $0))
                },
                check: { (file) throws(CommandFailure) in try ConfigurationCheck.check(file) })
        ) { stopAtRest(appliance, loop, end) }
        let server: ControlServer
        do throws(CommandFailure) {
            server = try listen(commands, loop, files)
        } catch {
            await store.close()
            throw error
        }
        hangUp.set {
            reload(appliance)
            Task { await appliance.usbPort?.retry() }
        }
        if options.console != .stdio { logToStandardError(log) }
        keepDate(appliance, loop)
        let buttons = board.isSimulated ? nil : appliance.connectBoard(wiring, light: retriedLight)
        await appliance.start()
        let sessions = appliance.clientSessions()
        let usb = USBPort(sessions: sessions, appliance: appliance, commands: commands)
        let network: NetworkPort?
        do throws(CommandFailure) {
            network = try base.ptpipAddress.map { (address) throws(CommandFailure) in
                try NetworkPort(address, sessions: sessions, appliance: appliance)
            }
        } catch {
            if overrides[ConfigurationKey.ptpipAddress.path] != nil {
                await appliance.stop()
                buttons?.stop()
                server.stop()
                throw error
            }
            // A network that is not there, or not yet, keeps nobody from photos.
            log.write(.warning, "the network: \(error.message)")
            network = nil
        }
        appliance.open(usb, network)
        await usb.start(as: USBMode(configured: base))
        _ = appliance.events.follow { [weak usb] in usb?.announce($0) }
        let service = ServiceManager.fromEnvironment.map {
            ServiceKeeper(manager: $0, interval: ServiceManager.watchdogInterval, appliance: appliance)
        }
        service?.started()
        // Only now, so that what was typed ahead, or comes from a file, finds the camera ready.
        let console = try await openConsole(commands, loop, appliance)
        if options.pressAtStart && board.isSimulated && !end.isRequested {
            appliance.panel.press(.shutter, hold: .milliseconds(80), bounce: .zero) { _ in }
        }
        started.request()
        await end.requested()
        service?.stopping()
        // Whatever hangs, a driver or a disk, the process ends.
        _ = loop.schedule(at: .now() + Self.stopLimit) {
            let sentence = "pinhole: internal: the camera did not stop within \(Self.stopLimit); it was ended\n"
            _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(ExitStatus.internal.rawValue)
        }
        // A computer whose deletion waits for the owner must not be waited for.
        appliance.parts.store.setPresenter(nil)
        await usb.stop()
        await network?.stop()
        await appliance.stop()
        buttons?.stop()
        server.stop()
        console?.stop()
        await retriedLight?.end()
        // Only now that every photo is durable.
        if wantsPowerOff.withLock({ $0 }) { _ = await PowerSwitch(state: state).request() }
        return ExitStatus.done.rawValue
    }

    // MARK: Parts

    private var isSensorSimulated: Bool {
        options.sensor.name == "simulated"
    }

    private func makeSensors(_ base: CameraConfiguration) async throws(CommandFailure) -> any SensorProvider {
        guard !isSensorSimulated else { return SimulatedSensors(try makeSensor(base)) }
        let sensors = HardwareSensors(
            driver: LibcameraDriver(), hasTerminal: options.console == .stdio && isatty(STDIN_FILENO) == 1)
        // For the size of its frames, which the library keeps room for. Whoever starts the stream says what is missing.
        _ = try? await sensors.connect()
        return sensors
    }

    private func makeSensor(_ base: CameraConfiguration) throws(CommandFailure) -> SimulatedSensor {
        var simulated = SimulatedSensorOptions()
        simulated.width = base.simulator.width
        simulated.height = base.simulator.height
        simulated.framesPerSecond = base.simulator.framesPerSecond
        simulated.format = base.simulator.format == .nv12 ? .nv12 : .yuv420
        if !base.simulator.frameLog.isEmpty { simulated.frameLog = base.simulator.frameLog }
        if let directory = options.sensor.argument {
            do throws(ReplayError) {
                try ReplayFolder.check(path: directory)
            } catch {
                throw CommandFailure(.cameraMissing, error.sentence)
            }
            simulated.photographs = directory
        }
        return SimulatedSensor(options: simulated)
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

    private func openConsole(
        _ service: CommandService, _ loop: EventLoop, _ appliance: Appliance
    ) async throws(CommandFailure) -> TerminalConsole? {
        let place: TerminalConsole.Place
        switch options.console ?? .none {
        case .none: return nil
        case .stdio: place = .stdio
        case .terminal(let path): place = .terminal(path: path)
        }
        let console = TerminalConsole(place, loop: loop, handler: service, json: json)
        do throws(CommandFailure) {
            try console.start()
        } catch {
            await appliance.stop()
            throw error
        }
        // Also what was said before it was there, such as that there is no camera.
        _ = appliance.events.follow(replaying: true) { console.announce($0) }
        return console
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
            checkRest(appliance, loop, end)
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
                let message = needsRestart ? "read again; some of it needs a restart" : "read again"
                appliance.send(.configuration, ["message": .string(message)])
                appliance.panel.report(.faultEnded(.configurationRefused))
            } catch {
                appliance.panel.report(.faultBegan(.configurationRefused))
                appliance.send(.configuration, error)
            }
        }
    }

    /// What a hang-up signal does: nothing until the camera is there.
    private final class HangUp: Sendable {
        private let action = Mutex<(@Sendable () -> Void)?>(nil)

        func set(_ action: @escaping @Sendable () -> Void) {
            self.action.withLock { $0 = action }
        }

        func act() {
            action.withLock { $0 }?()
        }
    }

    /// Resumed once, when the camera shall stop.
    private final class End: Sendable {
        private let continuation: AsyncStream<Void>.Continuation
        private let stream: AsyncStream<Void>
        private let isRequestedState = Mutex(false)

        init() {
            (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        }

        func request() {
            isRequestedState.withLock { $0 = true }
            continuation.finish()
        }

        var isRequested: Bool { isRequestedState.withLock { $0 } }

        func requested() async {
            for await _ in stream {}
        }
    }
}

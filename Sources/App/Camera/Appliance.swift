import Capture
import Configuration
import Console
import Imaging
import Panel
import Photos
import Platform
import Synchronization

/// The camera: joins sensor, library, panel, settings and clock, and tells the world what happens.
///
/// - Isolation: any thread. What blocks runs on the command thread.
package final class Appliance: Sendable {
    /// What the appliance is made of.
    package struct Parts: Sendable {
        /// The state folder.
        package let state: String
        package let loop: EventLoop
        package let time: SystemTime
        package let clockFile: ClockFile
        package let systemClock: SystemClock
        package let log: Log
        package let settings: SettingsKeeper
        package let store: LibraryStore
        package let libraryEvents: Broadcast<LibraryEvent>
        package let sensors: any SensorProvider
        package let boardName: String
        package let light: any Light
        /// What a hold of the button that shuts the camera down does.
        package var shutDown: @Sendable () -> Void = {}

        /// Parts.
        package init(
            state: String, loop: EventLoop, time: SystemTime, clockFile: ClockFile, systemClock: SystemClock, log: Log,
            settings: SettingsKeeper, store: LibraryStore, libraryEvents: Broadcast<LibraryEvent>,
            sensors: any SensorProvider, boardName: String, light: any Light,
            shutDown: @escaping @Sendable () -> Void = {}
        ) {
            self.state = state
            self.loop = loop
            self.time = time
            self.clockFile = clockFile
            self.systemClock = systemClock
            self.log = log
            self.settings = settings
            self.store = store
            self.libraryEvents = libraryEvents
            self.sensors = sensors
            self.boardName = boardName
            self.light = light
            self.shutDown = shutDown
        }
    }

    struct State {
        var isReady = false
        var isStopping = false
        var hasToldReady = false
        /// Why there are no frames; nil while the stream runs.
        var sensorFailure: CommandFailure?
        var libraryFault: StatusLight.Fault?
        /// Buttons whose lines cannot be read.
        var missingButtons: Set<ButtonLine> = []
        var isClockTrusted = true
        var restartDelay = Appliance.firstRestartDelay
        /// Attempts to start the stream that were planned, and the one that is waited for; nil while none is.
        var attempts = 0
        var awaitedAttempt: Int?
        /// When the stream was started; nil while it is stopped or starts.
        var streamStart: MonotonicTime?
        var device: CaptureDevice?
        var input: CaptureDeviceInput?
        /// Frames claimed at first edges that are not decided yet.
        var reservations: [MonotonicTime: FrameReservation] = [:]
        var burst: Burst?
        /// The newest photo of a press that was saved.
        var pressed: (moment: MonotonicTime, identifier: String)?
        /// Presses that no photo was taken of, since the start.
        var pressesRefused = 0
        /// `shoot` commands waiting for their timer.
        var timers = 0
    }

    static let firstRestartDelay = Duration.milliseconds(500)
    static let longestRestartDelay = Duration.seconds(30)
    /// How long no frame may come; longer for slow streams.
    static let frameLimit = Duration.seconds(3)
    /// How long stopping waits for what is in flight.
    static let finishLimit = Duration.seconds(5)

    package let parts: Parts
    package let events = Broadcast<EventRecord>(remembering: 1000)
    let session: CaptureSession
    let output: CapturePhotoOutput
    /// Commands that block: settings, the clock file, checks.
    package let commands = WorkerThread(name: "commands")
    let state = Mutex(State())
    private let bridges = Mutex<Bridges?>(nil)

    /// What needs the appliance itself to be made.
    private struct Bridges {
        let panel: PanelDriver
        let shutter: Shutter
        let prompts: PromptDisplay
    }

    /// Where computers come in.
    private struct Ports {
        var usb: USBPort?
        var network: NetworkPort?
    }

    private let ports = Mutex(Ports())

    /// Joins the parts; nothing runs yet.
    package init(_ parts: Parts) {
        self.parts = parts
        let configuration = parts.settings.configuration
        output = CapturePhotoOutput(
            environment: .init(
                time: parts.time, encoderThreads: max(1, Machine.processorCount),
                encodedLimit: configuration.capture.backlogMebibytes << 20, quality: configuration.photo.quality,
                metadata: configuration.photoMetadata(at: parts.time.wallTime(at: parts.time.now))))
        session = CaptureSession(
            request: .init(
                format: configuration.simulator.format == .nv12 ? .nv12 : .yuv420,
                bufferCount: configuration.capture.bufferCount(installedMemory: Machine.memory)))
        let panel = PanelDriver(
            loop: parts.loop, time: parts.time, timing: configuration.button.timing, light: parts.light
        ) { [weak self] in self?.perform($0) }
        let shutter = Shutter(
            output: output, store: parts.store,
            largestPhoto: { [sensors = parts.sensors] in Self.largestPhoto(sensors.frameSize) }
        ) {
            [weak self] in self?.shutterDid($0)
        }
        let prompts = PromptDisplay(
            loop: parts.loop, library: parts.store, panel: panel,
            didShow: { [weak self] in self?.didShow($0) }, didHide: { [weak self] in self?.didHide($0, $1) })
        bridges.withLock { $0 = Bridges(panel: panel, shutter: shutter, prompts: prompts) }
    }

    package var panel: PanelDriver { bridges.withLock { $0!.panel } }
    var shutter: Shutter { bridges.withLock { $0!.shutter } }
    /// The USB port; nil until the camera has started.
    package var usbPort: USBPort? { ports.withLock { $0.usb } }
    /// Where PTP/IP is spoken; nil for nowhere.
    var networkPort: NetworkPort? { ports.withLock { $0.network } }
    var prompts: PromptDisplay { bridges.withLock { $0!.prompts } }

    /// The library as the owner sees it.
    var library: PhotoLibrary { PhotoLibrary(store: parts.store, client: .console) }

    /// Starts the stream. Returns when the camera takes presses, or when it is certain that there are no frames yet;
    /// then it goes on trying by itself.
    package func start() async {
        parts.store.setPresenter(prompts)
        _ = parts.libraryEvents.follow(replaying: true) { [weak self] in self?.libraryDid($0) }
        session.setEventHandler { [weak self] in self?.sessionDid($0) }
        parts.sensors.follow(on: parts.loop) { [weak self] in self?.camerasDidChange() }
        libraryStateDid(parts.store.state)
        checkClock()
        watchFrames()
        session.addOutput(output)
        await startStream()
        state.withLock { $0.isReady = true }
        panel.report(.ready)
        tellReady()
    }

    /// Says once that presses are taken: when the start is over and frames come.
    func tellReady() {
        let isDue = state.withLock { state in
            guard state.isReady, state.sensorFailure == nil, !state.hasToldReady else { return false }
            state.hasToldReady = true
            return true
        }
        if isDue { send(.ready) }
    }

    /// Finishes what is in flight and ends everything but the event loop.
    package func stop() async {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        send(.stopping)
        endBurst(at: parts.time.now)
        // A press whose edge was taken becomes a photo, if the sensor still delivers.
        await wait { state.withLock { $0.reservations.isEmpty } }
        shutter.close()
        await wait { shutter.inFlight == 0 }
        state.withLock { $0.reservations = [:] }
        try? await session.stopRunning()
        await output.close()
        await withCheckedContinuation { continuation in shutter.whenIdle { continuation.resume() } }
        parts.store.setPresenter(nil)
        await parts.store.close()
        let record = parts.time.record
        await commands.run { [parts] in parts.clockFile.save(record, log: parts.log) }
        await commands.stop()
    }

    /// Runs a command's blocking work on the command thread, which may have ended already: sockets and consoles bring
    /// commands until everything else has stopped.
    func runCommand<Success: Sendable>(
        _ work: @escaping @Sendable () throws(CommandFailure) -> Success
    ) async throws(CommandFailure) -> Success {
        guard let success = try await commands.runUnlessStopped(work) else { throw .stopping }
        return success
    }

    /// Bytes that the largest photo of a sensor takes: noise at the highest quality, with room to spare.
    package static func largestPhoto(_ size: PixelSize) -> Int64 { Int64(size.width * size.height * 3 / 2) + (1 << 17) }

    /// Lets computers in from now on.
    package func open(_ usb: USBPort, _ network: NetworkPort?) {
        ports.withLock { $0 = Ports(usb: usb, network: network) }
    }

    /// Waits for a condition while the stream runs, within a limit.
    private func wait(until condition: () -> Bool) async {
        let end = parts.time.now + Self.finishLimit
        while !condition(), session.isRunning, parts.time.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// True while nothing is under way that a person waits for.
    package var isAtRest: Bool {
        state.withLock { $0.burst == nil && $0.timers == 0 } && panel.isAtRest && shutter.inFlight == 0
    }

    /// Tells everybody who follows.
    package func send(_ name: EventName, _ fields: [String: FieldValue] = [:]) {
        events.send(EventRecord(name, time: rfc3339Now, fields: fields))
    }

    /// Tells everybody who follows of a failure, and writes it to the log.
    package func send(_ name: EventName, _ failure: CommandFailure, _ fields: [String: FieldValue] = [:]) {
        var event = EventRecord.failure(name, failure, time: rfc3339Now)
        event.fields.merge(fields) { own, _ in own }
        events.send(event)
        parts.log.write(.warning, "\(name.rawValue): \(failure.message)")
    }

    var rfc3339Now: String { parts.time.wallTime(at: parts.time.now).rfc3339 }

    /// What `status` and the light call the camera's state.
    var cameraState: CameraState {
        let (isReady, isStopping, sensorFailure) = state.withLock { ($0.isReady, $0.isStopping, $0.sensorFailure) }
        if isStopping { return .stopping }
        if !isReady { return .starting }
        switch parts.store.state {
        case .full, .readOnly: return .full
        case .offline, .numberingExhausted: return .fault
        case .ready, .nearlyFull: break
        }
        if sensorFailure != nil { return .fault }
        return shutter.inFlight > 0 ? .saving : .ready
    }

    /// Name of the sensor whose stream runs; nil while none does.
    var sensorName: String? { session.isRunning ? state.withLock { $0.device?.localizedName } : nil }

    // MARK: The clock

    /// Says when the clock's trust changes, and keeps the date for the next start. Calls itself again.
    private func checkClock() {
        let isTrusted = parts.time.wallTime(at: parts.time.now).isTrusted
        let changed = state.withLock { state in
            defer { state.isClockTrusted = isTrusted }
            return state.isClockTrusted != isTrusted
        }
        if changed {
            panel.report(.clockTrusted(isTrusted))
            send(.clock, ["trusted": .bool(isTrusted)])
        }
        _ = parts.loop.schedule(at: parts.time.now + .seconds(5)) { [weak self] in self?.checkClock() }
    }

    /// A person sets the date.
    ///
    /// - Returns: true when the system's date was set, false when an offset of the camera's own is kept.
    /// - Blocking: until it is known which, for some seconds at most.
    func setClock(unixNanoseconds: Int64) -> Bool {
        let isSystemSet = parts.time.set(unixNanoseconds: unixNanoseconds) {
            parts.systemClock.set(unixNanoseconds: unixNanoseconds)
        }
        parts.clockFile.save(parts.time.record, log: parts.log)
        state.withLock { $0.isClockTrusted = true }
        panel.report(.clockTrusted(true))
        send(.clock, ["trusted": .bool(true)])
        return isSystemSet
    }

    // MARK: Prompts

    private func didShow(_ question: AccessQuestion) {
        let seconds = Int(question.subject.limit.wholeNanoseconds / 1_000_000_000)
        let hold = Int(parts.settings.configuration.button.consentHold.wholeNanoseconds / 1_000_000)
        switch question.subject {
        case .access(let access):
            events.send(
                .prompt(
                    client: question.client, level: access.word, purpose: question.purpose, seconds: seconds,
                    holdMilliseconds: hold, time: rfc3339Now))
        case .deletion(let count):
            events.send(
                .prompt(
                    client: question.client, deleting: count, purpose: question.purpose, seconds: seconds,
                    holdMilliseconds: hold, time: rfc3339Now))
        }
    }

    private func didHide(_ question: AccessQuestion, _ outcome: PromptOutcome) {
        events.send(.promptEnded(client: question.client, answer: outcome.word, time: rfc3339Now))
    }

    // MARK: Settings

    /// Brings what runs into line with the settings.
    package func applySettings() {
        let configuration = parts.settings.configuration
        _ = SystemTime.setZone(configuration.clock.zone)
        parts.log.setLevel(configuration.log.level)
        output.setDefaults(
            quality: configuration.photo.quality,
            metadata: configuration.photoMetadata(at: parts.time.wallTime(at: parts.time.now)))
        state.withLock { $0.device }?.setControls(configuration.sensorControls)
        parts.store.setPolicies(configuration.clientPolicies)
    }
}

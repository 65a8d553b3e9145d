import Capture
import Configuration
import Console
import Imaging
import Panel
import Photos
import Platform
import Synchronization

/// The camera: joins sensor, library, panel, settings and clock, and reports what happens.
///
/// - Isolation: any thread. What blocks runs on the command thread.
package final class Appliance: Sendable {
    /// What the appliance is made of.
    package struct Parts: Sendable {
        /// The path of the state folder, which holds the library, the settings and the clock file.
        package let state: String
        package let loop: EventLoop
        package let time: SystemTime
        package let clockFile: ClockFile
        package let systemClock: SystemClock
        package let log: Log
        package let settings: SettingsKeeper
        package let store: LibraryStore
        package let libraryEvents: Broadcast<LibraryEvent>
        package let sensors: SensorFinder
        package let boardName: String
        package let light: any Light
        /// What a hold of the button that shuts the camera down does.
        package var shutDown: @Sendable () -> Void = {}

        /// Parts of one camera; without `shutDown`, a hold that shuts the camera down is only logged.
        package init(
            state: String, loop: EventLoop, time: SystemTime, clockFile: ClockFile, systemClock: SystemClock, log: Log,
            settings: SettingsKeeper, store: LibraryStore, libraryEvents: Broadcast<LibraryEvent>,
            sensors: SensorFinder, boardName: String, light: any Light,
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

    /// What the parts of the appliance know. It belongs to the event loop.
    struct State {
        var libraryFault: StatusLight.Fault?
        /// Buttons whose lines cannot be read.
        var missingButtons: Set<ButtonLine> = []
        /// `shoot` commands that wait for their timer.
        var timers = 0
        fileprivate var progress = Progress()
    }

    /// How far the camera is between its start and its end.
    fileprivate struct Progress {
        var isReady = false
        var isStopping = false
        var hasReportedReady = false
        var isClockTrusted = true
    }

    /// How long stopping waits for what is in flight.
    static let finishLimit = Duration.seconds(5)

    package let parts: Parts
    package let events = Broadcast<EventRecord>(remembering: 1000)
    let stream: CameraStream
    package let panel: PanelDriver
    let shutter: Shutter
    let button: ShutterButton
    let prompts: PromptDisplay
    /// Commands that block: settings, the clock file, checks.
    package let commands = WorkerThread(name: "commands")
    private let confined: LoopConfined<State>

    /// What the parts of the appliance know.
    ///
    /// - Isolation: the event loop.
    var state: State {
        get { confined.value }
        _modify { yield &confined.value }
    }

    /// Joins the parts; nothing runs yet.
    package init(_ parts: Parts) {
        self.parts = parts
        confined = LoopConfined(State(), to: parts.loop)
        let configuration = parts.settings.configuration
        let output = CapturePhotoOutput(
            environment: .init(
                time: parts.time, encoderThreads: max(1, Machine.processorCount),
                encodedLimit: configuration.capture.backlogMebibytes << 20, quality: configuration.photo.quality,
                metadata: configuration.photoMetadata(at: parts.time.wallTime(at: parts.time.now))))
        stream = CameraStream(
            session: CaptureSession(
                request: .init(bufferCount: configuration.capture.bufferCount(installedMemory: Machine.memory))),
            output: output, sensors: parts.sensors, loop: parts.loop, time: parts.time, log: parts.log,
            controls: { [settings = parts.settings] in settings.configuration.sensorControls })
        panel = PanelDriver(
            loop: parts.loop, time: parts.time, timing: configuration.button.timing, light: parts.light)
        shutter = Shutter(
            output: output, store: parts.store,
            largestPhoto: { [sensors = parts.sensors] in Self.largestPhoto(sensors.frameSize) })
        button = ShutterButton(
            loop: parts.loop, time: parts.time, log: parts.log, output: output, shutter: shutter,
            library: PhotoLibrary(store: parts.store, client: .console),
            embedsThumbnail: { [settings = parts.settings] in settings.configuration.photo.hasThumbnail })
        prompts = PromptDisplay(
            loop: parts.loop, library: parts.store, panel: panel,
            consoleClients: Set(configuration.schema.clients.filter(\.isConsole).map(\.name)))
    }

    /// The library as the owner sees it.
    var library: PhotoLibrary { PhotoLibrary(store: parts.store, client: .console) }

    /// Starts the stream. Returns when the camera accepts presses, or when it is certain that there are no frames yet;
    /// then it goes on trying by itself.
    package func start() async {
        parts.store.setPresenter(prompts)
        panel.start { [weak self] in self?.perform($0) }
        shutter.report { [weak self] event in self?.post { $0.shutterDid(event) } }
        _ = parts.libraryEvents.follow(replaying: true) { [weak self] event in self?.post { $0.libraryDid(event) } }
        let libraryState = parts.store.state
        await run {
            $0.prompts.follow(
                didShow: { [weak self] in self?.didShow($0) }, didHide: { [weak self] in self?.didHide($0, $1) })
            $0.libraryStateDid(libraryState)
            $0.checkClock()
        }
        applySettings()
        await stream.start { [weak self] in self?.streamDid($0) }
        shutter.open()
        await run {
            $0.state.progress.isReady = true
            $0.panel.report(.ready)
            $0.reportReady()
        }
    }

    /// Reports once that the camera accepts presses: when the start is over and frames come.
    func reportReady() {
        guard state.progress.isReady, stream.failure == nil, !state.progress.hasReportedReady else { return }
        state.progress.hasReportedReady = true
        send(.ready)
    }

    private func streamDid(_ event: CameraStream.Event) {
        switch event {
        case .running: reportReady()
        case .failed(let failure):
            panel.report(.faultBegan(.cameraUnavailable))
            send(.fault, failure)
        case .recovered(let failure):
            panel.report(.faultEnded(.cameraUnavailable))
            send(.recovered, ["code": .string(failure.code)])
        }
    }

    /// Finishes what is in flight and ends everything but the event loop.
    package func stop() async {
        let isFirst = await run { appliance in
            defer { appliance.state.progress.isStopping = true }
            return !appliance.state.progress.isStopping
        }
        guard isFirst == true else { return }
        send(.stopping)
        await run {
            $0.stream.close()
            $0.button.endBurst(at: $0.parts.time.now)
        }
        // A press whose edge was taken becomes a photo, if the sensor still delivers.
        await wait { await self.run { $0.button.isDecided } ?? true }
        shutter.close()
        await wait { self.shutter.inFlight == 0 }
        await run { $0.button.unpinAll() }
        await stream.stop()
        await withCheckedContinuation { continuation in shutter.whenIdle { continuation.resume() } }
        parts.store.setPresenter(nil)
        await parts.store.close()
        let record = parts.time.record
        await commands.run { [parts] in parts.clockFile.save(record, log: parts.log) }
        await commands.stop()
        // What the last photos have reported is passed on.
        await run { _ in }
    }

    /// Does something on the event loop, soon.
    func post(_ body: @escaping @Sendable (Appliance) -> Void) {
        parts.loop.post { [self] in body(self) }
    }

    /// Does something on the event loop and waits for it; nil once the loop has stopped.
    @discardableResult
    func run<Success: Sendable>(_ body: @escaping @Sendable (Appliance) -> Success) async -> Success? {
        await parts.loop.run { [self] in body(self) }
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

    /// Waits for a condition while the stream runs, within a limit.
    private func wait(until condition: () async -> Bool) async {
        let end = parts.time.now + Self.finishLimit
        while await !condition(), stream.session.isRunning, parts.time.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// True while nothing is under way that a person waits for.
    ///
    /// - Isolation: the event loop.
    package var isAtRest: Bool {
        !button.isBurstUnderWay && state.timers == 0 && panel.isAtRest && shutter.inFlight == 0
    }

    /// Sends an event to all followers.
    package func send(_ name: EventName, _ fields: [String: FieldValue] = [:]) {
        events.send(EventRecord(name, time: rfc3339Now, fields: fields))
    }

    /// Sends a failure to all followers, and writes it to the log.
    package func send(_ name: EventName, _ failure: CommandFailure, _ fields: [String: FieldValue] = [:]) {
        var event = EventRecord.failure(name, failure, time: rfc3339Now)
        event.fields.merge(fields) { own, _ in own }
        events.send(event)
        parts.log.write(.warning, "\(name.rawValue): \(failure.message)")
    }

    var rfc3339Now: String { parts.time.wallTime(at: parts.time.now).rfc3339 }

    /// What `status` and the light call the camera's state.
    ///
    /// - Isolation: the event loop.
    var cameraState: CameraState {
        if state.progress.isStopping { return .stopping }
        if !state.progress.isReady { return .starting }
        switch parts.store.state {
        case .full, .readOnly: return .full
        case .offline, .numberingExhausted: return .fault
        case .ready, .nearlyFull: break
        }
        if stream.failure != nil { return .fault }
        return shutter.inFlight > 0 ? .saving : .ready
    }

    // MARK: The clock

    /// Says when the clock's trust changes, and keeps the date for the next start. Calls itself again.
    private func checkClock() {
        let isTrusted = parts.time.wallTime(at: parts.time.now).isTrusted
        if state.progress.isClockTrusted != isTrusted {
            state.progress.isClockTrusted = isTrusted
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
        post {
            $0.state.progress.isClockTrusted = true
            $0.panel.report(.clockTrusted(true))
            $0.send(.clock, ["trusted": .bool(true)])
        }
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
        stream.output.setDefaults(
            quality: configuration.photo.quality,
            metadata: configuration.photoMetadata(at: parts.time.wallTime(at: parts.time.now)))
        stream.applyControls()
        parts.store.setPolicies(configuration.clientPolicies)
    }
}

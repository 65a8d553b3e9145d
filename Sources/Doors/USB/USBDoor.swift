import Configuration
import Console
import Offload
import Photos
import Platform
import Synchronization
import USBGadget

/// The USB port: shows a computer there a camera or a disk and, once the owner allows it, a console.
///
/// - Isolation: any thread. What blocks runs on the worker of the context, and a computer is served on the thread
///   `usb-host`; what a function puts together is made on the thread `usb-builder`.
package final class USBDoor: Door {
    private static let camera = "usb"
    private static let console = "usb-console"

    /// What the port is, for a program and a person.
    private enum Port: String {
        /// This board's port cannot show a computer anything, or is not set up for that.
        case unavailable
        /// Switched off, by a command or by the configuration.
        case off
        /// There is no computer.
        case unplugged
        /// A computer has configured the device.
        case connected

        /// A phrase for a person.
        ///
        /// - Parameter noun: what the port shows.
        func meaning(_ noun: String) -> String {
            switch self {
            case .unavailable: "this port cannot connect the camera to a computer"
            case .off: "switched off"
            case .unplugged: "shows \(noun); no computer is connected"
            case .connected: "shows \(noun); a computer is connected"
            }
        }
    }

    /// The clients of the computer at the port.
    private struct Session {
        let camera: Client
        let console: Client
    }

    /// The console at the port, and what decides whether it may be used.
    private struct Console {
        let terminal: TerminalConsole
        let commands: GuardedCommands
    }

    private struct State {
        var device: FunctionFSDevice?
        /// What the device is, or was to be.
        var function: USBFunction
        var console: Console?
        var session: Session?
        /// Why the port cannot be used, if it was to be.
        var failure: CommandFailure?
        /// Nothing is to be shown; so it is before the start, too.
        var isOff = true
        var running: Running?

        /// What a computer sees, and as what; nil for nothing.
        var shown: (Port, USBFunction?) {
            guard device != nil else { return (isOff ? .off : .unavailable, nil) }
            return (session == nil ? .unplugged : .connected, function)
        }

        /// What is to be shown and could not be.
        var missing: USBFunction? { device == nil && !isOff ? function : nil }

        /// A console can be opened, and none is open.
        var lacksConsole: Bool { device != nil && console == nil }
    }

    /// What there is while the camera runs.
    private struct Running {
        let context: DoorContext
        let host = WorkerThread(name: "usb-host")
        let builder = WorkerThread(name: "usb-builder")
        var followers: [@Sendable () -> Void] = []
    }

    private let functions: [USBFunction]
    private let gadget: GadgetLayout
    private let controller: GadgetController
    private let mutex: Mutex<State>

    /// A port that shows nothing yet.
    ///
    /// - Parameter functions: what it can show; the first is what it is by default. There is at least one.
    package init(functions: [USBFunction], gadget: GadgetLayout = GadgetLayout()) {
        self.functions = functions
        self.gadget = gadget
        controller = GadgetController(layout: gadget)
        mutex = Mutex(State(function: functions[0]))
    }

    /// One property of the state. It copies nothing else, so that it never keeps the files of a device open.
    private func current<Value: Sendable>(_ property: KeyPath<State, Value>) -> Value {
        mutex.withLock { $0[keyPath: property] }
    }

    // MARK: What the lists ask

    package let clients = [
        ConfiguredClient(
            camera, purpose: "copies photos to the computer at the USB port", onHold: .full, isRemembered: false),
        ConfiguredClient(
            console, purpose: "gives the computer at the USB port this camera's console", onHold: .full,
            isRemembered: false, isConsole: true),
    ]

    /// The key of what the port shows after a start.
    private var mode: ConfigurationKey {
        ConfigurationKey(
            "usb.mode", .choice(functions.map(\.word) + ["off"]), default: .text(functions[0].word),
            "What the USB port shows to a computer after a start: a camera, a disk, or nothing.")
    }

    package var keys: [ConfigurationKey] { [mode] }

    package var additions: CommandGrammar.Additions {
        let words = ["status"] + functions.map(\.word) + ["off"]
        var additions = CommandGrammar.Additions()
        additions.entries = [
            CommandGrammar.Entry(
                door: "usb", usage: ["usb [\(words.joined(separator: "|"))]"],
                summary: "Show what a computer at the USB port sees, or change it until the camera restarts.",
                detail:
                    "on shows a camera; mass-storage shows a read-only disk, for devices that do not support cameras; off shows nothing. Each change disconnects the computer. After off, the light is on for 2 seconds when it is safe to unplug the cable.",
                words: 0...1
            ) { (command) throws(CommandFailure) in
                guard let word = command.words.first, !words.contains(word) else { return }
                let list = words.dropLast().joined(separator: ", ") + " or off"
                throw .usage("usb: there is no \"\(TerminalText.escaped(word))\": give \(list).")
            }
        ]
        additions.statusRows = [
            StatusRow("usb", keys: ["usb", "usb_mode"]) { [functions] fields in
                guard case .string(let word) = fields["usb"], let port = Port(rawValue: word) else { return nil }
                let shown = functions.first { fields["usb_mode"] == .string($0.mode) } ?? functions[0]
                return port.meaning(shown.noun)
            }
        ]
        return additions
    }

    package var status: [String: FieldValue] {
        let (port, function) = current(\.shown)
        return ["usb": .string(port.rawValue), "usb_mode": function.map { .string($0.mode) } ?? .null]
    }

    package func perform(_ command: DoorCommand) async throws(CommandFailure) -> DoorRecord {
        _ = try context
        let word = command.words.first ?? "status"
        if let function = functions.first(where: { $0.word == word }) {
            try await turnOn(as: function)
        } else if word == "off" {
            try await turnOff()
        }
        return record
    }

    /// The same with a sentence.
    package var record: DoorRecord {
        let (port, function) = current(\.shown)
        let message = port == .unavailable ? current(\.failure)?.message : nil
        return DoorRecord(
            ["usb": .string(port.rawValue), "mode": function.map { .string($0.mode) } ?? .null],
            message: message ?? port.meaning((function ?? functions[0]).noun))
    }

    // MARK: Opening and closing

    /// Shows a computer what the configuration says, if this board's port can; else the log says why it cannot.
    package func start(_ context: DoorContext) async throws(CommandFailure) {
        let events = context.events.follow { [weak self] in self?.announce($0) }
        let library = context.sessions.events.follow { [weak self] event in
            if case .accessChanged(let client) = event { self?.accessDidChange(client) }
        }
        let running = Running(
            context: context,
            followers: [{ context.events.end(events) }, { context.sessions.events.end(library) }])
        mutex.withLock { $0.running = running }
        let word = context.settings().text(mode)
        guard let function = functions.first(where: { $0.word == word }) else { return }
        await show(function, context)
    }

    private func show(_ function: USBFunction, _ context: DoorContext) async {
        do throws(CommandFailure) {
            try await turnOn(as: function)
        } catch {
            context.log.write(.info, "USB: \(error.message)")
        }
    }

    /// Tries again to show what could not be shown, because the gadget was not set up or was taken away.
    package func reload() async {
        if let context = try? context, let function = current(\.missing) { await show(function, context) }
    }

    /// Shows a camera or a disk, which changes nothing when that is shown already. The session of a computer that sees
    /// the other one ends.
    ///
    /// - Throws: what is missing for it.
    package func turnOn(as function: USBFunction) async throws(CommandFailure) {
        let context = try context
        if let other = current(\.shown).1, other.word != function.word { try await close() }
        try await context.run { [self] () throws(CommandFailure) in
            guard current(\.shown).1 == nil else { return }
            do throws(CommandFailure) {
                try bind(as: function)
            } catch {
                mutex.withLock { ($0.failure, $0.isOff, $0.function) = (error, false, function) }
                throw error
            }
        }
        openConsole()
    }

    /// Ends the session of a computer and shows nothing any more. Then the light shows that the cable may be pulled.
    package func turnOff() async throws(CommandFailure) {
        try await close()
        mutex.withLock { $0.isOff = true }
        try context.showSafeToUnplug()
    }

    package func stop() async {
        try? await close()
        guard let running = mutex.withLock({ $0.running.take() }) else { return }
        for end in running.followers { end() }
        await running.host.stop()
        await running.builder.stop()
    }

    private var context: DoorContext {
        get throws(CommandFailure) {
            guard let context = current(\.running)?.context else { throw .starting }
            return context
        }
    }

    // MARK: The device

    private func bind(as function: USBFunction) throws(CommandFailure) {
        let isBound: Void? = try controller.whileSetUp { [self] () throws(CommandFailure) in
            try bindNow(as: function)
        }
        if isBound == nil { throw CommandFailure(GadgetError.notSetUp) }
    }

    private func bindNow(as function: USBFunction) throws(CommandFailure) {
        let device: FunctionFSDevice
        do throws(SystemError) {
            device = try FunctionFSDevice(
                folder: gadget.functionFS, descriptors: function.descriptors,
                plugged: { [self] in plugged($0, function) }, unplugged: { [weak self] in self?.unplugged() },
                unbound: { [weak self] in self?.unbound() })
        } catch {
            throw CommandFailure(.system, "USB: \(error)")
        }
        device.start()
        do throws(GadgetError) {
            // A camera that was killed left it bound: its host must start over.
            try controller.unbind()
            try controller.bind(as: function.product)
        } catch {
            Task { await device.stop() }
            throw CommandFailure(error)
        }
        mutex.withLock { ($0.device, $0.function, $0.failure, $0.isOff) = (device, function, nil, false) }
    }

    private func close() async throws(CommandFailure) {
        let (device, console, running) = mutex.withLock { state in
            (state.device.take(), state.console.take(), state.running)
        }
        guard let device, let running else { return }
        var failure: GadgetError?
        do throws(GadgetError) { try controller.unbind() } catch { failure = error }
        await device.stop()
        // Nothing of the device may be open when it is to be another one.
        for thread in [running.host, running.builder] { _ = await thread.runUnlessStopped {} }
        if let console { _ = await running.context.worker.runUnlessStopped { console.terminal.stop() } }
        if let failure { throw CommandFailure(failure) }
    }

    private func plugged(_ pipes: any USBPipes, _ function: USBFunction) -> any FunctionFSHost {
        guard let running = current(\.running) else {
            preconditionFailure("the device is stopped before the door is")
        }
        let (context, sessions) = (running.context, running.context.sessions)
        let session = Session(
            camera: sessions.begin(Self.camera, isNumbered: true),
            console: sessions.begin(Self.console, isNumbered: true))
        mutex.withLock { $0.session = session }
        // It may have failed before.
        context.worker.submit { [self] in openConsole() }
        context.report(.connected, session.camera, "a computer is connected and sees \(function.noun)")
        return function.serve(
            USBService(
                pipes: pipes, client: session.camera, context: context, host: running.host, builder: running.builder))
    }

    /// The cable was pulled, or the computer has reset the port, which may be another one by now.
    private func unplugged() {
        let (session, context) = mutex.withLock { ($0.session.take(), $0.running?.context) }
        guard let session, let context else { return }
        context.sessions.end(session.camera)
        context.sessions.end(session.console)
        context.report(.disconnected, session.camera, "the computer disconnected")
        // At once: what a command there still prints is not for the next computer.
        closeConsole()
        context.worker.submit { [self] in openConsole() }
    }

    /// The gadget has no controller any more. Unless this door has unbound it, root takes the gadget away, and waits in the
    /// kernel until nothing of it is open.
    private func unbound() {
        guard controller.boundController == nil else { return }
        let (device, console, context) = mutex.withLock { state in
            if state.device != nil { state.failure = CommandFailure(GadgetError.notSetUp) }
            return (state.device.take(), state.console.take(), state.running?.context)
        }
        guard let device else { return }
        console?.terminal.stop()
        Task { await device.stop() }
        context?.log.write(.warning, "USB: the gadget was removed")
    }

    // MARK: The console

    private func openConsole() {
        _ = controller.whileSetUp { openConsoleNow() }
    }

    private func openConsoleNow() {
        guard let path = controller.consolePath, current(\.lacksConsole), let context = try? context else { return }
        let guarded = GuardedCommands(context.commands, store: context.sessions.library) { [weak self] in
            self?.current(\.session)?.console
        }
        let terminal = TerminalConsole(
            .terminal(path: path), loop: context.loop, handler: guarded, startsSilent: true,
            hungUp: { [weak self] in self?.reopenConsole() })
        do throws(CommandFailure) {
            try terminal.start()
        } catch {
            context.log.write(.warning, "the console on USB: \(error.message)")
            return
        }
        let isWanted = mutex.withLock { state in
            guard state.lacksConsole else { return false }
            state.console = Console(terminal: terminal, commands: guarded)
            return true
        }
        if !isWanted { terminal.stop() }
    }

    private func closeConsole() {
        mutex.withLock { $0.console.take() }?.terminal.stop()
    }

    /// Opens the console again: what was typed there is forgotten.
    private func reopenConsole() {
        _ = try? context.worker.submit { [self] in
            closeConsole()
            openConsole()
        }
    }

    /// Shows the console what happens, when the owner has allowed it.
    private func announce(_ event: EventRecord) {
        if let console = current(\.console), console.commands.isOpen { console.terminal.announce(event) }
    }

    /// What a client may do has changed: a console that is not allowed any more ends what it is showing.
    private func accessDidChange(_ client: Client) {
        if let console = current(\.console), current(\.session)?.console == client, !console.commands.isOpen {
            reopenConsole()
        }
    }
}

extension CommandFailure {
    /// Why this machine is no USB device.
    package init(_ error: GadgetError) {
        self.init(slug: error.code, error.message, retry: error.canRetry)
    }
}

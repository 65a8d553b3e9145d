import Console
import MassStorage
import Offload
import PTP
import Photos
import Platform
import Synchronization
import USBGadget

/// The USB port: shows a computer there a camera or a disk and, once the owner allows it, a console.
///
/// - Isolation: any thread. What blocks runs on the command thread, and a computer is served on the thread `usb-host`; a
///   disk is put together on the thread `usb-disk`.
package final class USBPort: Sendable {
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
        var mode = USBMode.camera
        var console: Console?
        var session: Session?
        /// Why the port cannot be used, if it was to be.
        var failure: CommandFailure?
        /// Nothing is to be shown; so it is before the start, too.
        var isOff = true
    }

    private let sessions: ClientSessions
    private let ptp: PTPService
    private let appliance: Appliance
    private let commands: any CommandHandler
    private let gadget: GadgetLayout
    private let controller: GadgetController
    private let host = WorkerThread(name: "usb-host")
    private let disk = WorkerThread(name: "usb-disk")
    private let mutex = Mutex(State())

    /// A port that shows nothing yet.
    ///
    /// - Parameter commands: what the console carries out once it is allowed.
    package init(
        sessions: ClientSessions, appliance: Appliance, commands: any CommandHandler,
        gadget: GadgetLayout = GadgetLayout()
    ) {
        self.sessions = sessions
        ptp = appliance.ptpService(sessions)
        self.appliance = appliance
        self.commands = commands
        self.gadget = gadget
        controller = GadgetController(layout: gadget)
    }

    /// What a computer sees, and as what; nil for nothing.
    var state: (USBState, USBMode?) {
        mutex.withLock { state in
            guard state.device != nil else { return (state.isOff ? .off : .unavailable, nil) }
            return (state.session == nil ? .unplugged : .connected, state.mode)
        }
    }

    /// The same with a sentence.
    var record: DoorRecord {
        let failure = mutex.withLock { $0.failure }
        let (state, mode) = state
        let message = state == .unavailable ? failure?.message : nil
        return DoorRecord(
            ["usb": .string(state.rawValue), "mode": mode.map { .string($0.rawValue) } ?? .null],
            message: message ?? state.meaning(mode))
    }

    /// Shows a computer what the camera is to be, if this board's port can; else the log says why it cannot.
    ///
    /// - Parameter mode: nil for nothing.
    package func start(as mode: USBMode?) async {
        guard let mode else { return mutex.withLock { $0.isOff = true } }
        do throws(CommandFailure) {
            try await turnOn(as: mode)
        } catch {
            appliance.parts.log.write(.info, "USB: \(error.message)")
        }
    }

    /// Tries again to show what could not be shown, because the gadget was not set up or was taken away.
    package func retry() async {
        let mode = mutex.withLock { $0.device == nil && !$0.isOff ? $0.mode : nil }
        if let mode { await start(as: mode) }
    }

    /// Shows a camera or a disk, which is nothing new when that is shown already. The session of a computer that sees the
    /// other one ends.
    ///
    /// - Throws: what is missing for it.
    func turnOn(as mode: USBMode) async throws(CommandFailure) {
        if mutex.withLock({ $0.device != nil && $0.mode != mode }) { try await close() }
        try await appliance.runCommand { [self] () throws(CommandFailure) in
            guard mutex.withLock({ $0.device == nil }) else { return }
            do throws(CommandFailure) {
                try bind(as: mode)
                mutex.withLock { ($0.failure, $0.isOff) = (nil, false) }
            } catch {
                mutex.withLock { ($0.failure, $0.isOff, $0.mode) = (error, false, mode) }
                throw error
            }
        }
        openConsole()
    }

    /// Ends the session of a computer and shows nothing any more. Then the light shows that the cable may be pulled.
    func turnOff() async throws(CommandFailure) {
        try await close()
        mutex.withLock { $0.isOff = true }
        appliance.panel.report(.safeToUnplug)
    }

    /// Shows nothing any more, for good.
    package func stop() async {
        try? await close()
        await host.stop()
        await disk.stop()
    }

    // MARK: The device

    private func bind(as mode: USBMode) throws(CommandFailure) {
        let isBound: Void? = try controller.whileSetUp { [self] () throws(CommandFailure) in try bindNow(as: mode) }
        if isBound == nil { throw CommandFailure(GadgetError.notSetUp) }
    }

    private func bindNow(as mode: USBMode) throws(CommandFailure) {
        let device: FunctionFSDevice
        do throws(SystemError) {
            device = try FunctionFSDevice(
                folder: gadget.functionFS, descriptors: mode.descriptors,
                plugged: { [self] in plugged($0, mode) }, unplugged: { [weak self] in self?.unplugged() },
                unbound: { [weak self] in self?.unbound() })
        } catch {
            throw CommandFailure(.system, "USB: \(error)")
        }
        device.start()
        do throws(GadgetError) {
            // Left over from a camera that was killed: its host must begin anew.
            try controller.unbind()
            try controller.bind(as: mode.product)
        } catch {
            Task { await device.stop() }
            throw CommandFailure(error)
        }
        mutex.withLock { ($0.device, $0.mode) = (device, mode) }
    }

    private func close() async throws(CommandFailure) {
        let (device, console) = mutex.withLock { state in (state.device.take(), state.console.take()) }
        guard let device else { return }
        var failure: GadgetError?
        do throws(GadgetError) { try controller.unbind() } catch { failure = error }
        await device.stop()
        // Nothing of the device may be open when it is to be another one.
        for thread in [host, disk] { _ = await thread.runUnlessStopped {} }
        if let console { try? await appliance.runCommand { console.terminal.stop() } }
        if let failure { throw CommandFailure(failure) }
    }

    private func plugged(_ pipes: any USBPipes, _ mode: USBMode) -> any FunctionFSHost {
        let session = Session(camera: sessions.begin(.usb), console: sessions.begin(.usbConsole))
        mutex.withLock { $0.session = session }
        // It may have failed before.
        appliance.commands.submit { [self] in openConsole() }
        sessions.report(.connected, session.camera, "a computer is connected and sees \(mode.noun)")
        switch mode {
        case .camera:
            let initiator = FunctionFSInitiator(pipes: pipes)
            host.submit { [ptp] in
                ptp.serve(initiator.link, as: session.camera)
                initiator.close()
            }
            return initiator
        case .massStorage:
            let disk = DiskSession(
                pipes: pipes, client: session.camera, sessions: sessions, identity: appliance.identity,
                loop: appliance.parts.loop, worker: disk,
                ejected: { [panel = appliance.panel] in panel.report(.safeToUnplug) })
            host.submit { disk.serve() }
            return disk.connection
        }
    }

    /// The cable was pulled, or the computer has reset the port, which may be another one by now.
    private func unplugged() {
        guard let session = mutex.withLock({ $0.session.take() }) else { return }
        sessions.end(session.camera)
        sessions.end(session.console)
        sessions.report(.disconnected, session.camera, "the computer is gone")
        // At once: what a command there still says is not for who comes next.
        mutex.withLock { $0.console.take() }?.terminal.stop()
        appliance.commands.submit { [self] in openConsole() }
    }

    /// The gadget has no controller any more. When that was not our doing, root takes the gadget away, and waits in the kernel
    /// until nothing of it is open.
    private func unbound() {
        guard controller.boundController == nil else { return }
        let (device, console) = mutex.withLock { state in
            if state.device != nil { state.failure = CommandFailure(GadgetError.notSetUp) }
            return (state.device.take(), state.console.take())
        }
        guard let device else { return }
        console?.terminal.stop()
        Task { await device.stop() }
        appliance.parts.log.write(.warning, "USB: the gadget was taken away")
    }

    // MARK: The console

    private func openConsole() {
        _ = controller.whileSetUp { openConsoleNow() }
    }

    private func openConsoleNow() {
        guard let path = controller.consolePath, mutex.withLock({ $0.console == nil && $0.device != nil }) else {
            return
        }
        let guarded = GuardedCommands(commands, store: appliance.parts.store) { [weak self] in
            self?.mutex.withLock { $0.session?.console }
        }
        let terminal = TerminalConsole(
            .terminal(path: path), loop: appliance.parts.loop, handler: guarded, startsSilent: true,
            hungUp: { [weak self] in self?.reopenConsole() })
        do throws(CommandFailure) {
            try terminal.start()
        } catch {
            appliance.parts.log.write(.warning, "the console on USB: \(error.message)")
            return
        }
        let isWanted = mutex.withLock { state in
            guard state.device != nil, state.console == nil else { return false }
            state.console = Console(terminal: terminal, commands: guarded)
            return true
        }
        if !isWanted { terminal.stop() }
    }

    /// What was typed and asked for there is over.
    private func reopenConsole() {
        appliance.commands.submit { [self] in
            mutex.withLock { $0.console.take() }?.terminal.stop()
            openConsole()
        }
    }

    /// Shows the console what happens, when the owner has allowed it.
    package func announce(_ event: EventRecord) {
        if let console = mutex.withLock({ $0.console }), console.commands.isOpen { console.terminal.announce(event) }
    }

    /// What a client may do has changed: a console that is not allowed any more ends what it is showing.
    func accessDidChange(_ client: Client) {
        let (console, session) = mutex.withLock { ($0.console, $0.session) }
        if let console, session?.console == client, !console.commands.isOpen { reopenConsole() }
    }
}

import Platform
import Synchronization

/// The camera as a USB device: answers on the control pipe, and lets in each host that configures it.
///
/// It can be bound to a controller as long as it lives.
/// - Isolation: any thread. Its own thread, `usb`, reads the control pipe.
package final class FunctionFSDevice: Sendable {
    private struct Plugged {
        let host: any FunctionFSHost
        let pipes: FunctionFSPipes
    }

    private struct State {
        var plugged: Plugged?
        var isStopping = false
    }

    private let files: FunctionFSFiles
    private let wake: WakeSignal
    private let thread = WorkerThread(name: "usb")
    private let plugged: @Sendable (any USBPipes) -> any FunctionFSHost
    private let unplugged: @Sendable () -> Void
    private let unbound: @Sendable () -> Void
    private let state = Mutex(State())

    /// Writes the device's descriptors to the kernel.
    ///
    /// - Parameters:
    ///   - folder: where FunctionFS is mounted.
    ///   - descriptors: what the function is.
    ///   - plugged: is called when a host has configured the device; must return soon.
    ///   - unplugged: is called when the last host was closed, because it has gone or has reset the device.
    ///   - unbound: is called when the gadget has lost its controller, by any process, before its host is closed.
    /// - Blocking: opens files.
    package init(
        folder: String, descriptors: FunctionFSDescriptors,
        plugged: @escaping @Sendable (any USBPipes) -> any FunctionFSHost,
        unplugged: @escaping @Sendable () -> Void, unbound: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        files = try FunctionFSFiles(folder: folder, descriptors: descriptors)
        wake = try WakeSignal()
        self.plugged = plugged
        self.unplugged = unplugged
        self.unbound = unbound
    }

    /// Begins to answer. A device is started once.
    package func start() {
        thread.submit { self.run() }
    }

    /// Closes the host and ends the thread. Unbind the controller before, so that no host waits for an answer.
    package func stop() async {
        state.withLock { $0.isStopping = true }
        wake.set()
        await thread.stop()
    }

    private func run() {
        while !state.withLock({ $0.isStopping }) {
            let pipes = state.withLock { $0.plugged?.pipes }
            let ready = WakeSignal.wait(
                for: [files.control.raw, wake.descriptor] + (pipes.map { [$0.eventDescriptor] } ?? []))
            if ready.count > 2, ready[2], pipes?.collectEvents() == true {
                state.withLock { $0.plugged }?.host.eventEnded()
            }
            if ready[0] { readControl() }
        }
        unplug()
    }

    private func readControl() {
        // Space for what can wait at once; the kernel gives whole events.
        guard let bytes = try? files.control.read(upTo: 4 * FunctionFSEvent.byteCount) else { return }
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: FunctionFSEvent.byteCount) {
                let event = FunctionFSEvent(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                switch event {
                case .enabled:
                    // The end of the last host may be missing: the kernel drops events that a later one supersedes.
                    unplug()
                    plug()
                case .disabled: unplug()
                case .unbound:
                    unbound()
                    unplug()
                case .setup(let setup): answer(setup)
                case .bound, .suspended, .resumed, nil: break
                }
            }
        }
    }

    private func plug() {
        // Gone again already when this fails.
        guard let pipes = try? FunctionFSPipes(files) else { return }
        let host = plugged(pipes)
        state.withLock { $0.plugged = Plugged(host: host, pipes: pipes) }
    }

    private func unplug() {
        guard let last = state.withLock({ $0.plugged.take() }) else { return }
        last.host.close()
        unplugged()
    }

    // MARK: The control pipe

    private func answer(_ setup: USBSetupPacket) {
        var isTaken = false
        let answer = state.withLock { $0.plugged }?.host.answer(setup) {
            isTaken = true
            return (try? files.control.read(upTo: Int(setup.length))) ?? []
        }
        guard let answer else { return refuse(setup) }
        if setup.isToHost {
            reply(answer, to: setup)
        } else if !isTaken {
            _ = try? files.control.read(upTo: 0)
        }
    }

    private func reply(_ bytes: [UInt8], to setup: USBSetupPacket) {
        _ = try? Array(bytes.prefix(Int(setup.length))).withBytes { (bytes) throws(SystemError) in
            try files.control.write(bytes)
        }
    }

    /// Stalls the control pipe once: a transfer in the wrong direction does that (kernel: f_fs.c).
    private func refuse(_ setup: USBSetupPacket) {
        if setup.isToHost {
            _ = try? files.control.read(upTo: 0)
        } else {
            _ = try? [UInt8]().withBytes { (bytes) throws(SystemError) in try files.control.write(bytes) }
        }
    }
}

/// A host that has configured the device, as the function of the device sees it, until that host goes or resets it.
///
/// - Isolation: the thread that reads the control pipe makes every call.
package protocol FunctionFSHost: AnyObject, Sendable {
    /// Answers a request of the host on the control pipe (USB 2.0, section 9.3). The host waits for it.
    ///
    /// - Parameter data: takes the bytes that come with a request from the host; to be called at most once, and not for
    ///   a request that is refused.
    /// - Returns: what a request to the host gives it; nothing when one from the host is carried out; nil when the request
    ///   is refused.
    func answer(_ setup: USBSetupPacket, data: () -> [UInt8]) -> [UInt8]?
    /// The host has taken an event, or never will.
    func eventEnded()
    /// Ends every wait for the host, because it is gone. Returns soon.
    func close()
}

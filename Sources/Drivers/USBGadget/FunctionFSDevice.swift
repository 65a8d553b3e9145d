import Platform

/// The camera as a USB device: answers on the control pipe, and lets in each host that configures it.
///
/// It can be bound to a controller as long as it lives.
/// - Isolation: any thread. Its own thread, `usb`, reads the control pipe; only that thread knows the host.
package final class FunctionFSDevice: Sendable {
    private struct Plugged {
        let host: any FunctionFSHost
        let pipes: FunctionFSPipes
    }

    private let files: FunctionFSFiles
    /// Set to end the thread.
    private let wake: WakeSignal
    private let thread = WorkerThread(name: "usb")
    private let plugged: @Sendable (any USBPipes) -> any FunctionFSHost
    private let unplugged: @Sendable () -> Void
    private let unbound: @Sendable () -> Void

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
        wake.set()
        await thread.stop()
    }

    // MARK: The device's thread

    private func run() {
        var host: Plugged?
        var isStopping = false
        while !isStopping {
            let ready = WakeSignal.wait(
                for: [files.control.raw, wake.descriptor] + (host.map { [$0.pipes.eventDescriptor] } ?? []))
            isStopping = ready[1]
            if ready.count > 2, ready[2], let host, host.pipes.collectEvents() { host.host.eventEnded() }
            if ready[0] { readControl(&host) }
        }
        unplug(&host)
    }

    private func readControl(_ host: inout Plugged?) {
        // Space for what can wait at once; the kernel gives whole events.
        guard let bytes = try? files.control.read(upTo: 4 * FunctionFSEvent.byteCount) else { return }
        for start in stride(from: 0, to: bytes.count, by: FunctionFSEvent.byteCount) {
            switch bytes[start...].withUnsafeBytes({ FunctionFSEvent($0) }) {
            case .enabled:
                // The end of the last host may be missing: the kernel drops events that a later one supersedes.
                unplug(&host)
                plug(&host)
            case .disabled: unplug(&host)
            case .unbound:
                unbound()
                unplug(&host)
            case .setup(let setup): answer(setup, host?.host)
            case .bound, .suspended, .resumed, nil: break
            }
        }
    }

    private func plug(_ host: inout Plugged?) {
        // Gone again already when this fails.
        guard let pipes = try? FunctionFSPipes(files) else { return }
        host = Plugged(host: plugged(pipes), pipes: pipes)
    }

    private func unplug(_ host: inout Plugged?) {
        guard let last = host.take() else { return }
        last.host.close()
        unplugged()
    }

    // MARK: The control pipe

    private func answer(_ setup: USBSetupPacket, _ host: (any FunctionFSHost)?) {
        var isTaken = false
        let answer = host?.answer(setup) {
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

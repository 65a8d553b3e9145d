import Platform
import Synchronization

/// The camera as a USB device: answers on the control pipe, and makes a link for each host that configures it.
///
/// It can be bound to a controller as long as it lives.
/// - Isolation: any thread. Its own thread, `usb`, reads the control pipe.
package final class FunctionFSDevice: Sendable {
    /// How long a host waits for a reset to be noticed: a thread that reads a photo notices it later.
    private static let resetPatience = Duration.milliseconds(500)

    private struct Plugged {
        let link: FunctionFSLink
        let pipes: FunctionFSPipes
    }

    private struct State {
        var plugged: Plugged?
        var isStopping = false
    }

    private let files: FunctionFSFiles
    private let wake: WakeSignal
    private let thread = WorkerThread(name: "usb")
    private let resetNoticed = Semaphore()
    private let plugged: @Sendable (FunctionFSLink) -> Void
    private let unplugged: @Sendable () -> Void
    private let state = Mutex(State())

    /// Tells the kernel what the device is.
    ///
    /// - Parameters:
    ///   - folder: where FunctionFS is mounted.
    ///   - plugged: is called when a host has configured the device; must return soon. The host's operations wait in
    ///     the link.
    ///   - unplugged: is called when the last link was closed, because the host has gone or has reset the device.
    /// - Blocking: opens files.
    package init(
        folder: String, plugged: @escaping @Sendable (FunctionFSLink) -> Void,
        unplugged: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        files = try FunctionFSFiles(folder: folder)
        wake = try WakeSignal()
        self.plugged = plugged
        self.unplugged = unplugged
    }

    /// Begins to answer. A device is started once.
    package func start() {
        thread.submit { self.run() }
    }

    /// Closes the link and ends the thread. Unbind the controller before, so that no host waits for an answer.
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
                state.withLock { $0.plugged }?.link.eventEnded()
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
                    // The end of the host before may not have been told: the kernel drops what a later event overtakes.
                    unplug()
                    plug()
                case .disabled, .unbound: unplug()
                case .setup(let setup): answer(setup)
                case .bound, .suspended, .resumed, nil: break
                }
            }
        }
    }

    private func plug() {
        // Gone again already when this fails.
        guard let pipes = try? FunctionFSPipes(files) else { return }
        let link = FunctionFSLink(pipes: pipes) { [resetNoticed] in resetNoticed.signal() }
        state.withLock { $0.plugged = Plugged(link: link, pipes: pipes) }
        plugged(link)
    }

    private func unplug() {
        guard let last = state.withLock({ $0.plugged.take() }) else { return }
        last.link.close()
        unplugged()
    }

    // MARK: The control pipe

    private func answer(_ setup: USBSetupPacket) {
        let link = state.withLock { $0.plugged }?.link
        switch USBClassRequest(setup) {
        case .cancel:
            let data = (try? files.control.read(upTo: USBClassRequest.cancellationByteCount)) ?? []
            if let transaction = data.withUnsafeBytes({ USBClassRequest.cancelledTransaction($0) }) {
                link?.cancel(transaction)
            }
        case .reset:
            if let link {
                while resetNoticed.wait(until: .now()) {}  // one that came too late
                link.reset()
                // Else the next operation, sent as soon as this is answered, would be taken for one from before.
                _ = resetNoticed.wait(until: MonotonicTime.now() + Self.resetPatience)
            }
            _ = try? files.control.read(upTo: 0)
        case .status: reply(USBClassRequest.status(link?.status ?? .ready), to: setup)
        case .extendedEventData:
            guard let event = link?.lastEvent else { return refuse(setup) }
            reply(USBClassRequest.extendedEventData(event), to: setup)
        case nil: refuse(setup)
        }
    }

    private func reply(_ bytes: [UInt8], to setup: USBSetupPacket) {
        _ = try? Array(bytes.prefix(Int(setup.length))).withBytes { (bytes) throws(SystemError) in
            try files.control.write(bytes)
        }
    }

    /// Stalls the control pipe once: data against the direction that was asked for (kernel: f_fs.c).
    private func refuse(_ setup: USBSetupPacket) {
        if setup.isToHost {
            _ = try? files.control.read(upTo: 0)
        } else {
            _ = try? [UInt8]().withBytes { (bytes) throws(SystemError) in try files.control.write(bytes) }
        }
    }
}

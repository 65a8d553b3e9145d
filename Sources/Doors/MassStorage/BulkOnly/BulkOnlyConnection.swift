import Synchronization
import USBGadget

/// A host that sees a disk, from the moment that it configures the device until it goes or resets it (USB Mass Storage
/// Class Bulk-Only Transport 1.0).
///
/// There is no medium until `insert` is called.
/// - Isolation: one thread calls `run`; any thread everything else.
package final class BulkOnlyConnection: FunctionFSHost {
    /// An action of the host that the owner of the connection handles.
    package enum Event: Hashable, Sendable {
        /// The host wants to read, but there is no medium. Reported once.
        case mediumWanted
        /// The host has ejected the medium. The unit accepts no other.
        case ejected
    }

    private struct State {
        var unit: SCSIUnit
        var medium: Medium?
        var isWanted = false
        var isClosed = false
        /// The host has reset the device, and the thread of `run` has not noticed yet.
        var isReset = false
        /// Something other than a command came. Nothing is accepted until a reset.
        var isHalted = false
    }

    private let pipes: any USBPipes
    private let happened: @Sendable (Event) -> Void
    private let resetNotice = ResetNotice()
    private let state: Mutex<State>

    /// A connection over pipes that work.
    ///
    /// - Parameter happened: is called on the thread of `run`, and must return soon.
    package init(
        pipes: any USBPipes, identity: SCSIIdentity, happened: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.pipes = pipes
        self.happened = happened
        state = Mutex(State(unit: SCSIUnit(identity: identity)))
    }

    // MARK: The medium

    /// Inserts a medium in place of the present one. The host learns that the medium may have changed.
    ///
    /// - Returns: false after the host has ejected a medium.
    @discardableResult
    package func insert(_ volume: FATVolume, from source: any MediumSource) -> Bool {
        let (old, isTaken) = state.withLock { state -> (Medium?, Bool) in
            guard state.unit.insert(blockCount: volume.blockCount) else { return (nil, false) }
            let old = state.medium
            state.medium = Medium(volume, from: source)
            return (old, true)
        }
        old?.remove()
        return isTaken
    }

    /// Takes the medium out, also from a command that is reading it: nothing more is read when this has returned.
    package func removeMedium() {
        let medium = state.withLock { state in
            state.unit.removeMedium()
            return state.medium.take()
        }
        medium?.remove()
    }

    // MARK: The control pipe

    package func answer(_ setup: USBSetupPacket, data: () -> [UInt8]) -> [UInt8]? {
        switch BulkOnlyRequest(setup) {
        case .reset:
            resetNotice.wait { reset() }
            return []
        case .getMaxLUN: return BulkOnlyRequest.maxLUN
        case nil: return nil
        }
    }

    /// Resets the device for the host (section 3.1). Returns before the reset has taken effect.
    package func reset() {
        state.withLock { state in
            state.isReset = true
            pipes.interrupt()
        }
    }

    package func eventEnded() {}

    package func close() {
        let medium = state.withLock { state in
            state.isClosed = true
            pipes.interrupt()
            return state.medium.take()
        }
        medium?.remove()
    }

    // MARK: Commands

    /// Carries out what the host commands until it has gone or `close` is called.
    ///
    /// - Blocking: until then.
    package func run() {
        while !state.withLock({ $0.isClosed }) {
            do throws(USBPipeError) {
                try serve()
            } catch {
                if error == .gone { close() }
                // Interrupted or overtaken: the host does not read the rest.
                pipes.abandonSending()
            }
        }
    }

    /// Carries out the next command, or skips anything else.
    ///
    /// - Isolation: the thread of `run`, which calls this again and again.
    /// - Blocking: until then.
    package func serve() throws(USBPipeError) {
        noticeReset()
        guard let wrapper = try receiveWrapper() else { return }
        let (reply, medium) = handle(wrapper.command)
        let exchange = BulkOnlyExchange(wrapper, reply)
        try take(exchange.fromHost)
        let sent = try give(exchange, reply.data, medium)
        let status = end(exchange, reply.data, medium, sent)
        let bytes = CommandStatusWrapper(
            tag: wrapper.tag, dataResidue: UInt32(clamping: exchange.toHost + exchange.fromHost - sent), status: status
        ).bytes
        try pipes.send { buffer in
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
    }

    private func noticeReset() {
        guard state.withLock({ $0.isReset }) else { return }
        pipes.abandonSending()
        state.withLock { state in
            (state.isReset, state.isHalted) = (false, false)
            state.unit.reset()
            if !state.isClosed { pipes.resume() }
        }
        resetNotice.give()
    }

    /// Receives the next command; nil when something else came.
    private func receiveWrapper() throws(USBPipeError) -> CommandBlockWrapper? {
        var (wrapper, count) = (CommandBlockWrapper?.none, 0)
        try pipes.receive(pipes.packetSize) { bytes in
            count = bytes.count
            wrapper = CommandBlockWrapper(bytes)
        }
        let isHalted = state.withLock { state -> Bool? in
            guard count > 0, !state.isReset else { return nil }
            state.isHalted = state.isHalted || wrapper == nil
            return state.isHalted
        }
        guard let isHalted else { return nil }
        // A host that starts over before it has read everything does not read the rest.
        pipes.abandonSending()
        // Only a reset ends that (section 6.6.1), so it is repeated when the host has cleared the pipes without one.
        if isHalted { pipes.halt() }
        return isHalted ? nil : wrapper
    }

    private func handle(_ command: SCSICommand) -> (SCSIReply, Medium?) {
        let (reply, medium, event, ejected) = state.withLock { state -> (SCSIReply, Medium?, Event?, Medium?) in
            let reply = state.unit.handle(command)
            switch state.unit.medium {
            case .absent where reply.sense == .mediumNotPresent && !state.isWanted:
                state.isWanted = true
                return (reply, nil, .mediumWanted, nil)
            case .ejected where state.medium != nil: return (reply, nil, .ejected, state.medium.take())
            default: return (reply, state.medium, nil, nil)
            }
        }
        ejected?.remove()
        if let event { happened(event) }
        return (reply, medium)
    }

    /// Receives and discards bytes.
    private func take(_ count: UInt64) throws(USBPipeError) {
        var left = count
        let packet = UInt64(pipes.packetSize)
        while left > 0 {
            let packets = min((left + packet - 1) / packet, UInt64(pipes.transferSize) / packet)
            var received: UInt64 = 0
            try pipes.receive(Int(packets * packet)) { received = UInt64($0.count) }
            // A packet that is not full is the last.
            guard received > 0, received % packet == 0 else { return }
            left -= min(left, received)
        }
    }

    /// Sends the data of a command, and zeros behind it.
    ///
    /// - Returns: the number of meaningful bytes: fewer than wanted when a file cannot be read.
    private func give(
        _ exchange: BulkOnlyExchange, _ data: SCSIReply.Data, _ medium: Medium?
    ) throws(USBPipeError) -> UInt64 {
        var (offset, sent) = (UInt64(0), UInt64(0))
        while offset < exchange.toHost {
            try pipes.send { buffer in
                let transfer = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(Int(clamping: exchange.toHost - offset)))
                let wanted = UnsafeMutableRawBufferPointer(
                    rebasing: transfer.prefix(Int(clamping: exchange.wanted - min(offset, exchange.wanted))))
                // Once something is missing, nothing follows.
                let filled = sent == offset ? fill(wanted, at: offset, data, medium) : 0
                let rest = UnsafeMutableRawBufferPointer(rebasing: transfer[filled...])
                rest.initializeMemory(as: UInt8.self, repeating: 0)
                offset += UInt64(transfer.count)
                sent += UInt64(filled)
                return transfer.count
            }
        }
        return sent
    }

    /// Fills a buffer with the data of a command from an offset.
    ///
    /// - Returns: how many bytes there are: whole blocks, unless it is full.
    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, _ data: SCSIReply.Data, _ medium: Medium?
    ) -> Int {
        guard !buffer.isEmpty else { return 0 }
        switch data {
        case .none, .unwanted: return 0
        case .bytes(let bytes):
            let part = bytes.dropFirst(Int(clamping: offset)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        case .blocks(let blocks):
            let size = FATVolume.blockSize
            // A transfer is whole blocks, but for the last of a host that wants a part of one.
            let first = blocks.lowerBound + offset / UInt64(size)
            let end = first + UInt64((buffer.count + size - 1) / size)
            let count = medium?.read(first..<end, into: buffer) ?? 0
            return count < buffer.count ? count / size * size : count
        }
    }

    /// The status of a command after `sent` bytes of its data.
    private func end(
        _ exchange: BulkOnlyExchange, _ data: SCSIReply.Data, _ medium: Medium?, _ sent: UInt64
    ) -> CommandStatusWrapper.Status {
        guard case .blocks(let blocks) = data, sent < exchange.wanted else { return exchange.status }
        let isRemoved = medium?.isRemoved ?? true
        state.withLock { state in
            let block = blocks.lowerBound + sent / UInt64(FATVolume.blockSize)
            state.unit.fail(isRemoved ? .mediumNotPresent : .unrecoveredRead(block))
        }
        return exchange.status == .passed ? .failed : exchange.status
    }
}

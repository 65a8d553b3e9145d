import Synchronization
import USBGadget

/// A host at the other end of a USB cable, from the moment that it configures the device until it goes or resets it
/// (USB Still Image Capture Device Definition 1.0).
package final class FunctionFSLink: Link {
    /// What the host has begun and ended.
    private struct Exchange {
        /// The host has reset the device, and no call has thrown `.reset` yet.
        var isReset = false
        /// The transaction that began last.
        var transaction: UInt32?
        /// The transaction that the host canceled.
        var cancelled: UInt32?
        /// The bulk pipes were stalled, and nothing was received since.
        var isHalted = false
        /// An operation that came in place of a data phase.
        var early: OperationRequest?

        /// Begins the operation that came early, if any.
        mutating func beginEarly() -> OperationRequest? {
            guard let request = early.take() else { return nil }
            (transaction, cancelled) = (request.transaction, nil)
            return request
        }

        /// A packet has come while the link waits for an operation. After a cancellation it is the next operation.
        ///
        /// - Returns: false when it was sent before a reset.
        mutating func receive(_ packet: USBFirstPacket) -> Bool {
            isHalted = false
            if isReset { return false }
            cancelled = nil
            if case .operation(let request) = packet { transaction = request.transaction }
            return true
        }

        /// Something else came in place of a data phase.
        mutating func lose(_ transaction: UInt32?) {
            if !isReset { cancelled = transaction }
        }

        /// Begins a call of a transaction, or gives the reason why it cannot be made.
        mutating func enter(_ transaction: UInt32?) -> LinkError? {
            if isReset {
                self = Exchange()
                return .reset
            }
            guard let cancelled, transaction == nil || transaction == cancelled else { return nil }
            if transaction == nil { self.cancelled = nil }
            return .cancelled
        }
    }

    private struct Events {
        var waiting = EventQueue()
        var isUnderWay = false
        var last: ResponderEvent?
    }

    private struct State {
        var isClosed = false
        var exchange = Exchange()
        var events = Events()
    }

    /// How a transfer within a transaction has ended.
    private enum Transfer {
        /// The last packet was received.
        case received(USBFirstPacket)
        /// The host has sent something else.
        case overtaken
    }

    private let pipes: any USBPipes
    /// The link's own thread, the one that reads the control pipe and those that send events use it.
    private let state = Mutex(State())
    private let resetNoticed: @Sendable () -> Void

    /// A link over pipes that work.
    ///
    /// - Parameter resetNoticed: is called on the link's thread once a reset has ended its transfer.
    package init(pipes: any USBPipes, resetNoticed: @escaping @Sendable () -> Void = {}) {
        self.pipes = pipes
        self.resetNoticed = resetNoticed
    }

    // MARK: Link

    package func receiveOperation() throws(LinkError) -> OperationRequest {
        if let early = state.withLock({ $0.exchange.beginEarly() }) { return early }
        while true {
            // A canceled transaction is over now.
            do throws(LinkError) { try enter(nil) } catch { if error != .cancelled { throw error } }
            var (packet, isFull) = (USBFirstPacket.empty, false)
            var received = 0
            do throws(USBPipeError) {
                try pipes.receive(pipes.packetSize) { bytes in
                    packet = USBFirstPacket(bytes)
                    received = bytes.count
                    isFull = bytes.count == pipes.packetSize
                }
            } catch {
                if error == .gone { close() }
                continue
            }
            guard state.withLock({ [packet] in $0.exchange.receive(packet) }) else { continue }
            switch packet {
            // The data of a refused operation: the host reads the response after it.
            case .data, .empty: break
            // A host that starts over before it has read everything, because its program was killed, does not read
            // the rest.
            case .operation, .malformedOperation, .invalid: pipes.abandonSending()
            }
            switch packet {
            case .operation(let request): return request
            case .malformedOperation(let request):
                if isFull { drain(nil) }
                do throws(LinkError) {
                    try sendResponse(OperationResponse(.generalError), for: request)
                } catch {
                    // The next round throws the reason.
                }
            case .data(_, _, let length): if isFull { drain(Self.rest(of: length, after: received)) }
            case .empty: break
            case .invalid:
                if isFull { drain(nil) }
                halt()
            }
        }
    }

    package func receiveData(
        of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError) {
        var isWanted = true
        var rest: UInt64?
        var (received, announced) = (0, Int.max)
        var unexpected: USBFirstPacket?
        repeat {
            try enter(request.transaction)
            try receive(pipes.packetSize, for: request) { bytes in
                received = bytes.count
                let packet = USBFirstPacket(bytes)
                switch packet {
                case .data(request.code, request.transaction, let length):
                    let payload = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(USBContainer.headerByteCount))
                    let payloadCount = Self.rest(of: length, after: USBContainer.headerByteCount)
                    let wanted = payload.prefix(Int(clamping: payloadCount ?? .max))
                    if !wanted.isEmpty { isWanted = body(UnsafeRawBufferPointer(rebasing: wanted)) }
                    rest = Self.rest(of: length, after: received)
                    announced = rest == nil ? .max : Int(length)
                case .empty: break
                default: unexpected = packet
                }
            }
        } while received == 0
        if let unexpected { try refuse(unexpected, isFull: received == pipes.packetSize, in: request) }
        // Some initiators send the header alone.
        guard received == pipes.packetSize || received == USBContainer.headerByteCount else { return }
        if received > announced { return drain(nil) }
        try receiveRest(rest, of: request) { bytes in
            if isWanted { isWanted = body(bytes) }
        }
    }

    package func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool {
        let header = USBContainer.dataHeader(for: request, byteCount: byteCount)
        var (isFirst, isWhole) = (true, true)
        var (left, sent) = (byteCount, UInt64(0))
        repeat {
            try enter(request.transaction)
            do throws(USBPipeError) {
                try pipes.send { buffer in
                    var used = 0
                    if isFirst {
                        buffer.copyBytes(from: header)
                        used = header.count
                        isFirst = false
                    }
                    let wanted = Int(clamping: min(left, UInt64(buffer.count - used)))
                    if wanted > 0 {
                        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[used..<used + wanted])
                        let filled = min(max(0, fill(place)), wanted)
                        isWhole = filled == wanted
                        left -= UInt64(filled)
                        used += filled
                    }
                    sent += UInt64(used)
                    return used
                }
            } catch {
                try end(error, request)
            }
        } while left > 0 && isWhole
        if USBContainer.needsEmptyPacket(after: sent, packetSize: pipes.packetSize) {
            do throws(USBPipeError) { try pipes.sendEmptyPacket() } catch { try end(error, request) }
        }
        return isWhole
    }

    package func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError) {
        do throws(LinkError) {
            try enter(request.transaction)
            try sendResponse(response, for: request)
        } catch {
            // A canceled transaction has no response (section 5.2.1).
            if error != .cancelled { throw error }
        }
    }

    package func send(_ event: ResponderEvent) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.events.waiting.append(event)
            if !state.events.isUnderWay { beginEvent(&state) }
        }
    }

    package func close() {
        state.withLock { state in
            state.isClosed = true
            pipes.interrupt()
        }
    }

    // MARK: The control pipe

    /// Cancels a transaction for the host (section 5.2.1). A transaction that has ended is unaffected.
    ///
    /// - Isolation: any thread.
    package func cancel(_ transaction: UInt32) {
        state.withLock { state in
            guard state.exchange.transaction == transaction else { return }
            state.exchange.cancelled = transaction
            pipes.interrupt()
        }
    }

    /// Resets the device for the host (section 5.2.3).
    ///
    /// - Isolation: any thread.
    package func reset() {
        state.withLock { state in
            state.events.waiting = EventQueue()
            state.exchange.isReset = true
            pipes.interrupt()
        }
    }

    /// The state of the device that the host can query.
    package var status: USBDeviceStatus {
        state.withLock { state in
            if state.exchange.isReset || state.exchange.cancelled != nil { return .busy }
            return state.exchange.isHalted ? .halted(pipes.addresses) : .ready
        }
    }

    /// The last event that was sent.
    package var lastEvent: ResponderEvent? { state.withLock { $0.events.last } }

    /// Reports that the host has read an event, or never will.
    ///
    /// - Isolation: any thread.
    package func eventEnded() {
        state.withLock { state in
            state.events.isUnderWay = false
            beginEvent(&state)
        }
    }

    private func beginEvent(_ state: inout State) {
        guard !state.isClosed, let event = state.events.waiting.next() else { return }
        state.events.last = event
        state.events.isUnderWay = pipes.beginEvent(USBContainer.bytes(event))
    }

    // MARK: What ends a call

    /// Begins a call, or throws the reason why it cannot be made.
    ///
    /// - Parameters:
    ///   - transaction: the transaction of the call; nil when it waits for the next, which ends a canceled one.
    ///   - transfer: the transfer that has just ended.
    private func enter(_ transaction: UInt32?, after transfer: Transfer? = nil) throws(LinkError) {
        let failure: LinkError? = state.withLock { state in
            switch transfer {
            case .received: state.exchange.isHalted = false
            case .overtaken: state.exchange.lose(transaction)
            case nil: break
            }
            if state.isClosed { return .closed }
            pipes.resume()
            let failure = state.exchange.enter(transaction)
            // The packet that ended it may already be the next operation.
            if failure == .cancelled, case .received(.operation(let early)) = transfer,
                early.transaction != transaction
            {
                state.exchange.early = early
            }
            return failure
        }
        guard let failure else { return }
        if failure != .closed { pipes.abandonSending() }
        if failure == .reset { resetNoticed() }
        throw failure
    }

    /// Throws the reason that ended a transfer within a transaction.
    private func end(_ error: USBPipeError, _ request: OperationRequest) throws(LinkError) {
        if error == .gone { close() }
        try enter(request.transaction, after: error == .overtaken ? .overtaken : nil)
        throw .cancelled
    }

    // MARK: Receiving and sending

    private static func rest(of length: UInt32, after count: Int) -> UInt64? {
        if length == USBContainer.unknownLength { return nil }
        return UInt64(length) > UInt64(count) ? UInt64(length) - UInt64(count) : 0
    }

    /// Receives bytes of a data phase.
    ///
    /// - Returns: the last packet, if it was not full, because it may be the next operation.
    @discardableResult
    private func receive(
        _ count: Int, for request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(LinkError) -> USBFirstPacket {
        var last = USBFirstPacket.empty
        do throws(USBPipeError) {
            try pipes.receive(count) { bytes in
                last = USBFirstPacket(UnsafeRawBufferPointer(rebasing: bytes.suffix(bytes.count % pipes.packetSize)))
                body(bytes)
            }
        } catch {
            try end(error, request)
        }
        try enter(request.transaction, after: .received(last))
        return last
    }

    /// Receives the rest of a data phase: `rest` bytes, or until a packet that is not full.
    private func receiveRest(
        _ rest: UInt64?, of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(LinkError) {
        var left = rest
        var (isAtEnd, isTooLong) = (false, false)
        while !isAtEnd, left.map({ $0 > 0 }) ?? true {
            let wanted = wantedCount(left)
            try enter(request.transaction)
            let last = try receive(wanted, for: request) { bytes in
                let payload = bytes.prefix(Int(clamping: left ?? .max))
                if !payload.isEmpty { body(UnsafeRawBufferPointer(rebasing: payload)) }
                isAtEnd = bytes.count < wanted
                isTooLong = !isAtEnd && bytes.count > payload.count
                left = left.map { $0 - UInt64(payload.count) }
            }
            // A killed program never sends the rest; the next program begins with an operation.
            if left.map({ $0 > 0 }) ?? false, case .operation = last { try refuse(last, isFull: false, in: request) }
        }
        if isTooLong { drain(nil) }
    }

    /// Receives and discards the rest of a malformed transfer.
    private func drain(_ rest: UInt64?) {
        var left = rest
        var isAtEnd = false
        while !isAtEnd, left.map({ $0 > 0 }) ?? true {
            let wanted = wantedCount(left)
            do throws(USBPipeError) {
                try pipes.receive(wanted) { bytes in
                    isAtEnd = bytes.count < wanted
                    left = left.map { $0 - min($0, UInt64(bytes.count)) }
                }
            } catch {
                // The next call throws the reason.
                if error == .gone { close() }
                return
            }
        }
    }

    /// The number of bytes to request. A request for more than the host sends, in full packets, would never end.
    private func wantedCount(_ left: UInt64?) -> Int {
        guard let left, left < UInt64(pipes.transferSize) else { return pipes.transferSize }
        let packets = (Int(left) + pipes.packetSize - 1) / pipes.packetSize
        return packets * pipes.packetSize
    }

    /// Cancels a transaction because something else came in place of its data phase.
    private func refuse(
        _ packet: USBFirstPacket, isFull: Bool, in request: OperationRequest
    ) throws(LinkError) {
        if isFull { drain(nil) }
        var early: OperationRequest?
        if case .operation(let operation) = packet { early = operation } else { halt() }
        state.withLock { [early] state in
            if early != nil { state.exchange.early = early }
            state.exchange.lose(request.transaction)
        }
        throw .cancelled
    }

    private func halt() {
        state.withLock { $0.exchange.isHalted = true }
        pipes.halt()
    }

    private func sendResponse(_ response: OperationResponse, for request: OperationRequest) throws(LinkError) {
        let bytes = USBContainer.bytes(response, transaction: request.transaction)
        do throws(USBPipeError) {
            try pipes.send { buffer in
                buffer.copyBytes(from: bytes)
                return bytes.count
            }
        } catch {
            try end(error, request)
        }
    }
}

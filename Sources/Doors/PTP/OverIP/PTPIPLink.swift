import Glibc
import Platform
import Synchronization

/// An initiator at the other end of two TCP connections: one for operations and data, one for events
/// (CIPA DC-005, section 2.2).
///
/// An initiator may cancel on either connection (section 2.7), so the link reads both while it sends data.
package final class PTPIPLink: Link {
    /// How long an initiator may send nothing in the middle of a data phase, or take nothing of what is sent.
    package static let patience = Duration.seconds(30)
    /// Payload of one data packet in bytes: little enough to be in the processor's cache still when it is written, and,
    /// with its headers, to be one buffer of 64 KiB at most on its way through the kernel.
    static let pieceByteCount = 63 << 10
    /// The most bytes sent between two checks for a cancellation.
    private static let unreadByteCount: UInt64 = 256 << 10
    /// Where in the buffer the payload begins: two headers may stand before it, and all goes with one write.
    private static let payloadOffset = PTPIPPacket.startDataByteCount + PTPIPPacket.dataHeaderByteCount

    private let command: PTPIPSocket
    private let events: PTPIPSocket
    private let patience: Duration
    /// Wakes the thread when events wait for space, so that it waits for that too.
    private let wake: Descriptor
    private let outgoing = Mutex(PTPIPOutgoing())
    /// Held for a whole call by the one thread that calls.
    private let exchange = Mutex(PTPIPExchange())

    /// A link over two connections whose handshake is done.
    init(command: PTPIPSocket, events: PTPIPSocket, patience: Duration = PTPIPLink.patience) throws(SystemError) {
        self.command = command
        self.events = events
        self.patience = patience
        wake = try Descriptor.eventCounter()
    }

    package func close() {
        outgoing.withLock { $0.close() }
        command.shutDown()
        events.shutDown()
    }

    package func send(_ event: ResponderEvent) {
        if writeEvents({ $0.append(event) }) { return }
        var one: UInt64 = 1
        // A full counter (EAGAIN) wakes as well.
        _ = withUnsafeBytes(of: &one) { Glibc.write(wake.raw, $0.baseAddress, $0.count) }
    }

    package func receiveOperation() throws(LinkError) -> OperationRequest {
        try act { (exchange) throws(LinkError) in
            exchange.end()
            while true {
                switch try next(&exchange, within: nil) {
                case .packet(.operationRequest(let request, _)):
                    exchange.begin(request.transaction)
                    return request
                case .malformedOperation(let transaction):
                    try write(PTPIPPacket(OperationResponse(.generalError), transaction: transaction), &exchange)
                case .packet(.probeRequest): try write(.probeResponse, &exchange)
                default: break
                }
            }
        }
    }

    package func receiveData(
        of request: OperationRequest, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(LinkError) {
        try act { (exchange) throws(LinkError) in
            var isOurs = false
            var isLastPacket = false
            var isWanted = true
            while let element = try next(&exchange, within: patience) {
                switch element {
                case .packet(.data(let transaction, _)):
                    isOurs = transaction == request.transaction
                    isLastPacket = false
                case .packet(.endData(let transaction, _)):
                    isOurs = transaction == request.transaction
                    isLastPacket = isOurs
                case .payload(let piece, let isEnd):
                    if isOurs, isWanted, !piece.isEmpty {
                        isWanted = exchange.commands.bytes[piece].withUnsafeBytes { body($0) }
                    }
                    if isLastPacket, isEnd { return }
                case .packet(.operationRequest), .malformedOperation:
                    // No more data comes when the next operation is here.
                    exchange.held = element
                    return
                case .packet(.probeRequest): try write(.probeResponse, &exchange)
                default: break
                }
            }
            throw .cancelled
        }
    }

    package func sendData(
        of request: OperationRequest, byteCount: UInt64, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool {
        try act { (exchange) throws(LinkError) in
            // Kept from one data phase to the next, and taken out while it is used.
            var buffer: [UInt8] = []
            swap(&buffer, &exchange.sending)
            defer { swap(&buffer, &exchange.sending) }
            if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.payloadOffset + Self.pieceByteCount) }
            return try buffer.withMutableBytes { (buffer) throws(LinkError) in
                try send(byteCount, of: request.transaction, through: buffer, &exchange, fill)
            }
        }
    }

    package func send(_ response: OperationResponse, for request: OperationRequest) throws(LinkError) {
        try act { (exchange) throws(LinkError) in
            try write(PTPIPPacket(response, transaction: request.transaction), &exchange)
            exchange.end()
        }
    }

    // MARK: The thread that calls

    /// Runs one call; a link that has failed is closed.
    private func act<Success: Sendable>(
        _ body: (inout PTPIPExchange) throws(LinkError) -> Success
    ) throws(LinkError) -> Success {
        do throws(LinkError) {
            return try exchange.withLock { (exchange) throws(LinkError) in try body(&exchange) }
        } catch {
            if error == .closed { close() }
            throw error
        }
    }

    /// Waits for the next element of the command connection.
    ///
    /// - Returns: nil when the transaction was canceled.
    private func next(
        _ exchange: inout PTPIPExchange, within limit: Duration?
    ) throws(LinkError) -> PTPIPDecoder.Element? {
        let deadline = limit.map { MonotonicTime.now() + $0 }
        while !exchange.isCancelled {
            if let element = try exchange.nextCommand() {
                guard case .packet(.cancel(let transaction)) = element else { return element }
                exchange.cancel(transaction)
            } else if try !exchange.commands.fill(from: command) {
                try wait(for: POLLIN, &exchange, until: deadline)
            }
        }
        return nil
    }

    /// Sends a data phase: every packet with one write, header and payload together.
    private func send(
        _ byteCount: UInt64, of transaction: UInt32, through buffer: UnsafeMutableRawBufferPointer,
        _ exchange: inout PTPIPExchange, _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(LinkError) -> Bool {
        var left = byteCount
        var sinceLook = Self.unreadByteCount
        var header = PTPIPPacket.startData(transaction: transaction, byteCount: byteCount).bytes
        while true {
            if sinceLook >= Self.unreadByteCount {
                try wait(for: 0, &exchange, until: nil)
                sinceLook = 0
            }
            let payload = buffer[Self.payloadOffset...].prefix(Int(min(left, UInt64(buffer.count))))
            var count = 0
            if !exchange.isCancelled, !payload.isEmpty {
                count = min(max(0, fill(UnsafeMutableRawBufferPointer(rebasing: payload))), payload.count)
            }
            left -= UInt64(count)
            sinceLook += UInt64(count)
            let isLast = count < payload.count || left == 0
            let packet: PTPIPPacket =
                isLast
                ? .endData(transaction: transaction, byteCount: UInt32(count))
                : .data(transaction: transaction, byteCount: UInt32(count))
            header += packet.bytes
            let start = Self.payloadOffset - header.count
            UnsafeMutableRawBufferPointer(rebasing: buffer[start..<Self.payloadOffset]).copyBytes(from: header)
            try write(UnsafeRawBufferPointer(rebasing: buffer[start..<Self.payloadOffset + count]), &exchange)
            header.removeAll(keepingCapacity: true)
            guard isLast else { continue }
            if left > 0, exchange.isCancelled { throw .cancelled }
            return left == 0
        }
    }

    private func write(_ packet: PTPIPPacket, _ exchange: inout PTPIPExchange) throws(LinkError) {
        try packet.bytes.withBytes { (bytes) throws(LinkError) in try write(bytes, &exchange) }
    }

    /// Writes all of it to the command connection, and throws when the initiator reads nothing for too long.
    private func write(_ bytes: UnsafeRawBufferPointer, _ exchange: inout PTPIPExchange) throws(LinkError) {
        var rest = bytes
        while !rest.isEmpty {
            if let count = try command.write(rest) {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                continue
            }
            let deadline = MonotonicTime.now() + patience
            while try !wait(for: POLLOUT, &exchange, until: deadline) {}
        }
    }

    /// Waits until the command connection is ready, and handles the other connection meanwhile.
    ///
    /// - Parameters:
    ///   - interest: POLLIN or POLLOUT, or 0 to look once without waiting.
    ///   - deadline: when to close the connection; nil for never.
    /// - Returns: true when it is ready; false when something else came.
    @discardableResult
    private func wait(
        for interest: Int32, _ exchange: inout PTPIPExchange, until deadline: MonotonicTime?
    ) throws(LinkError) -> Bool {
        // The link reads while it sends data, but only until it holds one element.
        let isSending = interest != POLLIN
        let reads = !isSending || exchange.held == nil
        let (isClosed, hasEvents) = outgoing.withLock { ($0.isClosed, !$0.isEmpty) }
        if isClosed { throw .closed }
        var ready = [
            pollfd(fd: command.descriptor.raw, events: Int16(interest | (reads ? POLLIN : 0)), revents: 0),
            pollfd(fd: events.descriptor.raw, events: Int16(POLLIN | (hasEvents ? POLLOUT : 0)), revents: 0),
            pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&ready, nfds_t(ready.count), interest == 0 ? 0 : Self.milliseconds(until: deadline))
        if count == 0, interest != 0, let deadline, deadline <= .now() { throw .closed }
        guard count > 0 else { return false }
        if ready[2].revents != 0 {
            var value: UInt64 = 0
            _ = withUnsafeMutableBytes(of: &value) { read(wake.raw, $0.baseAddress, $0.count) }
        }
        if ready[1].revents != 0 {
            var probes = 0
            while try exchange.events.fill(from: events) { probes += try exchange.readEvents() }
            writeEvents { $0.answer(probes: probes) }
        }
        if isSending, reads, ready[0].revents != 0 {
            try exchange.lookAhead()
            while exchange.held == nil, try exchange.commands.fill(from: command) { try exchange.lookAhead() }
        }
        return Int32(ready[0].revents) & (interest | POLLERR | POLLHUP) != 0
    }

    private static func milliseconds(until deadline: MonotonicTime?) -> Int32 {
        guard let deadline else { return -1 }
        let nanoseconds = max(0, (deadline - .now()).wholeNanoseconds)
        return Int32(min((nanoseconds + 999_999) / 1_000_000, 60_000))
    }

    // MARK: Any thread

    /// Adds to the output of the event connection, and writes as much as its buffer takes.
    ///
    /// - Returns: false when output waits for space in the buffer.
    @discardableResult
    private func writeEvents(_ change: (inout PTPIPOutgoing) -> Void) -> Bool {
        let (isDone, isBroken) = outgoing.withLock { outgoing in
            change(&outgoing)
            do throws(LinkError) {
                try outgoing.flush(to: events)
                return (outgoing.isEmpty, false)
            } catch {
                return (true, true)
            }
        }
        if isBroken { close() }
        return isDone
    }
}

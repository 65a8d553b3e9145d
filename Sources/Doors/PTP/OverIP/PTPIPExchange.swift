import Platform

/// The state of a link's exchange with its initiator: the received bytes and the current transaction.
struct PTPIPExchange: Sendable {
    /// The bytes received on the command connection.
    var commands = PTPIPInput(byteCount: 64 << 10)
    /// The bytes received on the event connection.
    var events = PTPIPInput(byteCount: 1 << 10)
    /// The buffer of outgoing data packets; empty before the first.
    var sending: [UInt8] = []
    /// An element that came while data was sent. Nothing is read after it until it is handled.
    var held: PTPIPDecoder.Element?

    private var current: UInt32?
    private var ended: UInt32?
    private var cancelled: UInt32?

    /// True when the initiator has canceled the current transaction.
    var isCancelled: Bool { current != nil && cancelled == current }

    /// Begins a transaction, whose cancellation may have come earlier on the other connection.
    mutating func begin(_ transaction: UInt32) {
        current = transaction
        if cancelled != transaction { cancelled = nil }
    }

    /// Ends the transaction, because its response was sent.
    mutating func end() {
        guard let current else { return }
        ended = current
        self.current = nil
        cancelled = nil
    }

    /// Cancels a transaction, unless it has ended.
    mutating func cancel(_ transaction: UInt32) {
        if transaction == current || (current == nil && transaction != ended) { cancelled = transaction }
    }

    /// The next element of the command connection, nil when more must be read.
    mutating func nextCommand() throws(LinkError) -> PTPIPDecoder.Element? {
        if let held {
            self.held = nil
            return held
        }
        return try commands.next()
    }

    /// Handles what came while data is sent: cancellations at once, everything but data later.
    mutating func lookAhead() throws(LinkError) {
        while held == nil, let element = try commands.next() {
            switch element {
            case .packet(.cancel(let transaction)): cancel(transaction)
            case .packet(.startData), .packet(.data), .packet(.endData), .payload, .malformed: break
            default: held = element
            }
        }
    }

    /// Handles what came on the event connection.
    ///
    /// - Returns: the number of probes to answer.
    mutating func readEvents() throws(LinkError) -> Int {
        var probes = 0
        while let element = try events.next() {
            switch element {
            case .packet(.cancel(let transaction)),
                .packet(.event(EventCode.cancelTransaction.rawValue, let transaction, _)):
                cancel(transaction)
            case .packet(.probeRequest): probes += 1
            default: break
            }
        }
        return probes
    }
}

/// The receiving half of one connection.
struct PTPIPInput: Sendable {
    private(set) var bytes: [UInt8]
    private var rest = 0..<0
    private var decoder = PTPIPDecoder()

    /// An input that reads at most `byteCount` bytes at once.
    init(byteCount: Int) {
        bytes = [UInt8](repeating: 0, count: byteCount)
    }

    /// The next element in the bytes read; nil when they hold none.
    ///
    /// - Throws: `.closed` when the start of the next packet is unknown.
    mutating func next() throws(LinkError) -> PTPIPDecoder.Element? {
        do throws(PTPIPDecoder.FramingLost) {
            return try decoder.next(bytes, &rest)
        } catch {
            throw .closed
        }
    }

    /// Reads once, after all earlier bytes were handled.
    ///
    /// - Returns: false when there was nothing to read.
    mutating func fill(from socket: PTPIPSocket) throws(LinkError) -> Bool {
        guard let count = try bytes.withMutableBytes({ (bytes) throws(LinkError) in try socket.read(into: bytes) })
        else { return false }
        rest = 0..<count
        return true
    }
}

import Platform

/// What a link knows of its initiator: the bytes that have come, and the transaction that runs.
struct PTPIPExchange: Sendable {
    /// What has come on the command connection.
    var commands = PTPIPInput(byteCount: 64 << 10)
    /// What has come on the event connection.
    var events = PTPIPInput(byteCount: 1 << 10)
    /// Room for a data packet that is sent; none before the first.
    var sending: [UInt8] = []
    /// An element that came while data was sent and waits for its turn; nothing is read after it.
    var held: PTPIPDecoder.Element?

    private var current: UInt32?
    private var ended: UInt32?
    private var cancelled: UInt32?

    /// True when the initiator has given up the transaction that runs.
    var isCancelled: Bool { current != nil && cancelled == current }

    /// An operation was received. Its cancellation may have overtaken it on the other connection.
    mutating func begin(_ transaction: UInt32) {
        current = transaction
        if cancelled != transaction { cancelled = nil }
    }

    /// Its response was sent.
    mutating func end() {
        guard let current else { return }
        ended = current
        self.current = nil
        cancelled = nil
    }

    /// The initiator gives up a transaction; one that is over already cannot be given up.
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

    /// Looks at what came while data is sent: cancellations count at once, all but data waits for its turn.
    mutating func lookAhead() throws(LinkError) {
        while held == nil, let element = try commands.next() {
            switch element {
            case .packet(.cancel(let transaction)): cancel(transaction)
            case .packet(.startData), .packet(.data), .packet(.endData), .payload, .malformed: break
            default: held = element
            }
        }
    }

    /// Takes what came on the event connection.
    ///
    /// - Returns: how often the initiator asked whether somebody is there.
    mutating func hearEvents() throws(LinkError) -> Int {
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

    /// An input that reads at most so many bytes at once.
    init(byteCount: Int) {
        bytes = [UInt8](repeating: 0, count: byteCount)
    }

    /// The next element of what was read, nil when there is none.
    ///
    /// - Throws: `.closed` when nobody knows any more where a packet begins.
    mutating func next() throws(LinkError) -> PTPIPDecoder.Element? {
        do throws(PTPIPDecoder.FramingLost) {
            return try decoder.next(bytes, &rest)
        } catch {
            throw .closed
        }
    }

    /// Reads once, when everything before was taken.
    ///
    /// - Returns: false when there was nothing to read.
    mutating func fill(from socket: PTPIPSocket) throws(LinkError) -> Bool {
        guard let count = try bytes.withMutableBytes({ (bytes) throws(LinkError) in try socket.read(into: bytes) })
        else { return false }
        rest = 0..<count
        return true
    }
}

/// One operation that an initiator asks for (PTP, ISO 15740, clause 9.3).
package struct OperationRequest: Hashable, Sendable {
    /// The code as it came; nothing says that it is one of `OperationCode`.
    package var code: UInt16
    /// The transaction's number.
    package var transaction: UInt32
    /// At most five.
    package var parameters: [UInt32]

    /// A request.
    package init(_ code: UInt16, transaction: UInt32, parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }

    /// A parameter by its place from 0; one that was not sent counts as 0.
    package func parameter(_ index: Int) -> UInt32 {
        parameters.indices.contains(index) ? parameters[index] : 0
    }
}

/// The answer that ends a transaction (PTP, ISO 15740, clause 9.3).
package struct OperationResponse: Hashable, Sendable {
    /// How it ended.
    package var code: ResponseCode
    /// At most five.
    package var parameters: [UInt32]

    /// A response.
    package init(_ code: ResponseCode, _ parameters: [UInt32] = []) {
        self.code = code
        self.parameters = parameters
    }
}

/// Something that an initiator is told unasked (PTP, ISO 15740, clause 9.3.4).
package struct ResponderEvent: Hashable, Sendable {
    /// What happened.
    package var code: EventCode
    /// The transaction it belongs to; all ones for none.
    package var transaction: UInt32
    /// At most three.
    package var parameters: [UInt32]

    /// An event.
    package init(_ code: EventCode, transaction: UInt32 = 0xffff_ffff, _ parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}

/// Events that wait until the initiator takes them.
///
/// When there are too many the oldest are given up, and `unreportedStatus` says so in their place (PTP, ISO 15740,
/// clause 12): the initiator is then to look for itself.
package struct EventQueue: Sendable {
    private var events: [ResponderEvent] = []
    private var hasLost = false
    private let capacity: Int

    /// An empty queue.
    package init(capacity: Int = 1000) {
        self.capacity = capacity
    }

    /// True when nothing waits.
    package var isEmpty: Bool { events.isEmpty && !hasLost }

    /// Adds an event.
    package mutating func append(_ event: ResponderEvent) {
        if events.count >= capacity {
            events.removeFirst()
            hasLost = true
        }
        events.append(event)
    }

    /// Takes the next event.
    package mutating func next() -> ResponderEvent? {
        if hasLost {
            hasLost = false
            return ResponderEvent(.unreportedStatus)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }
}

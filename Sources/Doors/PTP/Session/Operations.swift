/// A request for an operation, from an initiator (PTP, ISO 15740, clause 9.3).
package struct OperationRequest: Hashable, Sendable {
    /// The code as received, which may be none of `OperationCode`.
    package var code: UInt16
    /// The number that the initiator gave the transaction.
    package var transaction: UInt32
    /// At most five numbers, whose meaning depends on the operation.
    package var parameters: [UInt32]

    /// A request with a code as received.
    package init(_ code: UInt16, transaction: UInt32, parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }

    /// The parameter at a position from 0; a missing one counts as 0.
    package func parameter(_ index: Int) -> UInt32 {
        parameters.indices.contains(index) ? parameters[index] : 0
    }
}

/// The response that ends a transaction (PTP, ISO 15740, clause 9.3).
package struct OperationResponse: Hashable, Sendable {
    /// The result of the operation.
    package var code: ResponseCode
    /// At most five numbers, whose meaning depends on the operation.
    package var parameters: [UInt32]

    /// A response, without parameters unless given.
    package init(_ code: ResponseCode, _ parameters: [UInt32] = []) {
        self.code = code
        self.parameters = parameters
    }
}

/// A report to an initiator that it did not request (PTP, ISO 15740, clause 9.3.4).
package struct ResponderEvent: Hashable, Sendable {
    /// The kind of change.
    package var code: EventCode
    /// The transaction that caused it; all ones without one.
    package var transaction: UInt32
    /// At most three numbers, such as an object's handle.
    package var parameters: [UInt32]

    /// An event, of no transaction unless given.
    package init(_ code: EventCode, transaction: UInt32 = 0xffff_ffff, _ parameters: [UInt32] = []) {
        self.code = code
        self.transaction = transaction
        self.parameters = parameters
    }
}

/// A queue of events that the initiator has not taken yet.
///
/// A full queue drops the oldest, and `unreportedStatus` takes their place (PTP, ISO 15740, clause 12): the initiator
/// then has to list the store itself.
package struct EventQueue: Sendable {
    private var events: [ResponderEvent] = []
    private var hasLost = false
    private let capacity: Int

    /// An empty queue that holds at most `capacity` events.
    package init(capacity: Int = 1000) {
        self.capacity = capacity
    }

    /// True when the queue holds no event and dropped none.
    package var isEmpty: Bool { events.isEmpty && !hasLost }

    /// Appends an event, in place of the oldest if the queue is full.
    package mutating func append(_ event: ResponderEvent) {
        if events.count >= capacity {
            events.removeFirst()
            hasLost = true
        }
        events.append(event)
    }

    /// Removes the next event and returns it; nil when the queue is empty.
    package mutating func next() -> ResponderEvent? {
        if hasLost {
            hasLost = false
            return ResponderEvent(.unreportedStatus)
        }
        return events.isEmpty ? nil : events.removeFirst()
    }
}

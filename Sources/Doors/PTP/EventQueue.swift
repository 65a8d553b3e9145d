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

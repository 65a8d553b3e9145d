import Synchronization

/// Collects what several threads say.
package final class Recorder<Element: Sendable>: Sendable {
    private let state = Mutex<[Element]>([])

    /// An empty one.
    package init() {}

    /// Adds an element.
    package func add(_ element: Element) {
        state.withLock { $0.append(element) }
    }

    /// What was added so far, in order.
    package var elements: [Element] { state.withLock { $0 } }
}

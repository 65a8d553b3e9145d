import Synchronization

/// Collects what several threads report, so that a test can wait for it without polling.
package final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Watched<[Element]>([])

    /// A recorder without elements.
    package init() {}

    /// Appends an element and resumes the tests that wait for it.
    package func add(_ element: Element) {
        recorded.withLock { $0.append(element) }
    }

    /// The elements so far, in the order in which they were added.
    package var elements: [Element] { recorded.withLock { $0 } }

    /// Waits until there are at least `count` elements, and returns all of them.
    @discardableResult
    package func elements(_ count: Int) async -> [Element] {
        await recorded.until { $0.count >= count }
    }

    /// Waits until the elements meet a condition, and returns all of them.
    @discardableResult
    package func until(_ condition: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        await recorded.until(condition)
    }

    /// Waits for the first element that matches.
    ///
    /// - Returns: nil only when the task was canceled.
    @discardableResult
    package func first(where matches: @escaping @Sendable (Element) -> Bool) async -> Element? {
        await recorded.until { $0.contains(where: matches) }.first(where: matches)
    }
}

/// The state of a fake. Tests wait for a condition on it instead of polling.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiting {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var nextToken: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state: Mutex<State>

    /// A value that nothing waits on yet.
    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// Reads or changes the value, then resumes the tests whose condition it meets.
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = body(&state.value)
            let met = state.waiting.filter { $0.value.condition(state.value) }
            for token in met.keys { state.waiting[token] = nil }
            return (result, met)
        }
        for waiting in met.values { waiting.continuation.resume() }
        return result
    }

    /// Waits until the value meets a condition, or the task is canceled.
    ///
    /// - Returns: the value afterwards.
    @discardableResult
    package func until(_ condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        let token = state.withLock { state in
            defer { state.nextToken += 1 }
            return state.nextToken
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if condition(state.value) || Task.isCancelled { return true }
                    state.waiting[token] = Waiting(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: token) }?.continuation.resume()
        }
        return state.withLock { $0.value }
    }
}

import Synchronization

/// The requests under way, and which of them were canceled.
final class RequestTable: Sendable {
    private struct State {
        var last: Int32 = 0
        var isCancelled: [Int32: Bool] = [:]
    }

    private let state = Mutex(State())

    /// A new request's number, above zero.
    func begin() -> Int32 {
        state.withLock { state in
            repeat {
                state.last = state.last == .max ? 1 : state.last + 1
            } while state.isCancelled[state.last] != nil
            state.isCancelled[state.last] = false
            return state.last
        }
    }

    /// Marks a request; nothing happens when it is not under way.
    func cancel(_ request: Int32) {
        state.withLock { state in
            if state.isCancelled[request] != nil { state.isCancelled[request] = true }
        }
    }

    /// True when a request was canceled.
    func isCancelled(_ request: Int32) -> Bool {
        state.withLock { $0.isCancelled[request] ?? false }
    }

    /// Takes a request out; true when it was canceled before.
    func end(_ request: Int32) -> Bool {
        state.withLock { $0.isCancelled.removeValue(forKey: request) ?? false }
    }
}

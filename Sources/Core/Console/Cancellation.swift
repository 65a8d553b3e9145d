import Synchronization

/// Whether the answer to one command is still wanted, and who asked to be told when it is not.
final class Cancellation: Sendable {
    private enum State {
        case open([@Sendable () -> Void])
        case cancelled
        case finished
    }

    private let state = Mutex(State.open([]))

    /// True once cancelled.
    var isCancelled: Bool {
        state.withLock { if case .cancelled = $0 { true } else { false } }
    }

    /// True until cancelled or finished.
    var isOpen: Bool {
        state.withLock { if case .open = $0 { true } else { false } }
    }

    /// Tells all who asked, once.
    func cancel() {
        let bodies = state.withLock { state -> [@Sendable () -> Void] in
            guard case .open(let bodies) = state else { return [] }
            state = .cancelled
            return bodies
        }
        for body in bodies { body() }
    }

    /// Calls `body` on cancellation; at once if it was before.
    func onCancel(_ body: @escaping @Sendable () -> Void) {
        let wasCancelled = state.withLock { state in
            switch state {
            case .open(let bodies):
                state = .open(bodies + [body])
                return false
            case .cancelled: return true
            case .finished: return false
            }
        }
        if wasCancelled { body() }
    }

    /// Ends the possibility of cancelling.
    func finish() {
        state.withLock { if case .open = $0 { $0 = .finished } }
    }
}

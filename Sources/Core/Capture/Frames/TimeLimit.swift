import Synchronization

/// Waits for an operation, but no longer than a limit: a driver that never returns must not block the camera.
final class TimeLimit<Success: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Success?, Never>?>

    private init(_ continuation: CheckedContinuation<Success?, Never>) {
        self.continuation = Mutex(continuation)
    }

    /// Runs an operation to its end, or stops waiting for it.
    ///
    /// - Parameters:
    ///   - limit: returns when the limit has come; canceled when the operation has come back.
    ///   - late: run once the operation comes back after the limit.
    /// - Returns: its result; nil when the limit came first.
    static func wait(
        _ limit: @escaping @Sendable () async -> Void, for operation: @escaping @Sendable () async -> Success,
        late: @escaping @Sendable () async -> Void
    ) async -> Success? {
        await withCheckedContinuation { continuation in
            let race = TimeLimit(continuation)
            let timer = Task {
                await limit()
                race.end(nil)
            }
            Task {
                let isInTime = race.end(await operation())
                timer.cancel()
                if !isInTime { await late() }
            }
        }
    }

    @discardableResult
    private func end(_ result: Success?) -> Bool {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: result)
        return waiting != nil
    }
}

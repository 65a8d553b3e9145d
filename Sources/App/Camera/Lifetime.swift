import Console
import Platform

/// What was started, in order. It stops in reverse order, all of it, whatever failed on the way.
///
/// - Isolation: the task that starts and stops.
package struct Lifetime: ~Copyable {
    private var steps: [@Sendable () async -> Void] = []

    /// Nothing is started yet.
    package init() {}

    /// Starts one more part. When `start` throws, the part counts as not started; the caller stops the others.
    ///
    /// - Parameter stop: called once, by `stop`, with what `start` has returned.
    package mutating func start<Part: Sendable>(
        _ start: () async throws(CommandFailure) -> Part, stop: @escaping @Sendable (Part) async -> Void
    ) async throws(CommandFailure) -> Part {
        let part = try await start()
        onStop { await stop(part) }
        return part
    }

    /// Adds something to do between stopping what comes later and what came before.
    package mutating func onStop(_ step: @escaping @Sendable () async -> Void) {
        steps.append(step)
    }

    /// Stops every part, the last one first.
    package mutating func stop() async {
        while let step = steps.popLast() { await step() }
    }
}

import CLinuxShim
import Glibc
import Synchronization

/// One named thread that does blocking work in the order it was given.
///
/// - Blocking: `submit` never blocks. Work runs on this thread only, so state touched by nothing else needs no lock.
package final class WorkerThread: Sendable {
    private let queue: WorkQueue

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: shown by `ps` and `gdb`; at most 15 bytes.
    ///   - idleAfter: how long there must have been nothing to do before `whenIdle` is called.
    ///   - whenIdle: chores, done on this thread; true asks for another call after the same time, false waits until
    ///     other work has been done.
    package init(name: String, idleAfter: Duration = .seconds(1), whenIdle: (@Sendable () -> Bool)? = nil) {
        queue = WorkQueue(name: name, threads: 1, idleAfter: idleAfter, whenIdle: whenIdle)
    }

    /// A thread that has ended already: nothing given to it is ever done.
    package static let ended = WorkerThread(queue: .ended)

    private init(queue: WorkQueue) {
        self.queue = queue
    }

    /// Adds work. After `stop` it is dropped, and the result is false.
    @discardableResult
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        queue.submit(work)
    }

    /// Runs work on the thread and gives its result to the caller.
    ///
    /// - Precondition: `stop` was not called.
    package func run<Success: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        guard let success = try await runUnlessStopped(work) else {
            preconditionFailure("work was given to a stopped thread")
        }
        return success
    }

    /// Runs work on the thread and gives its result to the caller; nil, and nothing is done, after `stop`.
    package func runUnlessStopped<Success: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success? {
        let result: Result<Success, Failure>? = await withCheckedContinuation { continuation in
            let accepted = submit {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !accepted { continuation.resume(returning: nil) }
        }
        return try result?.get()
    }

    /// Finishes the work given so far and ends the thread. Calling it again waits for the same end.
    package func stop() async {
        await queue.stop()
    }
}

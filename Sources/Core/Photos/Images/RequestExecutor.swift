import Platform
import Synchronization

/// Runs requests on a thread of their own, so that neither files nor codecs ever hold up Swift's pool.
///
/// Tasks with this executor stay on its thread; while one waits for the library, the next goes on.
final class RequestExecutor: TaskExecutor {
    /// The executor that decodes images.
    static let images = RequestExecutor(name: "images")
    /// The executor that reads files for `AssetResourceManager`.
    static let resources = RequestExecutor(name: "resources")

    private let thread: WorkerThread

    private init(name: String) {
        thread = WorkerThread(name: name)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        thread.submit { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Starts a piece of work on the thread.
    func run(_ work: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await work() }
    }
}

/// Runs one piece of asynchronous work on the thread that waits for it, so that a synchronous request needs no other
/// thread than its caller's and those of the library.
///
/// - Blocking: `run` and `wait` block their caller until the work is done; never call them on Swift's pool.
package final class CallingThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// Counts the jobs, and one more for the end.
    private let available = Semaphore()

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        available.signal()
    }

    /// Does the work on the calling thread.
    static func run(_ work: @escaping @Sendable () async -> Void) {
        CallingThreadExecutor().run(work)
    }

    /// Does the work on the calling thread and gives its result.
    package static func wait<Success: Sendable, Failure: Error>(
        for work: @escaping @Sendable () async throws(Failure) -> Success
    ) throws(Failure) -> Success {
        let result = Mutex<Result<Success, Failure>?>(nil)
        run {
            let done: Result<Success, Failure>
            do throws(Failure) { done = .success(try await work()) } catch { done = .failure(error) }
            result.withLock { $0 = done }
        }
        guard let done = result.withLock({ $0 }) else { preconditionFailure("the work has not ended") }
        return try done.get()
    }

    private func run(_ work: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { [self] in
            await work()
            available.signal()
        }
        while true {
            available.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

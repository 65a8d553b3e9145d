import CLinuxShim
import Glibc

/// One named thread that does jobs one after another, in the order they were submitted.
///
/// It is where blocking work goes: file operations, database calls, commands that wait.
// Shared by every thread that submits. `jobs`, `isStopping` and `stopped` are touched only with `mutex` held;
// `mutex` and `wakeUp` are allocated once and freed in `deinit`, which cannot run before the thread has ended.
package final class WorkerThread: @unchecked Sendable {
    /// A piece of work.
    package typealias Job = @Sendable () -> Void

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [Job] = []
    private var isStopping = false
    private var hasEnded = false
    private var stopped: [Job] = []
    private let name: String
    private let idleAfter: Duration
    private let whenIdle: (@Sendable () -> Bool)?

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes, as `ps -L` shows it.
    ///   - idleAfter: how long the queue must have been empty before `whenIdle` is called.
    ///   - whenIdle: chores, done on this thread; true asks for another call after the same time, false waits until
    ///     other jobs have been done.
    package init(name: String, idleAfter: Duration = .seconds(1), whenIdle: (@Sendable () -> Bool)? = nil) {
        self.name = name
        self.idleAfter = idleAfter
        self.whenIdle = whenIdle
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(wakeUp, &attributes)
        pthread_condattr_destroy(&attributes)
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(self).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<WorkerThread>.fromOpaque(argument).takeRetainedValue().loop() }
                return nil
            }, retained)
        precondition(result == 0, "the system has no room for another thread")
        pthread_detach(thread)
    }

    deinit {
        pthread_cond_destroy(wakeUp)
        pthread_mutex_destroy(mutex)
        wakeUp.deallocate()
        mutex.deallocate()
    }

    /// Puts a job at the end of the queue.
    ///
    /// - Returns: false when the thread is stopping; the job is then not done.
    @discardableResult
    package func submit(_ job: @escaping Job) -> Bool {
        locked {
            guard !isStopping else { return false }
            jobs.append(job)
            pthread_cond_signal(wakeUp)
            return true
        }
    }

    /// Does `body` on the thread, after all earlier jobs, and waits for its result without blocking a thread.
    ///
    /// - Precondition: `stop` has not been called. Callers that can come later use `submit`.
    package func run<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            let accepted = submit {
                do throws(E) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            precondition(accepted, "thread \(name) was given work after its end")
        }
        return try result.get()
    }

    /// Does what is queued, then ends the thread. Returns when the last job is done; may be called more than once.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let ended = locked {
                isStopping = true
                pthread_cond_signal(wakeUp)
                if !hasEnded { stopped.append { continuation.resume() } }
                return hasEnded
            }
            if ended { continuation.resume() }
        }
    }

    private func loop() {
        pinhole_name_thread(name)
        var wantsIdle = true
        while true {
            switch next(waitsForIdle: wantsIdle && whenIdle != nil) {
            case .job(let job):
                job()
                wantsIdle = true
            case .idle:
                wantsIdle = whenIdle?() ?? false
            case .end(let waiting):
                for job in waiting { job() }
                return
            }
        }
    }

    private enum Next {
        case job(Job)
        case idle
        case end([Job])
    }

    private func next(waitsForIdle: Bool) -> Next {
        locked {
            let deadline = waitsForIdle ? (MonotonicTime.now() + idleAfter).nanoseconds : 0
            while true {
                if !jobs.isEmpty { return .job(jobs.removeFirst()) }
                if isStopping {
                    hasEnded = true
                    defer { stopped = [] }
                    return .end(stopped)
                }
                if waitsForIdle {
                    var time = timespec(
                        tv_sec: time_t(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
                    if pthread_cond_timedwait(wakeUp, mutex, &time) == ETIMEDOUT && jobs.isEmpty && !isStopping {
                        return .idle
                    }
                } else {
                    pthread_cond_wait(wakeUp, mutex)
                }
            }
        }
    }

    private func locked<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

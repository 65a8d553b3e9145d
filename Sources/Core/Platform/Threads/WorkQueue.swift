import CLinuxShim
import Glibc
import Synchronization

/// Work for a fixed number of threads, started in the order of submission.
///
/// - Blocking: `submit` never blocks; bounding what is submitted is the caller's rule (admission).
package final class WorkQueue: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isStopping = false
        var runningThreads: Int
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let available = Semaphore()
    private let idleAfter: Duration
    private let whenIdle: (@Sendable () -> Bool)?

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - name: of each thread, at most 15 bytes.
    ///   - threads: how many; at least one.
    ///   - idleAfter: how long a thread must be idle before it calls `whenIdle`.
    ///   - whenIdle: maintenance; true asks for another call after the same time, false waits until other work was done.
    package init(
        name: String, threads: Int, idleAfter: Duration = .seconds(1), whenIdle: (@Sendable () -> Bool)? = nil
    ) {
        precondition(threads > 0, "a queue needs a thread")
        self.idleAfter = idleAfter
        self.whenIdle = whenIdle
        state = Mutex(State(runningThreads: threads))
        for _ in 0..<threads {
            Self.startThread(name: name) { [self] in runUntilStopped() }
        }
    }

    /// A queue whose threads have ended.
    static let ended = WorkQueue()

    private init() {
        idleAfter = .zero
        whenIdle = nil
        state = Mutex(State(isStopping: true, runningThreads: 0))
    }

    /// Adds work. After `stop` it is dropped, and the result is false.
    @discardableResult
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let accepted = state.withLock { state in
            if !state.isStopping { state.work.append(work) }
            return !state.isStopping
        }
        if accepted { available.signal() }
        return accepted
    }

    /// Finishes the work submitted so far and ends the threads. A second call waits for the same end.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let (isOver, threads) = state.withLock { state in
                if state.runningThreads > 0 { state.waitingForEnd.append(continuation) }
                state.isStopping = true
                return (state.runningThreads == 0, state.runningThreads)
            }
            for _ in 0..<threads { available.signal() }
            if isOver { continuation.resume() }
        }
    }

    private func runUntilStopped() {
        var wantsMaintenance = whenIdle != nil
        while true {
            if wantsMaintenance, !available.wait(until: .now() + idleAfter) {
                wantsMaintenance = whenIdle?() ?? false
                continue
            }
            if !wantsMaintenance { available.wait() }
            wantsMaintenance = whenIdle != nil
            // One signal came for each piece of work and one for each thread at the end, so an empty queue means the end.
            guard let work = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else { break }
            work()
        }
        let waiting = state.withLock { state in
            state.runningThreads -= 1
            defer { if state.runningThreads == 0 { state.waitingForEnd = [] } }
            return state.runningThreads == 0 ? state.waitingForEnd : []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Starts a detached thread that runs `body` once.
    private static func startThread(name: String, _ body: @escaping @Sendable () -> Void) {
        final class Start: Sendable {
            let name: String
            let body: @Sendable () -> Void
            init(name: String, body: @escaping @Sendable () -> Void) {
                self.name = name
                self.body = body
            }
        }
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { preconditionFailure("a thread started without its work") }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                pinhole_name_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            // Nothing works without its threads, and no caller could handle the error.
            let sentence = "pinhole: system: no more threads can be started; raise the limits of this process\n"
            _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            quick_exit(70)
        }
        pthread_detach(thread)
    }
}

/// A counting semaphore (sem_overview(7)) for a thread that waits for work.
///
/// - Blocking: `wait` blocks its thread; never call it on Swift's pool.
package final class Semaphore: Sendable {
    // Any thread may call sem_post(3) and sem_wait(3), and the memory lives as long as the object.
    nonisolated(unsafe) private let place: UnsafeMutablePointer<sem_t>

    /// A semaphore at zero.
    package init() {
        place = .allocate(capacity: 1)
        place.initialize(to: sem_t())
        sem_init(place, 0, 0)
    }

    deinit {
        sem_destroy(place)
        place.deallocate()
    }

    /// Adds one to the count, so that one waiting thread goes on. Any thread may call it.
    package func signal() {
        sem_post(place)
    }

    /// Waits until the count is above zero and takes one.
    package func wait() {
        while sem_wait(place) != 0 {}  // interrupted by a signal
    }

    /// Waits until the count is above zero and takes one, or until the moment has come.
    ///
    /// - Returns: false when the moment came first.
    package func wait(until moment: MonotonicTime) -> Bool {
        pinhole_semaphore_wait_until(place, moment.nanoseconds)
    }
}

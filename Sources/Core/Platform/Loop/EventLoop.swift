import CLinuxShim
import Glibc
import Synchronization

/// One thread that waits for descriptors and timers and runs what is posted to it.
///
/// - Isolation: every method may be called from any thread; handlers, timers and posts run on the loop's thread,
///   one at a time.
/// - Blocking: handlers must not block.
package final class EventLoop: Sendable {
    /// The events that a handler receives. Hang-ups are always reported.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Bytes to read, or the end of input.
        package static let read = Interest(rawValue: 1)
        /// Room for bytes to be written.
        package static let write = Interest(rawValue: 2)
    }

    /// What a descriptor is ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A read will not block.
        package static let readable = Readiness(rawValue: 1)
        /// A write will not block.
        package static let writable = Readiness(rawValue: 2)
        /// The other side is gone, or the descriptor has an error. Bytes may still wait to be read.
        package static let hungUp = Readiness(rawValue: 4)
    }

    /// A registered descriptor, until `unregister`.
    package struct Registration: Hashable, Sendable {
        fileprivate let token: UInt64
    }

    /// A scheduled closure, until it runs or `cancel`.
    package struct Timer: Hashable, Sendable {
        fileprivate let token: UInt64
    }

    private struct Registered {
        let descriptor: Int32
        var interest: Interest
        /// Regular files and /dev/null: epoll refuses them (EPERM) because they are always ready.
        let isAlwaysReady: Bool
        let handler: @Sendable (Readiness) -> Void

        var isDue: Bool { isAlwaysReady && !interest.isEmpty }
    }

    private struct Scheduled {
        let time: MonotonicTime
        let token: UInt64
        let body: @Sendable () -> Void
    }

    private struct State {
        var nextToken: UInt64 = 1
        var registered: [UInt64: Registered] = [:]
        /// By time, then by age.
        var scheduled: [Scheduled] = []
        var posted: [@Sendable () -> Void] = []
        var isStopping = false
        /// Nothing is stored after the end: stored closures refer to the loop, and the two would keep each other alive.
        var hasEnded = false
        /// What `stop` waits for.
        var thread: pthread_t?

        mutating func token() -> UInt64 {
            defer { nextToken += 1 }
            return nextToken
        }
    }

    private static let wakeToken: UInt64 = 0
    private let state = Mutex(State())
    /// The thread that runs the loop; 0 before it starts and after it has ended.
    private let current = Atomic<pthread_t>(0)
    private let poll: Descriptor
    private let wake: Descriptor

    /// A loop that does not run yet.
    package init() throws(SystemError) {
        let poll = pinhole_poll_create()
        guard poll >= 0 else { throw .last("create an event poll") }
        self.poll = Descriptor(owning: poll)
        let wake = pinhole_eventfd()
        guard wake >= 0 else { throw .last("create an event descriptor") }
        self.wake = Descriptor(owning: wake)
        guard pinhole_poll_add(poll, wake, true, false, Self.wakeToken) == 0 else {
            throw .last("watch the event descriptor")
        }
    }

    /// Starts the thread named `events`. A loop is started once.
    package func start() throws(SystemError) {
        let code = state.withLock { state in
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
            if code == 0 { state.thread = thread }
            return code
        }
        guard code == 0 else {
            Unmanaged.passUnretained(self).release()
            throw SystemError(code: code, operation: "start the event loop")
        }
    }

    /// Runs what was posted before, then ends the thread and forgets all handlers.
    ///
    /// - Blocking: until the thread has ended, unless called on it.
    package func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            return state.thread.take()
        }
        signal()
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Watches a descriptor until `unregister`, which must come before the descriptor is closed.
    ///
    /// - Ownership: the caller keeps the descriptor.
    package func register(
        _ descriptor: Int32, _ interest: Interest, _ handler: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemError) -> Registration {
        let result: Result<Registration, SystemError> = state.withLock { state in
            guard !state.hasEnded else {
                return .failure(SystemError(code: ECANCELED, operation: "watch a descriptor"))
            }
            let token = state.token()
            let added = pinhole_poll_add(
                poll.raw, descriptor, interest.contains(.read), interest.contains(.write), token)
            let isAlwaysReady = added != 0 && errno == EPERM
            guard added == 0 || isAlwaysReady else { return .failure(.last("watch a descriptor")) }
            state.registered[token] = Registered(
                descriptor: descriptor, interest: interest, isAlwaysReady: isAlwaysReady, handler: handler)
            return .success(Registration(token: token))
        }
        signal()
        return try result.get()
    }

    /// Changes the events of a registered descriptor. Does nothing when it is no longer registered.
    package func change(_ registration: Registration, _ interest: Interest) {
        let isAlwaysReady = state.withLock { state in
            guard var entry = state.registered[registration.token], entry.interest != interest else { return false }
            entry.interest = interest
            state.registered[registration.token] = entry
            if !entry.isAlwaysReady {
                _ = pinhole_poll_change(
                    poll.raw, entry.descriptor, interest.contains(.read), interest.contains(.write),
                    registration.token)
            }
            return entry.isAlwaysReady
        }
        if isAlwaysReady { signal() }
    }

    /// Stops watching. On the loop's thread the handler is not called again.
    package func unregister(_ registration: Registration) {
        state.withLock { state in
            guard let entry = state.registered.removeValue(forKey: registration.token) else { return }
            if !entry.isAlwaysReady { _ = pinhole_poll_remove(poll.raw, entry.descriptor) }
        }
    }

    /// Runs `body` at a moment, or at once when the moment has passed. Equal moments keep their order.
    @discardableResult
    package func schedule(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> Timer {
        let timer = state.withLock { state in
            let token = state.token()
            guard !state.hasEnded else { return Timer(token: token) }
            let index = state.scheduled.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
            state.scheduled.insert(Scheduled(time: time, token: token, body: body), at: index)
            return Timer(token: token)
        }
        signal()
        return timer
    }

    /// Cancels a timer that has not fired.
    package func cancel(_ timer: Timer) {
        state.withLock { $0.scheduled.removeAll { $0.token == timer.token } }
    }

    /// Runs `body` on the loop's thread, in the order of the posts. After the loop has stopped, `body` is dropped.
    package func post(_ body: @escaping @Sendable () -> Void) {
        _ = accept(body)
    }

    /// Runs `body` soon; false, and it is dropped, once the loop has stopped.
    private func accept(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = state.withLock { state in
            if !state.hasEnded { state.posted.append(body) }
            return !state.hasEnded
        }
        signal()
        return isAccepted
    }

    /// True on the loop's own thread, until the last handler has returned.
    package var isCurrent: Bool {
        current.load(ordering: .relaxed) == pthread_self()
    }

    /// Stops the program unless it is called on the loop's thread: state that belongs to the loop calls it.
    package func preconditionIsCurrent() {
        precondition(isCurrent, "this state belongs to the event loop's thread")
    }

    /// Runs `body` on the loop, after what was posted before, and gives its result to the caller.
    ///
    /// - Returns: nil, without running `body`, once the loop has stopped.
    package func run<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success? {
        await withCheckedContinuation { continuation in
            let isAccepted = accept { continuation.resume(returning: body()) }
            if !isAccepted { continuation.resume(returning: nil) }
        }
    }

    private func signal() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) wakes as well.
        _ = withUnsafeBytes(of: &one) { Glibc.write(wake.raw, $0.baseAddress, $0.count) }
    }

    private func run() {
        pinhole_name_thread("events")
        // Only the loop's own thread ever compares equal, so no ordering with other threads is needed.
        current.store(pthread_self(), ordering: .relaxed)
        defer { current.store(0, ordering: .relaxed) }
        var ready = [pinhole_poll_event](repeating: pinhole_poll_event(), count: 64)
        while true {
            let (posted, isStopping) = state.withLock { state in
                defer { state.posted = [] }
                return (state.posted, state.isStopping)
            }
            for body in posted { body() }
            if isStopping { break }
            runTimers()
            let count = pinhole_poll_wait(poll.raw, &ready, Int32(ready.count), timeout())
            for event in ready.prefix(max(0, Int(count))) { dispatch(event) }
            dispatchAlwaysReady()
        }
        let forgotten = state.withLock { state in
            state.hasEnded = true
            defer { (state.registered, state.scheduled, state.posted) = ([:], [], []) }
            return (state.registered, state.scheduled, state.posted)
        }
        // What was accepted is done, so that `run` never waits for ever.
        for body in forgotten.2 { body() }
    }

    /// Runs the timers that are due, one at a time, because a timer may cancel the next.
    private func runTimers() {
        let now = MonotonicTime.now()
        while let due = state.withLock({ state -> Scheduled? in
            guard let first = state.scheduled.first, first.time <= now else { return nil }
            return state.scheduled.removeFirst()
        }) {
            due.body()
        }
    }

    /// Nanoseconds to wait: 0 when work is waiting, -1 (no limit) when nothing is scheduled.
    private func timeout() -> Int64 {
        state.withLock { state in
            if !state.posted.isEmpty || state.registered.values.contains(where: { $0.isDue }) { return 0 }
            guard let first = state.scheduled.first else { return -1 }
            return max(0, (first.time - .now()).wholeNanoseconds)
        }
    }

    private func dispatch(_ event: pinhole_poll_event) {
        if event.token == Self.wakeToken {
            var count: UInt64 = 0
            _ = withUnsafeMutableBytes(of: &count) { Glibc.read(wake.raw, $0.baseAddress, $0.count) }
            return
        }
        // Looked up now: an earlier handler of this round may have unregistered it.
        guard let entry = state.withLock({ $0.registered[event.token] }) else { return }
        var readiness: Readiness = []
        if event.readable { readiness.insert(.readable) }
        if event.writable { readiness.insert(.writable) }
        if event.hung_up { readiness.insert(.hungUp) }
        entry.handler(readiness)
    }

    private func dispatchAlwaysReady() {
        let tokens = state.withLock { $0.registered.filter { $0.value.isDue }.keys.sorted() }
        for token in tokens {
            guard let entry = state.withLock({ $0.registered[token] }), entry.isDue else { continue }
            var readiness: Readiness = []
            if entry.interest.contains(.read) { readiness.insert(.readable) }
            if entry.interest.contains(.write) { readiness.insert(.writable) }
            entry.handler(readiness)
        }
    }
}

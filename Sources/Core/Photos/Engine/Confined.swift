import Glibc

/// A value that one thread makes at its first use, and that no other thread may use.
///
/// - Isolation: `value` traps on every thread but the one that used it first.
// Any thread may pass it on, but only the jobs of one `WorkerThread` make (lazily) and use the value; that thread does one
// job at a time, which is what makes it safe.
final class Confined<Value>: @unchecked Sendable {
    private let make: () -> Value
    private lazy var made: Value = make()
    private var thread: pthread_t?

    /// - Parameter make: makes the value on its thread.
    init(_ make: @escaping () -> Value) {
        self.make = make
    }

    var value: Value {
        let current = pthread_self()
        if let thread {
            precondition(pthread_equal(thread, current) != 0, "a confined value was used on another thread")
        } else {
            thread = current
        }
        return made
    }
}

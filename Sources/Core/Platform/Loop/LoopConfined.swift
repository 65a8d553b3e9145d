/// A value that belongs to an event loop: only handlers, timers and posts of that loop touch it.
///
/// Code on other threads posts to the loop, or waits for `EventLoop.run`.
/// - Isolation: the event loop; any other thread traps.
// Any thread may hold it, but `value` checks that its caller runs on the loop's one thread, which makes access safe.
package final class LoopConfined<Value>: @unchecked Sendable {
    private let loop: EventLoop
    private var confined: Value

    /// Gives a value to a loop. No thread may use the value by another way afterwards.
    package init(_ value: sending Value, to loop: EventLoop) {
        self.loop = loop
        confined = value
    }

    /// The confined value; access on any thread but the loop's traps.
    package var value: Value {
        get {
            loop.preconditionIsCurrent()
            return confined
        }
        _modify {
            loop.preconditionIsCurrent()
            yield &confined
        }
    }
}

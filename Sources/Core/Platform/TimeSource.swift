/// Where time comes from: the kernel in the camera, a script in tests.
package protocol TimeSource: Sendable {
    /// The present moment on the monotonic clock.
    var now: MonotonicTime { get }
    /// The date at a monotonic moment, by the present relation of the two clocks.
    func wallTime(at moment: MonotonicTime) -> WallTime
}

import Glibc

/// A moment on CLOCK_MONOTONIC: the clock of GPIO edges and of sensor timestamps.
///
/// It is not a date; `TimeSource.wallTime(at:)` converts it to one.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start (on Linux the boot, suspended time not counted).
    public var nanoseconds: Int64

    /// A moment from nanoseconds of CLOCK_MONOTONIC.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The present moment, as the kernel's CLOCK_MONOTONIC gives it.
    public static func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Orders by time; earlier is less.
    public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// The moment `interval` later.
    public static func + (time: MonotonicTime, interval: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds + interval.wholeNanoseconds)
    }

    /// The moment `interval` earlier.
    public static func - (time: MonotonicTime, interval: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds - interval.wholeNanoseconds)
    }

    /// The interval from `b` to `a`.
    public static func - (a: MonotonicTime, b: MonotonicTime) -> Duration {
        .nanoseconds(a.nanoseconds - b.nanoseconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, toward zero. Durations here are hours at most, far inside 64 bits.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in seconds.
    public var inSeconds: Double {
        Double(wholeNanoseconds) / 1e9
    }
}

/// Where time comes from: the kernel in the camera, a script in tests.
package protocol TimeSource: Sendable {
    /// The present moment on the monotonic clock.
    var now: MonotonicTime { get }
    /// The date at a monotonic moment, by the current offset between the two clocks.
    func wallTime(at moment: MonotonicTime) -> WallTime
}

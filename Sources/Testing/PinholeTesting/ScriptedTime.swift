import Platform
import Synchronization

/// Time that moves only when a test says so.
package final class ScriptedTime: TimeSource {
    private struct State {
        var now: MonotonicTime
        var unixNanosecondsAtZero: Int64
        var offsetSeconds: Int
        var isTrusted: Bool
    }

    private let state: Mutex<State>

    /// Time that stands at one second after boot, on 2026-11-30T09:15:01Z, trusted.
    package init() {
        state = Mutex(
            State(
                now: MonotonicTime(nanoseconds: 1_000_000_000), unixNanosecondsAtZero: 1_796_030_100_000_000_000,
                offsetSeconds: 0, isTrusted: true))
    }

    package var now: MonotonicTime { state.withLock { $0.now } }

    package func wallTime(at moment: MonotonicTime) -> WallTime {
        state.withLock {
            WallTime(
                unixNanoseconds: $0.unixNanosecondsAtZero + moment.nanoseconds, offsetSeconds: $0.offsetSeconds,
                isTrusted: $0.isTrusted)
        }
    }

    /// Moves the time and the date forward together.
    package func advance(by interval: Duration) {
        state.withLock { $0.now = $0.now + interval }
    }

    /// Steps the date, as a person or a time server would.
    package func setDate(unixNanosecondsNow: Int64, offsetSeconds: Int = 0, isTrusted: Bool) {
        state.withLock {
            $0.unixNanosecondsAtZero = unixNanosecondsNow - $0.now.nanoseconds
            $0.offsetSeconds = offsetSeconds
            $0.isTrusted = isTrusted
        }
    }
}

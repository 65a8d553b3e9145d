import Platform
import Synchronization

/// The simulated board's light: remembers what it showed.
package final class SimulatedLight: Light {
    /// A change of brightness.
    package struct Change: Hashable, Sendable {
        /// From 0 to 1.
        package var brightness: Double
        /// When it changed.
        package var time: MonotonicTime
    }

    private static let limit = 1000

    private let time: any TimeSource
    private let history = Mutex<[Change]>([])

    /// A light that is off.
    package init(time: any TimeSource) {
        self.time = time
    }

    /// The latest thousand changes, oldest first.
    package var changes: [Change] { history.withLock { $0 } }

    package func set(_ brightness: Double) {
        let change = Change(brightness: brightness, time: time.now)
        history.withLock {
            if ($0.last?.brightness ?? 0) == brightness { return }
            if $0.count == Self.limit { $0.removeFirst() }
            $0.append(change)
        }
    }
}

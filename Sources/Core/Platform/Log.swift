import Synchronization

/// What the camera did and what went wrong, for people.
package final class Log: Sendable {
    /// How much a line matters.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        /// For whoever looks for a fault.
        case debug
        /// What happened.
        case info
        /// Something is not as it should be; the camera goes on.
        case warning
        /// Something failed.
        case error

        package static func < (a: Level, b: Level) -> Bool { a.severity < b.severity }

        private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// One line.
    package struct Line: Sendable {
        /// When.
        package let time: WallTime
        /// How much it matters.
        package let level: Level
        /// One sentence.
        package let message: String
    }

    /// Everybody who follows the log.
    package let lines = Broadcast<Line>(remembering: 500)
    private let time: any TimeSource
    private let threshold: Mutex<Level>

    /// A log that keeps lines of `level` and above.
    package init(time: any TimeSource, level: Level) {
        self.time = time
        threshold = Mutex(level)
    }

    /// Keeps lines of this level and above from now on.
    package func setLevel(_ level: Level) {
        threshold.withLock { $0 = level }
    }

    /// Adds a line.
    package func write(_ level: Level, _ message: String) {
        guard level >= threshold.withLock({ $0 }) else { return }
        lines.send(Line(time: time.wallTime(at: time.now), level: level, message: message))
    }
}

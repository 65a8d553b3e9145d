import Glibc
import Synchronization

/// What the camera did and what went wrong, for people.
package final class Log: Sendable {
    /// How much a line matters.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        /// Details that help to find a fault.
        case debug
        /// What the camera did in normal operation.
        case info
        /// Something is not as it should be; the camera goes on.
        case warning
        /// The camera could not do something.
        case error

        package static func < (a: Level, b: Level) -> Bool { a.severity < b.severity }

        private var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// One message with its time and level.
    package struct Line: Sendable {
        /// When the message was written, by the camera's clock.
        package let time: WallTime
        /// How much it matters.
        package let level: Level
        /// One sentence for a person, without time and level.
        package let message: String
    }

    /// The lines of the log, for all followers.
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

    /// Sends a line with the present time to all followers; drops it when its level is below the log's.
    package func write(_ level: Level, _ message: String) {
        guard level >= threshold.withLock({ $0 }) else { return }
        lines.send(Line(time: time.wallTime(at: time.now), level: level, message: message))
    }
}

/// Lines of the log as standard error takes them.
package struct JournalFormat: Sendable {
    /// True when standard error is the system's journal, which stamps lines itself and reads their level from a prefix
    /// (sd-daemon(3)).
    package let isJournal: Bool

    /// The format for a kind of standard error.
    package init(isJournal: Bool) {
        self.isJournal = isJournal
    }

    /// The format for this process, by JOURNAL_STREAM (systemd.exec(5)): the device and inode of the journal's stream.
    package static var ofStandardError: JournalFormat {
        var information = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &information) == 0 else {
            return JournalFormat(isJournal: false)
        }
        return JournalFormat(isJournal: String(cString: stream) == "\(information.st_dev):\(information.st_ino)")
    }

    /// A line as it is written, with its end.
    package func text(_ line: Log.Line) -> String {
        guard isJournal else { return "\(line.level.rawValue): \(line.message)\n" }
        let level =
            switch line.level {
            case .debug: 7
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        return line.message.split(whereSeparator: \.isNewline).map { "<\(level)>\($0)\n" }.joined()
    }
}

import Glibc

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

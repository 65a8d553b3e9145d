import Platform

/// A date and time that a person typed; without an offset it is local to the camera's zone.
package struct TimeArgument: Hashable, Sendable {
    /// What was typed.
    package let text: String
    /// The time, read as UTC when `isLocal`.
    private let time: WallTime
    private let isLocal: Bool

    /// Reads RFC 3339, where seconds, time and offset may be left out.
    package init(_ text: String) throws(CommandFailure) {
        var isLocal = false
        let read = WallTime(rfc3339: text) { _ in
            isLocal = true
            return 0
        }
        guard let read else {
            throw .usage(
                "\"\(TerminalText.escaped(text))\" is no time: write 2026-11-30, 2026-11-30T09:15 or 2026-11-30T09:15:00+01:00."
            )
        }
        self.text = text
        self.time = read
        self.isLocal = isLocal
    }

    /// The moment meant.
    ///
    /// - Parameter zone: seconds east of UTC at a local time given as if it were UTC.
    package func wallTime(zone: (_ unixSeconds: Int64) -> Int) -> WallTime {
        guard isLocal else { return time }
        let offset = zone(time.unixSeconds)
        return WallTime(
            unixNanoseconds: time.unixNanoseconds - Int64(offset) * 1_000_000_000, offsetSeconds: offset,
            isTrusted: time.isTrusted)
    }
}

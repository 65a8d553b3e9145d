import CLinuxShim
import Glibc
import Synchronization

/// The kernel's clocks, corrected by an offset of the camera's own where the system's date may not be set.
///
/// A floor stops the date from running backwards over a restart without a battery-backed clock.
package final class SystemTime: TimeSource {
    /// What survives a restart.
    package struct Record: Hashable, Sendable {
        /// The latest date seen, nanoseconds since 1970.
        package var floor: Int64
        /// Nanoseconds added to the system's date.
        package var offset: Int64
        /// True when a person set the date.
        package var isSetByPerson: Bool
        /// The boot in which this was written (`/proc/sys/kernel/random/boot_id`).
        package var bootIdentifier: String

        /// A record to store; times are in nanoseconds.
        package init(floor: Int64, offset: Int64, isSetByPerson: Bool, bootIdentifier: String) {
            self.floor = floor
            self.offset = offset
            self.isSetByPerson = isSetByPerson
            self.bootIdentifier = bootIdentifier
        }

        /// One line of text for the state folder.
        package var text: String { "\(floor) \(offset) \(isSetByPerson ? 1 : 0) \(bootIdentifier)\n" }

        /// Reads `text`; nil when it is not such a line.
        package init?(text: String) {
            let words = text.split(whereSeparator: \.isWhitespace)
            guard words.count == 4, let floor = Int64(words[0]), let offset = Int64(words[1]),
                words[2] == "0" || words[2] == "1", floor >= 0
            else { return nil }
            self.init(
                floor: floor, offset: offset, isSetByPerson: words[2] == "1", bootIdentifier: String(words[3]))
        }
    }

    /// The kernel's clocks, replaced in tests.
    package struct Kernel: Sendable {
        /// Reads CLOCK_MONOTONIC, which setting the date does not change.
        package var monotonic: @Sendable () -> MonotonicTime
        /// CLOCK_REALTIME in nanoseconds since 1970.
        package var realtime: @Sendable () -> Int64
        /// True while the system calls its date synchronized, or took it from a battery-backed clock.
        package var isSynchronized: @Sendable () -> Bool
        /// True while a time server keeps the system's date.
        package var isServed: @Sendable () -> Bool
        /// A text that changes with each boot (`/proc/sys/kernel/random/boot_id`).
        package var bootIdentifier: String

        /// A kernel whose clocks are these functions; tests use their own.
        package init(
            monotonic: @escaping @Sendable () -> MonotonicTime, realtime: @escaping @Sendable () -> Int64,
            isSynchronized: @escaping @Sendable () -> Bool, isServed: @escaping @Sendable () -> Bool = { false },
            bootIdentifier: String
        ) {
            self.monotonic = monotonic
            self.realtime = realtime
            self.isSynchronized = isSynchronized
            self.isServed = isServed
            self.bootIdentifier = bootIdentifier
        }

        /// The clocks of the kernel that this program runs on.
        package static var current: Kernel {
            Kernel(
                monotonic: { .now() },
                realtime: {
                    var time = timespec()
                    clock_gettime(CLOCK_REALTIME, &time)
                    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
                },
                isSynchronized: { pinhole_clock_is_synchronized() || firstLine("/sys/class/rtc/rtc0/hctosys") == "1" },
                isServed: { pinhole_clock_is_synchronized() },
                bootIdentifier: firstLine("/proc/sys/kernel/random/boot_id") ?? "unknown")
        }

        private static func firstLine(_ path: String) -> String? {
            let descriptor = pinhole_open(path, O_RDONLY, 0)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 128)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return nil }
            return String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self)
        }
    }

    private struct State {
        var offset: Int64 = 0
        var isSetByPerson = false
        /// A date that is being set, and when: until it is known whether the system's date was set.
        var setting: (date: Int64, moment: MonotonicTime)?
    }

    /// How far the system's date may be from one that it was set to.
    private static let tolerance: Int64 = 1_000_000_000

    private let kernel: Kernel
    private let state: Mutex<State>

    /// The clock as it continues from what was kept.
    ///
    /// - Parameters:
    ///   - record: what `record` gave before the restart; nil the first time.
    ///   - newestDate: the date of the newest photo, nanoseconds since 1970; a second floor.
    package init(kernel: Kernel = .current, continuing record: Record?, newestDate: Int64? = nil) {
        self.kernel = kernel
        var state = State()
        if let record, record.bootIdentifier == kernel.bootIdentifier {
            state.offset = record.offset
            state.isSetByPerson = record.isSetByPerson
        }
        let floor = max(record?.floor ?? 0, newestDate ?? 0)
        let now = kernel.realtime() &+ state.offset
        if now < floor, !state.isSetByPerson, !kernel.isSynchronized() {
            state.offset &+= floor - now
        }
        self.state = Mutex(state)
    }

    package var now: MonotonicTime { kernel.monotonic() }

    package func wallTime(at moment: MonotonicTime) -> WallTime {
        let state = state.withLock { $0 }
        let isSynchronized = !state.isSetByPerson && kernel.isSynchronized()
        let now = kernel.monotonic()
        let date =
            date(state, now, kernel.realtime(), isSynchronized: isSynchronized)
            &- (now.nanoseconds - moment.nanoseconds)
        return WallTime(
            unixNanoseconds: date, offsetSeconds: pinhole_zone_offset(date / 1_000_000_000),
            isTrusted: state.isSetByPerson || isSynchronized)
    }

    /// The camera's date at a moment when the system's is `system`.
    private func date(_ state: State, _ now: MonotonicTime, _ system: Int64, isSynchronized: Bool) -> Int64 {
        if let setting = state.setting { return setting.date &+ (now.nanoseconds - setting.moment.nanoseconds) }
        // A synchronized clock needs no offset.
        return isSynchronized ? system : system &+ state.offset
    }

    /// Sets the date to what a person says. One call at a time.
    ///
    /// - Parameter setSystem: asks for the system's date to be set to this one, and waits for what comes of it; false
    ///   when it is certain that it is not set. It is not asked while a time server keeps the system's date.
    /// - Returns: true when the system's date is the one that was set, false when an offset of the camera's own is kept.
    /// - Blocking: while `setSystem` does. The new date holds from the beginning.
    @discardableResult
    package func set(unixNanoseconds: Int64, bySystem setSystem: () -> Bool = { false }) -> Bool {
        let moment = kernel.monotonic()
        state.withLock {
            $0.setting = (unixNanoseconds, moment)
            $0.isSetByPerson = true
        }
        let isAsked = !kernel.isServed() && setSystem()
        return state.withLock { state in
            let system = kernel.realtime()
            let offset = date(state, kernel.monotonic(), system, isSynchronized: false) &- system
            let isSystemSet = isAsked && (-Self.tolerance...Self.tolerance).contains(offset)
            state.offset = isSystemSet ? 0 : offset
            state.setting = nil
            return isSystemSet
        }
    }

    /// What to keep for the next start.
    package var record: Record {
        let state = state.withLock { $0 }
        let isSynchronized = !state.isSetByPerson && kernel.isSynchronized()
        let system = kernel.realtime()
        let date = date(state, kernel.monotonic(), system, isSynchronized: isSynchronized)
        return Record(
            floor: max(0, date), offset: date &- system, isSetByPerson: state.isSetByPerson,
            bootIdentifier: kernel.bootIdentifier)
    }

    /// Sets the zone in which dates are shown and written.
    ///
    /// - Parameter name: from the zone database ("Europe/Berlin"); empty for the system's own.
    /// - Returns: false when there is no such zone; nothing is changed then.
    package static func setZone(_ name: String) -> Bool {
        pinhole_set_zone(name)
    }

    /// True for a name that the zone database has, and for the empty one.
    package static func isKnownZone(_ name: String) -> Bool {
        pinhole_is_known_zone(name)
    }

    /// Seconds east of UTC at a time given as local clock reading.
    package static func zoneOffset(atLocal unixSeconds: Int64) -> Int {
        pinhole_zone_offset(unixSeconds - Int64(pinhole_zone_offset(unixSeconds)))
    }
}

import PinholeTesting
import Platform
import Synchronization
import Testing

@Suite("Dates")
struct WallTimeTests {
    @Test("a date is written in local time with its offset")
    func rendering() {
        let date = WallTime(unixNanoseconds: 1_796_030_100_123_456_789, offsetSeconds: 3600, isTrusted: true)
        #expect(date.rfc3339 == "2026-11-30T10:15:00.123+01:00")
        #expect(date.exifDateTime == "2026:11:30 10:15:00")
        #expect(date.exifSubsecond == "123456")
        let west = WallTime(unixNanoseconds: -1, offsetSeconds: -(3 * 3600 + 1800), isTrusted: false)
        #expect(west.rfc3339 == "1969-12-31T20:29:59.999-03:30")
    }

    @Test(
        "a typed date is read",
        arguments: [
            ("2026-11-30T10:15:00.123+01:00", 1_796_030_100_123_000_000),
            ("2026-11-30T09:15Z", 1_796_030_100_000_000_000),
            ("2026-11-30 09:15:00", 1_796_030_100_000_000_000 - 7_200_000_000_000),
            ("2026-11-30", 1_795_996_800_000_000_000 - 7_200_000_000_000),
        ])
    func reading(text: String, expected: Int64) {
        #expect(WallTime(rfc3339: text, zone: { _ in 7200 })?.unixNanoseconds == expected)
    }

    @Test(
        "what is not a date is not read",
        arguments: [
            "", "2026", "2026-13-01", "2026-04-31", "2026-11-30T25:00", "2026-11-30T10", "2026-11-30T10:15x",
            "2026-11-30T10:15:00.", "2026-11-30T10:15+1", "0000-01-01", "2026-11-30T10:15:00.1234567890Z", "２０２６-11-30",
        ])
    func refusing(text: String) {
        #expect(WallTime(rfc3339: text, zone: { _ in 0 }) == nil)
    }
}

@Suite("The clock")
struct SystemTimeTests {
    /// The kernel's clocks, which a test moves.
    private final class Clocks: Sendable {
        let monotonic = Mutex<Int64>(5_000_000_000)
        let realtime: Mutex<Int64>
        let isServed: Mutex<Bool>

        init(realtime: Int64, isServed: Bool = false) {
            self.realtime = Mutex(realtime)
            self.isServed = Mutex(isServed)
        }

        func pass(_ nanoseconds: Int64) {
            monotonic.withLock { $0 += nanoseconds }
            realtime.withLock { $0 += nanoseconds }
        }

        var kernel: SystemTime.Kernel {
            SystemTime.Kernel(
                monotonic: { MonotonicTime(nanoseconds: self.monotonic.withLock { $0 }) },
                realtime: { self.realtime.withLock { $0 } }, isSynchronized: { self.isServed.withLock { $0 } },
                isServed: { self.isServed.withLock { $0 } }, bootIdentifier: "boot-a")
        }
    }

    private func kernel(realtime: Int64, synchronized: Bool = false, boot: String = "boot-a") -> SystemTime.Kernel {
        SystemTime.Kernel(
            monotonic: { MonotonicTime(nanoseconds: 5_000_000_000) }, realtime: { realtime },
            isSynchronized: { synchronized }, bootIdentifier: boot)
    }

    private let moment = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test("a synchronized clock is believed, another is not until a person sets it")
    func trust() {
        #expect(
            SystemTime(kernel: kernel(realtime: 1, synchronized: true), continuing: nil).wallTime(at: moment).isTrusted)
        let time = SystemTime(kernel: kernel(realtime: 1), continuing: nil)
        #expect(!time.wallTime(at: moment).isTrusted)
        time.set(unixNanoseconds: 1_796_030_100_000_000_000)
        #expect(time.wallTime(at: moment).isTrusted)
        #expect(time.wallTime(at: moment).unixNanoseconds == 1_796_030_100_000_000_000)
        #expect(
            time.wallTime(at: moment - .seconds(2)).unixNanoseconds == 1_796_030_098_000_000_000)
    }

    @Test("after a boot without a clock the date goes on from where it was, and is not believed")
    func floor() throws {
        let before = SystemTime(kernel: kernel(realtime: 2_000_000, boot: "boot-a"), continuing: nil)
        let record = try #require(SystemTime.Record(text: before.record.text))
        let after = SystemTime(kernel: kernel(realtime: 1000, boot: "boot-b"), continuing: record)
        #expect(after.wallTime(at: moment).unixNanoseconds == 2_000_000)
        #expect(!after.wallTime(at: moment).isTrusted)
        let photo = SystemTime(
            kernel: kernel(realtime: 1000, boot: "boot-b"), continuing: record, newestDate: 3_000_000)
        #expect(photo.wallTime(at: moment).unixNanoseconds == 3_000_000)
    }

    @Test("a person's setting survives a restart of the program, and not a boot")
    func personSetting() {
        let time = SystemTime(kernel: kernel(realtime: 1000), continuing: nil)
        time.set(unixNanoseconds: 500)
        let restarted = SystemTime(kernel: kernel(realtime: 2000), continuing: time.record)
        #expect(restarted.wallTime(at: moment).unixNanoseconds == 1500)
        #expect(restarted.wallTime(at: moment).isTrusted)
        let rebooted = SystemTime(kernel: kernel(realtime: 2000, boot: "boot-b"), continuing: time.record)
        #expect(!rebooted.wallTime(at: moment).isTrusted)
    }

    @Test("a synchronized clock is not held up by a floor in the future")
    func futureFloor() {
        let record = SystemTime.Record(floor: 9_000, offset: 0, isSetByPerson: false, bootIdentifier: "boot-a")
        let time = SystemTime(kernel: kernel(realtime: 1000, synchronized: true), continuing: record)
        #expect(time.wallTime(at: moment).unixNanoseconds == 1000)
    }

    @Test("a system's date that was set is used as it is, and the new date holds from the beginning")
    func systemSet() {
        let second: Int64 = 1_000_000_000
        let clocks = Clocks(realtime: 100 * second)
        let time = SystemTime(kernel: clocks.kernel, continuing: nil)
        func date() -> Int64 { time.wallTime(at: time.now).unixNanoseconds }
        time.set(unixNanoseconds: 500 * second)
        let isSystemSet = time.set(unixNanoseconds: 900 * second) {
            #expect(date() == 900 * second)
            clocks.pass(second)
            #expect(date() == 901 * second)
            clocks.realtime.withLock { $0 = 901 * second + 3_000_000 }
            #expect(date() == 901 * second, "no jump before the end")
            return true
        }
        #expect(isSystemSet)
        #expect(date() == 901 * second + 3_000_000)
        #expect(time.record.offset == 0)
        #expect(time.wallTime(at: time.now).isTrusted)
    }

    @Test("an offset is kept where the system's date was not set, or to something else")
    func systemNotSet() {
        let second: Int64 = 1_000_000_000
        let clocks = Clocks(realtime: 100 * second)
        let time = SystemTime(kernel: clocks.kernel, continuing: nil)
        for (isAsked, system) in [(false, Int64?.none), (true, nil), (true, 777 * second)] {
            let isSystemSet = time.set(unixNanoseconds: 900 * second) {
                clocks.pass(2 * second)
                if let system { clocks.realtime.withLock { $0 = system } }
                return isAsked
            }
            #expect(!isSystemSet)
            #expect(time.wallTime(at: time.now).unixNanoseconds == 902 * second)
        }
        clocks.isServed.withLock { $0 = true }
        let isSystemSet = time.set(unixNanoseconds: 50 * second) {
            Issue.record("a time server keeps the system's date")
            return true
        }
        #expect(!isSystemSet)
        #expect(time.wallTime(at: time.now).unixNanoseconds == 50 * second)
    }

    @Test("what a floor added is dropped when the system gets its date after all")
    func laterSynchronized() {
        let clocks = Clocks(realtime: 1000)
        let record = SystemTime.Record(floor: 9_000, offset: 0, isSetByPerson: false, bootIdentifier: "boot-b")
        let time = SystemTime(kernel: clocks.kernel, continuing: record)
        #expect(time.wallTime(at: time.now).unixNanoseconds == 9_000)
        clocks.realtime.withLock { $0 = 50_000 }
        clocks.isServed.withLock { $0 = true }
        #expect(time.wallTime(at: time.now).unixNanoseconds == 50_000)
        #expect(time.wallTime(at: time.now).isTrusted)
        #expect(time.record.offset == 0)
    }

    @Test("an unreadable record is ignored", arguments: ["", "1 2 3", "1 2 3 4", "x 0 0 b", "-5 0 0 b"])
    func badRecord(text: String) {
        #expect(SystemTime.Record(text: text) == nil)
    }
}

@Suite("Broadcasting")
struct BroadcastTests {
    @Test("followers receive everything in order, late ones what is remembered")
    func follow() {
        let broadcast = Broadcast<Int>(remembering: 3)
        let received = Recorder<Int>()
        let follower = broadcast.follow { received.add($0) }
        (1...10).forEach(broadcast.send)
        broadcast.end(follower)
        broadcast.send(11)
        #expect(received.elements == Array(1...10))
        #expect(broadcast.recent == [9, 10, 11])
        let late = Recorder<Int>()
        _ = broadcast.follow(replaying: true) { late.add($0) }
        #expect(late.elements == [9, 10, 11])
    }
}

@Suite("Work queues")
struct WorkQueueTests {
    @Test("one thread does its work in order, and stop waits for all of it")
    func order() async {
        let thread = WorkerThread(name: "test")
        let done = Recorder<Int>()
        for number in 0..<1000 { thread.submit { done.add(number) } }
        await thread.stop()
        #expect(done.elements == Array(0..<1000))
        #expect(!thread.submit {})
        await thread.stop()
    }

    @Test("several threads do everything once")
    func pool() async {
        let queue = WorkQueue(name: "test", threads: 4)
        let done = Recorder<Int>()
        for number in 0..<1000 { queue.submit { done.add(number) } }
        await queue.stop()
        #expect(done.elements.sorted() == Array(0..<1000))
    }

    @Test("a result or an error comes back to the caller")
    func results() async throws {
        let thread = WorkerThread(name: "test")
        #expect(await thread.run { 7 } == 7)
        await #expect(throws: SystemError.self) {
            try await thread.run { () throws(SystemError) in throw SystemError(code: 5, operation: "test") }
        }
        await thread.stop()
    }
}

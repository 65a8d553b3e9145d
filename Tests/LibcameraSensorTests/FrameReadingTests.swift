import Capture
import Platform
import Testing

@testable import LibcameraSensor

@Suite("FrameReading")
struct FrameReadingTests {
    private let now = MonotonicTime(nanoseconds: 5_000_000_000_000)

    private func frame(_ change: (inout CompletedFrame) -> Void = { _ in }) -> CompletedFrame {
        var frame = CompletedFrame(
            timestamp: now.nanoseconds - 30_000_000, completed: now.nanoseconds - 1_000_000, exposure: 8_000,
            analogueGain: 1, serial: 1)
        change(&frame)
        return frame
    }

    private func reading(_ controls: SensorControls = SensorControls()) -> FrameReading {
        var reading = FrameReading()
        reading.streamWillStart(controls, serial: 1)
        return reading
    }

    @Test("numbers rise over gaps, wraps, repeats and restarts")
    func numbers() {
        var reading = reading()
        func number(_ sequence: UInt32) -> UInt64 {
            reading.handle(frame { $0.sequence = sequence }, now: now, suspended: .zero).sequence
        }
        #expect([UInt32.max - 2, .max, 1, 1, 0, 5].map(number) == [1, 3, 5, 6, 7, 12])
        reading.streamWillStart(SensorControls(), serial: 1)
        #expect([0, 1, 2].map(number) == [13, 14, 15])
    }

    @Test("a timestamp of the clock that counts suspended time is brought to the other one")
    func clocks() {
        var reading = reading()
        let plain = reading.handle(frame(), now: now, suspended: .seconds(7200))
        #expect(plain.timestamp == now - .milliseconds(30))
        let shifted = reading.handle(
            frame { $0.timestamp += 7_200_000_000_000 }, now: now, suspended: .seconds(7200))
        #expect(shifted.timestamp == now - .milliseconds(30))
    }

    @Test(
        "a timestamp that cannot be is replaced by the time of completion",
        arguments: [0, -1, Int64.min, Int64.max, 1, 5_004_000_000_000])
    func impossibleTimes(_ timestamp: Int64) {
        var reading = reading()
        let properties = reading.handle(frame { $0.timestamp = timestamp }, now: now, suspended: .seconds(3))
        #expect(properties.timestamp == now - .milliseconds(1))
    }

    @Test("exposure and gains become time and ISO speed, whatever nonsense comes")
    func metadata() {
        var reading = reading()
        let plain = reading.handle(
            frame { ($0.analogueGain, $0.digitalGain) = (2, 1.5) }, now: now, suspended: .zero
        ).metadata
        #expect(plain.exposureTime == .milliseconds(8) && plain.isoSpeed == 300 && !plain.isManualExposure)
        for exposure in [Int64.min, -1, .max] {
            for gain in [Float.nan, -1, .infinity, .greatestFiniteMagnitude, 0] {
                let odd = frame { ($0.exposure, $0.analogueGain, $0.completed) = (exposure, gain, exposure) }
                let metadata = reading.handle(odd, now: now, suspended: .zero).metadata
                #expect(metadata.exposureTime >= .zero && metadata.exposureTime <= .seconds(3600))
                #expect((0...10_000_000).contains(metadata.isoSpeed))
            }
        }
    }

    @Test("an exposure counts as set by hand only when the frame shows it")
    func manual() {
        var reading = reading()
        reading.controlsWereSet(SensorControls(exposureTime: .milliseconds(20), isoSpeed: 100), serial: 2)
        func isManual(_ change: (inout CompletedFrame) -> Void) -> Bool {
            reading.handle(frame(change), now: now, suspended: .zero).metadata.isManualExposure
        }
        #expect(!isManual { $0.exposure = 20_000 })
        #expect(!isManual { $0.serial = 2 })
        #expect(isManual { ($0.serial, $0.exposure) = (2, 19_990) })
        #expect(!isManual { ($0.serial, $0.exposure, $0.isManual) = (2, 19_990, false) })
        #expect(isManual { ($0.serial, $0.isManual) = (2, true) })
    }

    private func frames(untilShown bias: Double, isSettled: Bool?, exposure: Int64 = 8_000) -> Int? {
        var reading = reading()
        reading.controlsWereSet(SensorControls(exposureBias: bias), serial: 2)
        return (0..<50).first { _ in
            let frame = frame { ($0.serial, $0.isSettled, $0.exposure) = (2, isSettled, exposure) }
            return reading.handle(frame, now: now, suspended: .zero).metadata.exposureBias == bias
        }
    }

    @Test("compensation shows once automatic exposure can have followed it")
    func bias() {
        #expect(frames(untilShown: -1, isSettled: true) == FrameReading.controlDelay)
        #expect(frames(untilShown: -1, isSettled: nil) == FrameReading.controlDelay)
        #expect(frames(untilShown: -1, isSettled: false) == FrameReading.settlingLimit)
    }

    @Test("a camera that reports no exposure never confirms settings")
    func silentCamera() {
        #expect(frames(untilShown: -1, isSettled: nil, exposure: 0) == nil)
        var reading = reading(SensorControls(exposureTime: .milliseconds(8)))
        let metadata = reading.handle(frame { $0.exposure = 0 }, now: now, suspended: .zero).metadata
        #expect(!metadata.isManualExposure && metadata.exposureTime == .zero)
    }

    @Test("a flood of settings keeps the newest")
    func flood() {
        var reading = reading()
        for serial in 2...1000 as ClosedRange<UInt64> {
            reading.controlsWereSet(SensorControls(exposureTime: .microseconds(serial)), serial: serial)
        }
        let newest = frame { ($0.serial, $0.exposure) = (1000, 1000) }
        #expect(reading.handle(newest, now: now, suspended: .zero).metadata.isManualExposure)
    }
}

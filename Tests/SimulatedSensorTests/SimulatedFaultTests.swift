import Capture
import Foundation
import Platform
import SimulatedSensor
import Testing

@Suite("Faults on command", .timeLimit(.minutes(10)))
struct SimulatedFaultTests {
    @Test("a stall is reported after its limit, and a new start ends it")
    func stall() async throws {
        let sensor = SimulatedSensor.small { $0.stallLimit = .milliseconds(25) }
        try sensor.configure()
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        await recorder.wait { !$0.entries.isEmpty }
        sensor.inject(.stall)
        let record = await recorder.wait { !$0.failures.isEmpty }
        #expect(record.failures == [.stalled])
        await sensor.stop()
        try sensor.start(delivering: recorder)
        await recorder.wait { $0.entries.count >= record.entries.count + 3 }
        await sensor.stop()
        #expect(recorder.record.failures == [.stalled])
    }

    @Test("unplugged, the stream ends and nothing starts until it is plugged in again")
    func unplug() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        await recorder.wait { !$0.entries.isEmpty }
        sensor.inject(.unplug)
        await recorder.wait { $0.failures == [.disconnected] }
        await sensor.stop()
        #expect(throws: SensorError.disconnected) { try sensor.start(delivering: recorder) }
        #expect(throws: SensorError.disconnected) { try sensor.configure() }
        sensor.inject(.replug)
        try sensor.configure()
        let again = FrameRecorder()
        try sensor.start(delivering: again)
        await again.wait { $0.entries.count >= 3 }
        await sensor.stop()
    }

    @Test("lost frames use up their numbers and are logged as dropped")
    func lostFrames() async throws {
        let log = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: log) }
        let sensor = SimulatedSensor.small { $0.frameLog = log }
        try sensor.configure()
        sensor.inject(.loseFrames(3))
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        let record = await recorder.wait { !$0.entries.isEmpty }
        await sensor.stop()
        #expect(record.entries[0].sequence >= 3)
        #expect(try lines(log).prefix(3).allSatisfy { $0.hasSuffix(" dropped") })
    }

    @Test("a slow start delays the first frame of one start")
    func slowStart() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        sensor.inject(.slowStart(.milliseconds(150)))
        let before = MonotonicTime.now()
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        let record = await recorder.wait { !$0.entries.isEmpty }
        await sensor.stop()
        #expect(record.entries[0].timestamp >= before + .milliseconds(150))
    }

    @Test("stop does not wait for a slow start")
    func stopDuringSlowStart() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        sensor.inject(.slowStart(.seconds(3600)))
        try sensor.start(delivering: FrameRecorder())
        await sensor.stop()
    }

    @Test("one configuration finds no memory")
    func allocation() throws {
        let sensor = SimulatedSensor.small()
        sensor.inject(.allocationFailure)
        #expect(throws: SensorError.outOfMemory) { try sensor.configure() }
        try sensor.configure()
    }

    @Test("after a jump all timestamps are off by as much, in the picture too")
    func timestampJump() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        await recorder.wait { !$0.entries.isEmpty }
        sensor.inject(.timestampJump(.seconds(-1000)))
        let first = recorder.record.entries[0]
        let record = await recorder.wait { $0.entries.last.map { $0.timestamp < first.timestamp } ?? false }
        await sensor.stop()
        let last = try #require(record.entries.last)
        #expect(
            last.timestamp - first.timestamp
                == .milliseconds(5) * Int(last.sequence - first.sequence) - .seconds(1000))
        #expect(last.stampedTimestamp == last.timestamp)
    }
}

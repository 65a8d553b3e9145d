import Capture
import Foundation
import Imaging
import Platform
import SimulatedSensor
import Testing

@Suite("Simulated sensor", .timeLimit(.minutes(10)))
struct SimulatedSensorTests {
    @Test("a frame's picture shows its own number and time", arguments: [PictureLayout.Format.yuv420, .nv12])
    func stamps(_ format: PictureLayout.Format) async throws {
        let sensor = SimulatedSensor.small { $0.format = format }
        let granted = try sensor.configure(buffers: 6)
        #expect(granted.layout.format == format && granted.layout.width == 640 && granted.layout.height == 96)
        #expect(granted.bufferCount == 6)
        #expect(granted.frameInterval == .milliseconds(5) && granted.readoutTime == .milliseconds(4))
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        let record = await recorder.wait { $0.entries.count >= 20 }
        await sensor.stop()
        for entry in record.entries {
            #expect(entry.stampedSequence == entry.sequence)
            #expect(entry.stampedTimestamp == entry.timestamp)
            #expect(entry.midpoint == entry.timestamp - .microseconds(2500) + .milliseconds(2))
        }
        // Whatever the machine's load, frames keep the sensor's own grid.
        let first = record.entries[0]
        for entry in record.entries {
            #expect(entry.timestamp - first.timestamp == .milliseconds(5) * Int(entry.sequence - first.sequence))
        }
    }

    @Test("settings take effect four frames later, and the frame says so")
    func controls() async throws {
        let sensor = SimulatedSensor.small { $0.framesPerSecond = 50 }
        try sensor.configure()
        // Before the first frame the count begins with the first.
        sensor.setControls(SensorControls(exposureTime: .milliseconds(2), isoSpeed: 800))
        let recorder = FrameRecorder()
        try sensor.start(delivering: recorder)
        let record = await recorder.wait { $0.entries.last.map { $0.sequence >= 6 } ?? false }
        await sensor.stop()
        for entry in record.entries {
            let automatic = FrameMetadata(
                exposureTime: .milliseconds(10), isoSpeed: 100, exposureBias: 0, isManualExposure: false)
            let manual = FrameMetadata(
                exposureTime: .milliseconds(2), isoSpeed: 800, exposureBias: 0, isManualExposure: true)
            #expect(entry.metadata == (entry.sequence < 4 ? automatic : manual))
        }
    }

    @Test("a stop of exposure compensation doubles the time, within what the sensor can do")
    func bias() async throws {
        let sensor = SimulatedSensor.small { $0.framesPerSecond = 30 }
        try sensor.configure()
        let recorder = FrameRecorder()
        sensor.setControls(SensorControls(exposureBias: 1))
        try sensor.start(delivering: recorder)
        let first = await recorder.wait { $0.entries.contains { $0.sequence >= 4 } }
        #expect(first.entries.last?.metadata.exposureTime == .milliseconds(20))
        #expect(first.entries.last?.metadata.exposureBias == 1)
        sensor.setControls(SensorControls(exposureTime: .seconds(7), isoSpeed: 1_000_000))
        let second = await recorder.wait { $0.entries.contains { $0.metadata.isManualExposure } }
        await sensor.stop()
        #expect(second.entries.last?.metadata.exposureTime == sensor.model.exposureTimes.upperBound)
        #expect(second.entries.last?.metadata.isoSpeed == 1600)
    }

    @Test("without a free buffer frames are lost, but counted and logged")
    func heldLeases() async throws {
        let log = temporaryPath()
        defer { try? FileManager.default.removeItem(atPath: log) }
        let sensor = SimulatedSensor.small { $0.frameLog = log }
        try sensor.configure(buffers: 4)
        let recorder = FrameRecorder(holding: 4)
        try sensor.start(delivering: recorder)
        await recorder.wait { $0.held.count == 4 }
        // The sensor goes on counting while nothing can be delivered.
        try await wait(forFile: log) { try lines(log).count { $0.hasSuffix("dropped") } >= 5 }
        #expect(recorder.record.entries.count == 4)
        recorder.letGo()
        let record = await recorder.wait { $0.entries.count >= 8 }
        await sensor.stop()
        #expect(record.entries[4].sequence >= record.entries[3].sequence + 6)

        let logged = try lines(log)
        #expect(logged.enumerated().allSatisfy { $0.element.hasPrefix("\($0.offset) ") })
        let delivered = logged.filter { $0.hasSuffix(" delivered") }
        let expected = recorder.record.entries.map {
            "\($0.sequence) \($0.timestamp.nanoseconds) 5000000 \($0.midpoint.nanoseconds) delivered"
        }
        #expect(delivered == expected)
    }

    @Test("leases outlive stop, a restart and a new configuration, and go back where they came from")
    func oldLeases() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure(buffers: 4)
        let old = FrameRecorder(holding: 2)
        try sensor.start(delivering: old)
        await old.wait { $0.held.count == 2 }
        await sensor.stop()

        // Started again on the same buffers: only two are free.
        let second = FrameRecorder(holding: 4)
        try sensor.start(delivering: second)
        await second.wait { $0.held.count == 2 }
        await sensor.stop()
        #expect(second.record.held.count == 2)

        try sensor.configure(buffers: 4)
        let third = FrameRecorder(holding: 4)
        try sensor.start(delivering: third)
        await third.wait { $0.held.count == 4 }
        await sensor.stop()

        check(old.record.held + second.record.held + third.record.held)
        old.letGo()
        second.letGo()
        third.letGo()
        try sensor.start(delivering: third)
        await third.wait { $0.entries.count >= 12 }
        await sensor.stop()
    }

    /// Every frame still shows its own stamp, in memory of its own.
    private func check(_ frames: [Frame]) {
        #expect(frames.count == 8)
        #expect(Set(frames.map { $0.withPicture { $0.bytes.baseAddress } }).count == frames.count)
        for frame in frames {
            #expect(frame.withPicture { FrameStamp.read(from: $0) }?.sequence == frame.sequence)
        }
    }

    @Test("after stop nothing comes, and numbers go on with the next start")
    func stop() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        var last: UInt64?
        for _ in 0..<5 {
            let recorder = FrameRecorder()
            try sensor.start(delivering: recorder)
            await recorder.wait { $0.entries.count >= 2 }
            await sensor.stop()
            let count = recorder.record.entries.count
            // Another stream runs for a while; the first sink must not receive its frames.
            let other = FrameRecorder()
            try sensor.start(delivering: other)
            await other.wait { $0.entries.count >= 3 }
            await sensor.stop()
            #expect(recorder.record.entries.count == count)
            let sequences = (recorder.record.entries + other.record.entries).map(\.sequence)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
            if let last, let first = sequences.first { #expect(first > last) }
            last = sequences.last
        }
    }

    @Test("stop lets go of the sink")
    func sink() async throws {
        let sensor = SimulatedSensor.small()
        try sensor.configure()
        weak var sink: FrameRecorder?
        do {
            let recorder = FrameRecorder()
            sink = recorder
            try sensor.start(delivering: recorder)
            await recorder.wait { !$0.entries.isEmpty }
        }
        #expect(sink != nil)
        await sensor.stop()
        #expect(sink == nil)
    }

    @Test("calls out of order are refused in words")
    func order() async throws {
        let sensor = SimulatedSensor.small()
        #expect(throws: SensorError.refused("the sensor is not configured")) {
            try sensor.start(delivering: FrameRecorder())
        }
        await sensor.stop()
        try sensor.configure()
        try sensor.start(delivering: FrameRecorder())
        #expect(throws: SensorError.refused("the sensor is streaming")) {
            try sensor.start(delivering: FrameRecorder())
        }
        #expect(throws: SensorError.refused("the sensor is streaming")) { try sensor.configure() }
        await sensor.stop()
        #expect(
            throws: SensorError.refused("a simulated frame is at least 640 by 64 pixels large, not 639 by 480")
        ) {
            try SimulatedSensor.small { ($0.width, $0.height) = (639, 480) }.configure()
        }
    }

    @Test("never fewer than four buffers are granted")
    func buffers() throws {
        #expect(try SimulatedSensor.small().configure(buffers: 1).bufferCount == 4)
    }
}

func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
}

func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
}

/// Waits until a condition on a file is true. Looks at it after each change of the file (inotify(7)).
func wait(forFile path: String, until isTrue: @escaping @Sendable () throws -> Bool) async throws {
    let notifier = inotify_init1(Int32(O_CLOEXEC))
    defer { close(notifier) }
    try #require(inotify_add_watch(notifier, path, UInt32(IN_MODIFY)) >= 0)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        // A thread of its own, because it blocks.
        Thread.detachNewThread {
            let result = Result {
                var events = [UInt8](repeating: 0, count: 4096)
                while try !isTrue() {
                    guard read(notifier, &events, events.count) > 0 else { throw POSIXError(.EIO) }
                }
            }
            continuation.resume(with: result)
        }
    }
}

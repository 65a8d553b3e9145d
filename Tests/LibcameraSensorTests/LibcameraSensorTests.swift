import Capture
import Foundation
import Imaging
import Platform
import Testing

@testable import LibcameraSensor

@Suite("LibcameraSensor", .timeLimit(.minutes(10)))
struct LibcameraSensorTests {
    private let camera = FakeCamera()
    private let sink = Sink()
    private let request = StreamConfiguration(
        layout: PictureLayout(packed: .yuv420, width: 64, height: 48), bufferCount: 6, frameInterval: .zero,
        readoutTime: .zero)

    @Test("the granted stream is reported, with the readout time of its mode")
    func configuration() throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        let granted = try sensor.configure(request)
        #expect(granted.layout.format == .nv12 && granted.layout.planes[1].offset == 8192)
        #expect(granted.bufferCount == 6)
        #expect(granted.frameInterval == .milliseconds(100) && granted.readoutTime == .milliseconds(100))
        var model = SensorModel.small
        model.hasGlobalShutter = true
        #expect(try LibcameraSensor(model: model, port: camera).configure(request).readoutTime == .zero)
    }

    @Test("a frame is a lease on the camera's own buffer, and goes back when it ends")
    func lease() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        for slot in 0..<3 as Range<UInt32> { camera.bring(slot: slot, sequence: slot) }
        await sink.until(frames: 3)
        #expect(camera.leased == 3)
        let frame = try #require(sink.frames.first)
        let middle = frame.timestamp - .milliseconds(5) + .milliseconds(50)
        #expect(frame.midpoint == middle)
        #expect(frame.metadata.isoSpeed == 200)
        frame.withPicture { picture in
            #expect(picture.bytes.count == picture.layout.byteCount)
            #expect(picture.bytes.allSatisfy { $0 == 77 })
        }
        #expect(sink.frames.map(\.sequence) == [1, 2, 3])
        await sensor.stop()
    }

    @Test("leases from before a restart return to the stream that they came from")
    func generations() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        for frames in 1...2 {
            _ = try sensor.configure(request)
            try sensor.start(delivering: sink)
            camera.bring(slot: 3)
            await sink.until(frames: frames)
            if camera.stops == 0 { await sensor.stop() }
        }
        #expect(camera.leased == 2)
        #expect(sink.frames.map(\.sequence) == [1, 2])
        sink.drop()
        #expect(camera.leased == 0 && camera.staleReturns == 1 && camera.unknownReturns == 0)
        await sensor.stop()
    }

    @Test("a stream without frames is reported as stalled, once, and can be started again")
    func stall() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        camera.bring()
        await sink.until(frames: 1)
        camera.bring(.timedOut)
        await sink.untilItFails()
        #expect(sink.failures == [.stalled])
        #expect(throws: SensorError.refused("the camera is streaming")) { try sensor.configure(request) }
        await sensor.stop()
        #expect(!camera.isTaken)
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        camera.bring()
        await sink.until(frames: 2)
        await sensor.stop()
        #expect(sink.failures == [.stalled])
    }

    @Test("an exposure that is longer than the limit does not count as a stall")
    func longExposure() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        camera.bring()
        await sink.until(frames: 1)
        await camera.until(waits: 2)
        sensor.setControls(SensorControls(exposureTime: .seconds(10), isoSpeed: 100))
        camera.bring(.timedOut)
        camera.bring(slot: 1)
        await sink.until(frames: 2)
        #expect(sink.failures.isEmpty)
        let deadlines = camera.deadlines
        #expect(deadlines[2] - deadlines[1] > .seconds(40))
        await sensor.stop()
    }

    @Test("an unplugged camera is reported, and is used again when it is back")
    func unplug() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        camera.bring(.unplugged)
        await sink.untilItFails()
        #expect(sink.failures == [.disconnected])
        await sensor.stop()
        camera.fail(configure: .disconnected)
        #expect(throws: SensorError.disconnected) { try sensor.configure(request) }
        camera.fail()
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        camera.bring()
        await sink.until(frames: 1)
        await sensor.stop()
    }

    @Test(
        "a camera that does not start is released, and the reason is reported",
        arguments: [SensorError.inUse, .outOfMemory])
    func startFailure(_ error: SensorError) async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        camera.fail(start: error)
        _ = try sensor.configure(request)
        #expect(throws: error) { try sensor.start(delivering: sink) }
        #expect(!camera.isTaken)
        #expect(throws: SensorError.refused("the camera is not configured")) { try sensor.start(delivering: sink) }
    }

    @Test("a camera whose buffers do not hold its pictures is refused and given back")
    func impossibleLayout() {
        var granted = GrantedStream.small
        granted.planes[1].length = 10
        let camera = FakeCamera(granted)
        let sensor = LibcameraSensor(model: .small, port: camera)
        #expect(throws: SensorError.self) { try sensor.configure(request) }
        #expect(!camera.isTaken)
    }

    @Test("a stop gives the camera back, also one that was never started")
    func stopWithoutStart() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        await sensor.stop()
        #expect(camera.stops == 0)
        _ = try sensor.configure(request)
        await sensor.stop()
        #expect(!camera.isTaken && camera.stops == 1)
    }

    @Test("settings made before the start go with it, later ones after")
    func controls() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        sensor.setControls(SensorControls(exposureBias: 1))
        _ = try sensor.configure(request)
        try sensor.start(delivering: sink)
        sensor.setControls(SensorControls(exposureTime: .milliseconds(10), isoSpeed: 200))
        camera.bring()
        await sink.until(frames: 1)
        #expect(camera.controls.suffix(2).map(\.exposureBias) == [1, 0])
        #expect(sink.frames[0].metadata.isManualExposure)
        await sensor.stop()
    }

    @Test("a thousand starts and stops, with leases that outlive them, leave nothing behind")
    func rounds() async throws {
        let sensor = LibcameraSensor(model: .small, port: camera)
        func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
        }
        var last: Frame?
        weak var stale: Frame?
        for round in 0..<1000 {
            let sink = Sink()
            _ = try sensor.configure(request)
            try sensor.start(delivering: sink)
            for slot in 0..<4 as Range<UInt32> { camera.bring(slot: slot, sequence: slot) }
            await sink.until(frames: 1)
            await sensor.stop()
            // What the stop found in the queue was never leased; the rest is the sink's.
            #expect(camera.leased == sink.frames.count + (round == 0 ? 0 : 1))
            stale = last
            last = sink.frames.first
            sink.drop()
        }
        #expect(stale == nil)
        last = nil
        #expect(camera.leased == 0 && camera.unknownReturns == 0)
        #expect(camera.stops == 1000 && !camera.isTaken)
        // Each round had a thread of its own; what other tests have is far fewer.
        #expect(try count("task") < 900)
    }
}

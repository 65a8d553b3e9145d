import Capture
import Foundation
import PinholeTesting
import Platform
import Testing

@Suite("Sensors that misbehave")
struct SensorRecoveryTests {
    @Test("a sensor whose stop never comes back holds nobody up, and can be used once it has")
    func hangingStop() async throws {
        let rig = try await Rig()
        let delegate = try rig.capture(at: 100)
        rig.sensor.hang(stop: true)
        try await rig.session.stopRunning()
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(!rig.session.isRunning)
        await #expect(throws: CaptureError.deviceStalled) { try await rig.session.startRunning() }
        rig.sensor.letGo()
        while !rig.session.isRunning {
            try? await rig.session.startRunning()
            await Task.yield()
        }
        rig.sensor.deliver(midpoint: rig.at(200))
        #expect(rig.output.captureReadiness == .ready)
    }

    @Test("a start that comes back too late is stopped, and the next one succeeds")
    func hangingStart() async throws {
        let rig = try await Rig()
        try await rig.session.stopRunning()
        rig.sensor.hang(start: true)
        await #expect(throws: CaptureError.deviceStalled) { try await rig.session.startRunning() }
        #expect(rig.output.captureReadiness == .sessionNotRunning)
        rig.sensor.letGo()
        while !rig.session.isRunning {
            try? await rig.session.startRunning()
            await Task.yield()
        }
        #expect(rig.sensor.starts == 3 && rig.sensor.stops == 2)
    }

    @Test("a stall told twice is reported once")
    func doubleStall() async throws {
        let rig = try await Rig()
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        rig.session.setEventHandler { continuation.yield("\($0)") }
        rig.sensor.breakDown(.stalled)
        rig.session.streamDidFail(.stalled)
        try await rig.session.startRunning()
        continuation.finish()
        var heard: [String] = []
        for await event in events { heard.append(event) }
        #expect(heard == ["didStop", "runtimeError(Capture.CaptureError.deviceStalled)", "didStart"])
    }

    @Test("a thousand rounds of every kind of end leak no frame, no share of memory, no thread and no descriptor")
    func rounds() async throws {
        let failing = ScriptedEncoding(error: .outOfMemory)
        let good = try await Rig(encodedLimit: 20_000)
        let bad = try await Rig(encoding: failing, encodedLimit: 20_000)
        func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder).count
        }
        func round(_ number: Int, _ rig: Rig) async throws {
            var delegates: [RecordingDelegate] = []
            rig.sensor.deliver(midpoint: rig.at(0))
            delegates.append(try rig.capture(at: 0))
            delegates.append(try rig.capture(at: 150))
            let reservation = rig.output.reserveFrame(at: rig.at(160))
            switch number % 4 {
            case 0: try await rig.session.stopRunning()
            case 1: rig.session.streamDidFail(.stalled)
            case 2: rig.sensor.deliver(midpoint: rig.at(200))
            default:
                rig.session.beginConfiguration()
                rig.session.removeOutput(rig.output)
                rig.session.addOutput(rig.output)
                rig.session.commitConfiguration()
            }
            for delegate in delegates {
                await delegate.finished()
                #expect(delegate.callbacks == RecordingDelegate.completeCapture)
            }
            withExtendedLifetime(reservation) {}
            try await rig.session.stopRunning()
            try await rig.session.startRunning()
        }
        for number in 0..<8 { try await round(number, number.isMultiple(of: 2) ? good : bad) }
        let descriptors = try count("fd")
        for number in 0..<1000 { try await round(number, number.isMultiple(of: 8) ? bad : good) }
        for rig in [good, bad] {
            try await rig.session.stopRunning()
            // The encoder and callback threads let go a moment after the last callback.
            await rig.output.close()
            #expect(rig.sensor.outstandingFrames == 0)
            #expect(rig.output.encodedByteCount == 0)
        }
        #expect(try count("fd") <= descriptors + 8, "other tests run at the same time and open a few")
    }
}

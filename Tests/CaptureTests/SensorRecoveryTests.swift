import Capture
import Foundation
import PinholeTesting
import Platform
import Testing

@Suite("Sensors that misbehave")
struct SensorRecoveryTests {
    @Test("a sensor whose stop never comes back holds nobody up, and can be used once it has")
    func hangingStop() async throws {
        let fixture = try await CaptureFixture()
        let delegate = try fixture.capture(at: 100)
        fixture.sensor.hang(stop: true)
        try await fixture.session.stopRunning()
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(!fixture.session.isRunning)
        await #expect(throws: CaptureError.deviceStalled) { try await fixture.session.startRunning() }
        fixture.sensor.letGo()
        await fixture.startAfterHang()
        fixture.sensor.deliver(midpoint: fixture.at(200))
        #expect(fixture.output.captureReadiness == .ready)
    }

    @Test("a start that comes back too late is stopped, and the next one succeeds")
    func hangingStart() async throws {
        let fixture = try await CaptureFixture()
        try await fixture.session.stopRunning()
        fixture.sensor.hang(start: true)
        await #expect(throws: CaptureError.deviceStalled) { try await fixture.session.startRunning() }
        #expect(fixture.output.captureReadiness == .sessionNotRunning)
        fixture.sensor.letGo()
        await fixture.startAfterHang()
        #expect(fixture.sensor.starts == 3 && fixture.sensor.stops == 2)
    }

    @Test("a repeated stall is reported once")
    func doubleStall() async throws {
        let fixture = try await CaptureFixture()
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        fixture.session.setEventHandler { continuation.yield("\($0)") }
        fixture.sensor.breakDown(.stalled)
        fixture.session.streamDidFail(.stalled)
        try await fixture.session.startRunning()
        continuation.finish()
        var received: [String] = []
        for await event in events { received.append(event) }
        #expect(received == ["didStop", "runtimeError(Capture.CaptureError.deviceStalled)", "didStart"])
    }

    @Test("a thousand rounds of every kind of end leak no frame, no share of memory, no thread and no descriptor")
    func rounds() async throws {
        let failing = ScriptedEncoding(error: .outOfMemory)
        let good = try await CaptureFixture(encodedLimit: 20_000)
        let bad = try await CaptureFixture(encoding: failing, encodedLimit: 20_000)
        func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + folder).count
        }
        func round(_ number: Int, _ fixture: CaptureFixture) async throws {
            var delegates: [RecordingDelegate] = []
            fixture.sensor.deliver(midpoint: fixture.at(0))
            delegates.append(try fixture.capture(at: 0))
            delegates.append(try fixture.capture(at: 150))
            let reservation = fixture.output.reserveFrame(at: fixture.at(160))
            switch number % 4 {
            case 0: try await fixture.session.stopRunning()
            case 1: fixture.session.streamDidFail(.stalled)
            case 2: fixture.sensor.deliver(midpoint: fixture.at(200))
            default:
                fixture.session.beginConfiguration()
                fixture.session.removeOutput(fixture.output)
                fixture.session.addOutput(fixture.output)
                fixture.session.commitConfiguration()
            }
            for delegate in delegates {
                await delegate.finished()
                #expect(delegate.callbacks == RecordingDelegate.completeCapture)
            }
            withExtendedLifetime(reservation) {}
            try await fixture.session.stopRunning()
            try await fixture.session.startRunning()
        }
        for number in 0..<8 { try await round(number, number.isMultiple(of: 2) ? good : bad) }
        let descriptors = try count("fd")
        for number in 0..<1000 { try await round(number, number.isMultiple(of: 8) ? bad : good) }
        for fixture in [good, bad] {
            try await fixture.session.stopRunning()
            // The encoder and callback threads let go a moment after the last callback.
            await fixture.output.close()
            #expect(fixture.sensor.outstandingFrames == 0)
            #expect(fixture.output.encodedByteCount == 0)
        }
        #expect(try count("fd") <= descriptors + 8, "other tests run at the same time and open a few")
    }
}

import Capture
import PinholeTesting
import Platform
import Testing

@Suite("The session")
struct CaptureSessionTests {
    @Test("start or stop inside begin and commit is a usage error")
    func startInsideConfiguration() async throws {
        let fixture = try await CaptureFixture()
        fixture.session.beginConfiguration()
        await #expect(throws: CaptureError.self) { try await fixture.session.startRunning() }
        await #expect(throws: CaptureError.self) { try await fixture.session.stopRunning() }
        fixture.session.commitConfiguration()
        try await fixture.session.stopRunning()
        #expect(!fixture.session.isRunning && fixture.sensor.stops == 1)
    }

    @Test("a usage error changes nothing, is reported at once, and is thrown by the next start only")
    func usageErrors() async throws {
        let mistakes: [@Sendable (CaptureFixture) throws -> Void] = [
            { fixture in
                let other = try CaptureDeviceInput(device: CaptureDevice(sensor: FakeSensor()))
                #expect(!fixture.session.canAddInput(other))
                fixture.session.addInput(other)
                #expect(fixture.session.inputs.count == 1 && fixture.session.inputs.first !== other)
            },
            { fixture in
                #expect(!fixture.session.canAddOutput(fixture.output))
                fixture.session.addOutput(fixture.output)
                #expect(fixture.session.outputs.count == 1)
            },
            { fixture in fixture.session.commitConfiguration() },
            { fixture in fixture.session.sessionPreset = .init(rawValue: "high") },
        ]
        for mistake in mistakes {
            let fixture = try await CaptureFixture()
            let events = Recorder<CaptureError>()
            fixture.session.setEventHandler { if case .usageError(let error) = $0 { events.add(error) } }
            try mistake(fixture)
            #expect(events.elements.count == 1)
            #expect(fixture.session.isRunning)
            let reported = try #require(events.elements.first)
            await #expect(throws: reported) { try await fixture.session.startRunning() }
            try await fixture.session.startRunning()
        }
    }

    @Test("a caller that cannot await starts and stops the stream by calls that block")
    func blockingCalls() async throws {
        let fixture = try await CaptureFixture(isStarted: false)
        let events = Recorder<String>()
        fixture.session.setEventHandler { events.add("\($0)") }
        let queue = WorkerThread(name: "application")
        await queue.run { fixture.session.startRunning() }
        #expect(fixture.session.isRunning)
        await queue.run {
            fixture.session.beginConfiguration()
            fixture.session.stopRunning()
            fixture.session.startRunning()
            fixture.session.commitConfiguration()
        }
        #expect(fixture.session.isRunning)
        await queue.run { fixture.session.stopRunning() }
        #expect(!fixture.session.isRunning)
        fixture.sensor.fail(start: .inUse)
        await queue.run { fixture.session.startRunning() }
        await queue.stop()
        let between = "() between beginConfiguration() and commitConfiguration()"
        #expect(
            events.elements == [
                "didStart", "usageError(Capture.CaptureError.invalidUsage(\"stopRunning\(between)\"))",
                "usageError(Capture.CaptureError.invalidUsage(\"startRunning\(between)\"))", "didStop",
                "runtimeError(Capture.CaptureError.deviceInUse)",
            ])
    }

    @Test("what the sensor refuses comes out of startRunning, and a later start succeeds")
    func refusedStart() async throws {
        let fixture = try await CaptureFixture()
        try await fixture.session.stopRunning()
        fixture.sensor.fail(start: .inUse)
        await #expect(throws: CaptureError.deviceInUse) { try await fixture.session.startRunning() }
        #expect(fixture.output.captureReadiness == .sessionNotRunning)
        fixture.sensor.fail()
        try await fixture.session.startRunning()
        #expect(fixture.output.captureReadiness == .notReadyMomentarily)
        fixture.sensor.deliver(midpoint: fixture.at(0))
        #expect(fixture.output.captureReadiness == .ready)
    }

    @Test("a stall is reported once and the session can be started again")
    func stall() async throws {
        let fixture = try await CaptureFixture()
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        fixture.session.setEventHandler { continuation.yield("\($0)") }
        fixture.sensor.breakDown(.stalled)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "didStop")
        #expect(await iterator.next() == "runtimeError(Capture.CaptureError.deviceStalled)")
        try await fixture.session.startRunning()
        #expect(await iterator.next() == "didStart")
    }

    @Test("an unplugged device never becomes connected again")
    func unplugged() async throws {
        let sensor = FakeSensor()
        let device = CaptureDevice(sensor: sensor)
        let fixture = try await CaptureFixture()
        let session = CaptureSession(request: .init(bufferCount: 4))
        try await fixture.session.stopRunning()
        fixture.session.removeOutput(fixture.output)
        session.addInput(try CaptureDeviceInput(device: device))
        session.addOutput(fixture.output)
        try await session.startRunning()
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        session.setEventHandler { if case .runtimeError = $0 { continuation.yield() } }
        sensor.breakDown(.disconnected)
        var iterator = events.makeAsyncIterator()
        await iterator.next()
        #expect(!device.isConnected)
        #expect(throws: CaptureError.deviceDisconnected) { try CaptureDeviceInput(device: device) }
        #expect(throws: CaptureError.deviceDisconnected) { try device.lockForConfiguration() }
    }

    @Test("a device changes only while it is locked, and only within the sensor's range")
    func deviceConfiguration() throws {
        let sensor = FakeSensor()
        let device = CaptureDevice(sensor: sensor)
        #expect(throws: CaptureError.self) { try device.setExposureTargetBias(1) }
        try device.lockForConfiguration()
        try device.setExposureModeCustom(duration: .milliseconds(5), iso: 200)
        #expect(throws: CaptureError.self) { try device.setExposureModeCustom(duration: .seconds(9), iso: 200) }
        #expect(throws: CaptureError.self) { try device.setExposureTargetBias(.nan) }
        try device.setContinuousAutoExposure()
        device.unlockForConfiguration()
        #expect(sensor.controls == [SensorControls(exposureTime: .milliseconds(5), isoSpeed: 200), SensorControls()])
    }
}

import Capture
import PinholeTesting
import Platform
import Testing

@Suite("The session")
struct CaptureSessionTests {
    @Test("start or stop inside begin and commit is a usage error")
    func startInsideConfiguration() async throws {
        let rig = try await Rig()
        rig.session.beginConfiguration()
        await #expect(throws: CaptureError.self) { try await rig.session.startRunning() }
        await #expect(throws: CaptureError.self) { try await rig.session.stopRunning() }
        rig.session.commitConfiguration()
        try await rig.session.stopRunning()
        #expect(!rig.session.isRunning && rig.sensor.stops == 1)
    }

    @Test("a usage error changes nothing, is told at once, and is thrown by the next start alone")
    func usageErrors() async throws {
        let mistakes: [@Sendable (Rig) throws -> Void] = [
            { rig in
                let other = try CaptureDeviceInput(device: CaptureDevice(sensor: FakeSensor()))
                #expect(!rig.session.canAddInput(other))
                rig.session.addInput(other)
                #expect(rig.session.inputs.count == 1 && rig.session.inputs.first !== other)
            },
            { rig in
                #expect(!rig.session.canAddOutput(rig.output))
                rig.session.addOutput(rig.output)
                #expect(rig.session.outputs.count == 1)
            },
            { rig in rig.session.commitConfiguration() },
            { rig in rig.session.sessionPreset = .init(rawValue: "high") },
        ]
        for mistake in mistakes {
            let rig = try await Rig()
            let events = Recorder<CaptureError>()
            rig.session.setEventHandler { if case .usageError(let error) = $0 { events.add(error) } }
            try mistake(rig)
            #expect(events.elements.count == 1)
            #expect(rig.session.isRunning)
            let told = try #require(events.elements.first)
            await #expect(throws: told) { try await rig.session.startRunning() }
            try await rig.session.startRunning()
        }
    }

    @Test("a caller that cannot await starts and stops the stream by calls that block")
    func blockingCalls() async throws {
        let rig = try await Rig(isStarted: false)
        let events = Recorder<String>()
        rig.session.setEventHandler { events.add("\($0)") }
        let queue = WorkerThread(name: "application")
        await queue.run { rig.session.startRunning() }
        #expect(rig.session.isRunning)
        await queue.run {
            rig.session.beginConfiguration()
            rig.session.stopRunning()
            rig.session.startRunning()
            rig.session.commitConfiguration()
        }
        #expect(rig.session.isRunning)
        await queue.run { rig.session.stopRunning() }
        #expect(!rig.session.isRunning)
        rig.sensor.fail(start: .inUse)
        await queue.run { rig.session.startRunning() }
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
        let rig = try await Rig()
        try await rig.session.stopRunning()
        rig.sensor.fail(start: .inUse)
        await #expect(throws: CaptureError.deviceInUse) { try await rig.session.startRunning() }
        #expect(rig.output.captureReadiness == .sessionNotRunning)
        rig.sensor.fail()
        try await rig.session.startRunning()
        #expect(rig.output.captureReadiness == .notReadyMomentarily)
        rig.sensor.deliver(midpoint: rig.at(0))
        #expect(rig.output.captureReadiness == .ready)
    }

    @Test("a stall is reported once and the session can be started again")
    func stall() async throws {
        let rig = try await Rig()
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        rig.session.setEventHandler { continuation.yield("\($0)") }
        rig.sensor.breakDown(.stalled)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "didStop")
        #expect(await iterator.next() == "runtimeError(Capture.CaptureError.deviceStalled)")
        try await rig.session.startRunning()
        #expect(await iterator.next() == "didStart")
    }

    @Test("an unplugged device never becomes connected again")
    func unplugged() async throws {
        let sensor = FakeSensor()
        let device = CaptureDevice(sensor: sensor)
        let rig = try await Rig()
        let session = CaptureSession(wish: .init(bufferCount: 4))
        try await rig.session.stopRunning()
        rig.session.removeOutput(rig.output)
        session.addInput(try CaptureDeviceInput(device: device))
        session.addOutput(rig.output)
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

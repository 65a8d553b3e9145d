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
        try rig.session.commitConfiguration()
        #expect(throws: CaptureError.self) { try rig.session.commitConfiguration() }
        try await rig.session.stopRunning()
        #expect(!rig.session.isRunning && rig.sensor.stops == 1)
    }

    @Test("a second input or output is refused")
    func oneInput() async throws {
        let rig = try await Rig()
        let other = try CaptureDeviceInput(device: CaptureDevice(sensor: FakeSensor()))
        #expect(!rig.session.canAddInput(other))
        #expect(throws: CaptureError.self) { try rig.session.addInput(other) }
        #expect(throws: CaptureError.self) { try rig.session.addOutput(rig.output) }
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
        try session.addInput(CaptureDeviceInput(device: device))
        try session.addOutput(rig.output)
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

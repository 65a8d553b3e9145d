import Capture
import Imaging
import PinholeTesting
import Platform
import SimulatedSensor
import Testing

@Suite("Simulated camera", .timeLimit(.minutes(10)))
struct SimulatedCameraTests {
    private func output() -> CapturePhotoOutput {
        let time = SystemTime(continuing: nil)
        return CapturePhotoOutput(
            environment: .init(
                time: time, rawEncoding: FakeRawEncoding(), encoderThreads: 1, encodedLimit: 1 << 20, quality: 90,
                metadata: PhotoMetadata(
                    make: "Pinhole", model: "Simulated", software: "test", captureTime: time.wallTime(at: time.now))))
    }

    private func session(_ device: CaptureDevice, _ output: CapturePhotoOutput) throws -> CaptureSession {
        let session = CaptureSession()
        session.addInput(try CaptureDeviceInput(device: device))
        session.addOutput(output)
        return session
    }

    @Test("connecting a simulated camera makes it the default device; connecting again replaces it")
    func connecting() {
        let first = SimulatedCamera.connect()
        let second = SimulatedCamera.connect()
        #expect(!CaptureDevice.devices.contains { $0 === first })
        #expect(CaptureDevice.devices.contains { $0 === second })
        #expect(CaptureDevice.default(for: .video) != nil)
        #expect(second.localizedName == "Simulated camera")
    }

    @Test("a folder that cannot be shown is refused with a sentence when the session starts")
    func missingFolder() async throws {
        let device = SimulatedCamera.connect(pictures: "/nonexistent/photographs")
        let session = try session(device, output())
        await #expect(
            throws: CaptureError.deviceFailed("cannot read the folder of photographs /nonexistent/photographs")
        ) { try await session.startRunning() }
    }

    @Test("a bracket of the simulated camera shows what was asked for, and raw photos are refused: it has none")
    func bracket() async throws {
        let output = output()
        let session = try session(
            CaptureDevice(sensor: SimulatedSensor.small { $0.framesPerSecond = 50 }), output)
        try await session.startRunning()
        #expect(output.availableRawPhotoPixelFormatTypes.isEmpty)
        let format = CapturePhotoOutput.RawPixelFormat(pattern: .rggb, bitsPerSample: 12, packing: .words)
        #expect(throws: CaptureError.self) {
            try output.takePhoto(
                with: CapturePhotoSettings(rawPixelFormatType: format), delegate: RecordingDelegate())
        }
        let exposures: [Float] = [-2, 0, 0.5]
        let settings = CapturePhotoBracketSettings(
            rawPixelFormatType: nil, processedFormat: nil,
            bracketedSettings: exposures.map(
                CaptureAutoExposureBracketedStillImageSettings.autoExposureSettings(exposureTargetBias:)))
        let delegate = RecordingDelegate()
        try output.takePhoto(with: settings, delegate: delegate)
        await delegate.finished()
        try await session.stopRunning()
        #expect(delegate.errors.isEmpty)
        #expect(delegate.photos.map { $0.metadata?.exposureBias } == [-2, 0, 0.5])
        #expect(delegate.photos.first?.metadata?.exposureTime == 0.0025)
    }
}

import Capture
import Imaging
import PinholeTesting
import Platform

/// A session over a fake sensor, started.
struct Rig {
    let sensor = FakeSensor()
    let time = ScriptedTime()
    let output: CapturePhotoOutput
    let session: CaptureSession

    init(
        encoding: any PhotoEncoding = JPEGPhotoEncoding(), buffers: Int = 6, encodedLimit: Int = 1 << 20
    ) async throws {
        let metadata = PhotoMetadata(
            make: "Pinhole", model: "Fake", software: "test", captureTime: time.wallTime(at: time.now))
        output = CapturePhotoOutput(
            environment: .init(
                time: time, encoding: encoding, encoderThreads: 2, encodedLimit: encodedLimit, quality: 90,
                metadata: metadata))
        session = CaptureSession(wish: .init(bufferCount: buffers), driverLimit: sensor.untilItHangs)
        try session.addInput(CaptureDeviceInput(device: CaptureDevice(sensor: sensor)))
        try session.addOutput(output)
        try await session.startRunning()
    }

    /// A moment in milliseconds of scripted time.
    func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    func capture(at milliseconds: Int64) throws -> RecordingDelegate {
        let settings = CapturePhotoSettings()
        settings.moment = .nearest(at(milliseconds))
        let delegate = RecordingDelegate()
        try output.capturePhoto(with: settings, delegate: delegate)
        return delegate
    }
}

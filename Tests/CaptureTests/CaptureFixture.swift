import Capture
import Imaging
import PinholeTesting
import Platform

/// A session over a fake sensor, started.
struct CaptureFixture {
    let sensor: FakeSensor
    let device: CaptureDevice
    let time = ScriptedTime()
    let output: CapturePhotoOutput
    let session: CaptureSession

    init(
        encoding: any PhotoEncoding = JPEGPhotoEncoding(), rawEncoding: (any RawPhotoEncoding)? = nil,
        givesRaw: Bool = false, buffers: Int = 6, encoderThreads: Int = 2, encodedLimit: Int = 1 << 20,
        isStarted: Bool = true
    ) async throws {
        sensor = FakeSensor(givesRaw: givesRaw)
        device = CaptureDevice(sensor: sensor)
        var metadata = PhotoMetadata(
            make: "Pinhole", model: "Fake", software: "test", captureTime: time.wallTime(at: time.now))
        metadata.position = PhotoMetadata.Position(latitude: 52.5, longitude: 13.4, altitude: nil)
        output = CapturePhotoOutput(
            environment: .init(
                time: time, encoding: encoding, rawEncoding: rawEncoding, encoderThreads: encoderThreads,
                encodedLimit: encodedLimit, quality: 90, metadata: metadata))
        session = CaptureSession(request: .init(bufferCount: buffers), driverLimit: sensor.untilItHangs)
        session.addInput(try CaptureDeviceInput(device: device))
        session.addOutput(output)
        if isStarted { try await session.startRunning() }
    }

    /// A session whose camera gives raw frames, with an encoder for them.
    static func raw() async throws -> CaptureFixture {
        try await CaptureFixture(rawEncoding: FakeRawEncoding(), givesRaw: true)
    }

    /// A moment in milliseconds of scripted time.
    func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    func capture(at milliseconds: Int64) throws -> RecordingDelegate {
        let settings = CapturePhotoSettings()
        settings.moment = .nearest(at(milliseconds))
        return try capture(settings)
    }

    func capture(_ settings: CapturePhotoSettings) throws -> RecordingDelegate {
        let delegate = RecordingDelegate()
        try output.takePhoto(with: settings, delegate: delegate)
        return delegate
    }

    /// Starts the session once the sensor has come back from a call that took too long.
    func startAfterHang() async {
        // The session does not report when it can use the sensor again, so each attempt waits for the ones before it.
        while !session.isRunning { try? await session.startRunning() }
    }

    /// Delivers so many frames, the first after all that were delivered so far.
    func deliver(_ count: Int, from milliseconds: inout Int64) {
        for _ in 0..<count {
            milliseconds += 100
            sensor.deliver(midpoint: at(milliseconds))
        }
    }
}

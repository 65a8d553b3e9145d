import Capture
import Imaging
import PinholeTesting
import Platform
import Synchronization
import Testing

/// Forwards the end of a capture.
private final class PassingDelegate: CapturePhotoCaptureDelegate {
    private let next: RecordingDelegate

    init(_ next: RecordingDelegate) {
        self.next = next
    }

    func photoOutput(
        _ output: CapturePhotoOutput, didFinishCaptureFor settings: CaptureResolvedPhotoSettings, error: (any Error)?
    ) {
        next.photoOutput(output, didFinishCaptureFor: settings, error: error)
    }
}

@Suite("The photo output")
struct CapturePhotoOutputTests {
    @Test("a capture gets every callback once, in order, and the photo of its moment")
    func success() async throws {
        let fixture = try await CaptureFixture()
        fixture.sensor.deliver(midpoint: fixture.at(0))
        let delegate = try fixture.capture(at: 60)
        fixture.sensor.deliver(midpoint: fixture.at(100))
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(delegate.errors.isEmpty)
        let photo = try #require(delegate.photos.first)
        #expect(photo.timestamp == fixture.at(100))
        #expect(photo.metadata?.captureTime == fixture.time.wallTime(at: fixture.at(100)))
        let data = try #require(photo.fileDataRepresentation())
        #expect(data.prefix(4) == .init([0xff, 0xd8, 0xff, 0xe1]))
        #expect(photo.pixelBuffer == nil)
    }

    @Test("photos of successive captures finish in capture order although a later one is encoded first")
    func order() async throws {
        let gated = ScriptedEncoding(isGated: true)
        let fixture = try await CaptureFixture(encoding: gated)
        fixture.sensor.deliver(midpoint: fixture.at(0))
        fixture.sensor.deliver(midpoint: fixture.at(100))
        let first = try fixture.capture(at: 90)
        let second = try fixture.capture(at: 10)
        gated.open()
        gated.open()
        await second.finished()
        #expect(first.callbacks == RecordingDelegate.completeCapture)
        #expect(first.photos.first?.frameSequence == 2 && second.photos.first?.frameSequence == 1)
    }

    @Test("settings are good for one capture; reuse is refused before any callback")
    func reuse() async throws {
        let fixture = try await CaptureFixture()
        let settings = CapturePhotoSettings()
        let delegate = RecordingDelegate()
        try fixture.output.takePhoto(with: settings, delegate: RecordingDelegate())
        #expect(throws: CaptureError.self) { try fixture.output.takePhoto(with: settings, delegate: delegate) }
        #expect(delegate.callbacks.isEmpty)
        try fixture.output.takePhoto(with: CapturePhotoSettings(from: settings), delegate: delegate)
    }

    @Test("settings that cannot be met are refused before any callback")
    func validation() async throws {
        let fixture = try await CaptureFixture()
        let wrong: [(CapturePhotoSettings) -> Void] = [
            { $0.codec = nil }, { $0.codec = .hevc }, { $0.pixelFormat = .yuv420 },
            {
                $0.codec = nil
                $0.pixelFormat = .nv12
            },
            { $0.quality = 0 }, { $0.quality = 101 }, { $0.flashMode = .on },
            { $0.photoQualityPrioritization = .quality }, { $0.metadata = ["Color": "red"] },
        ]
        for change in wrong {
            let settings = CapturePhotoSettings()
            change(settings)
            let delegate = RecordingDelegate()
            #expect(throws: CaptureError.self) { try fixture.output.takePhoto(with: settings, delegate: delegate) }
            #expect(delegate.callbacks.isEmpty)
        }
    }

    @Test("a quality above the output's maximum is accepted once the maximum is raised")
    func maximumQuality() async throws {
        let fixture = try await CaptureFixture()
        #expect(fixture.output.maxPhotoQualityPrioritization == .balanced)
        fixture.output.maxPhotoQualityPrioritization = .quality
        let settings = CapturePhotoSettings()
        settings.photoQualityPrioritization = .quality
        _ = try fixture.capture(settings)
    }

    @Test("a capture refused to a caller that cannot catch ends in its final callback alone, with the error")
    func refusedWithoutThrowing() async throws {
        let fixture = try await CaptureFixture()
        let settings = CapturePhotoSettings()
        let first = RecordingDelegate()
        fixture.output.capturePhoto(with: settings, delegate: first)
        let second = RecordingDelegate()
        fixture.output.capturePhoto(with: settings, delegate: second)
        await second.finished()
        #expect(second.callbacks == ["didFinishCapture"])
        #expect(second.errors.map(\.code) == ["capture-usage"])
        fixture.sensor.deliver(midpoint: fixture.at(10))
        await first.finished()
        #expect(first.callbacks == RecordingDelegate.completeCapture)
        #expect(first.errors.isEmpty)
    }

    @Test("what a caller changes in settings after the capture was accepted changes nothing")
    func copiedSettings() async throws {
        let fixture = try await CaptureFixture()
        let settings = CapturePhotoSettings()
        settings.metadata = ["Artist": "before"]
        let delegate = try fixture.capture(settings)
        settings.metadata = ["Artist": "after"]
        fixture.sensor.deliver(midpoint: fixture.at(10))
        await delegate.finished()
        #expect(delegate.photos.first?.metadata?.artist == "before")
    }

    @Test("a photo of the first exposure after a moment does not show what was exposed before it")
    func firstAfter() async throws {
        let fixture = try await CaptureFixture()
        let settings = CapturePhotoSettings()
        settings.moment = .after(fixture.at(100))
        let delegate = try fixture.capture(settings)
        // Exposed for 10 ms around these moments.
        for moment in [0, 104, 106, 200] { fixture.sensor.deliver(midpoint: fixture.at(Int64(moment))) }
        await delegate.finished()
        #expect(delegate.photos.first?.timestamp == fixture.at(106))
    }

    @Test("an uncompressed photo is a copy of the samples and has no file")
    func uncompressed() async throws {
        let fixture = try await CaptureFixture()
        let delegate = RecordingDelegate()
        try fixture.output.takePhoto(with: CapturePhotoSettings(codec: nil, pixelFormat: .yuv420), delegate: delegate)
        fixture.sensor.deliver(midpoint: fixture.at(500))
        await delegate.finished()
        let photo = try #require(delegate.photos.first)
        let byteCount = 64 * 48 * 3 / 2
        #expect(photo.pixelBuffer?.bytes.count == byteCount)
        #expect(photo.fileDataRepresentation() == nil)
    }

    @Test(
        "every abort ends in exactly one final callback",
        arguments: [
            CaptureError.sessionNotRunning, .sessionConfigurationChanged, .deviceDisconnected, .deviceStalled,
        ])
    func aborts(expected: CaptureError) async throws {
        let fixture = try await CaptureFixture()
        let delegate = try fixture.capture(at: 100)
        switch expected {
        case .sessionNotRunning: try await fixture.session.stopRunning()
        case .deviceDisconnected: fixture.sensor.breakDown(.disconnected)
        case .deviceStalled: fixture.sensor.breakDown(.stalled)
        default:
            fixture.session.beginConfiguration()
            fixture.session.removeOutput(fixture.output)
            fixture.session.commitConfiguration()
        }
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(delegate.errors == [expected, expected])
        #expect(delegate.photos.first?.fileDataRepresentation() == nil)
    }

    @Test("a picture that cannot be compressed ends its capture with that error and frees its frame")
    func encoderFailure() async throws {
        let fixture = try await CaptureFixture(encoding: ScriptedEncoding(error: .outOfMemory))
        let delegate = try fixture.capture(at: 0)
        fixture.sensor.deliver(midpoint: fixture.at(10))
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(delegate.errors == [.encodingFailed(.outOfMemory), .encodingFailed(.outOfMemory)])
    }

    @Test("a stop in flight finishes photos that have their frame")
    func stopWithFrame() async throws {
        let gated = ScriptedEncoding(isGated: true)
        let fixture = try await CaptureFixture(encoding: gated)
        let delegate = try fixture.capture(at: 0)
        fixture.sensor.deliver(midpoint: fixture.at(10))
        try await fixture.session.stopRunning()
        gated.open()
        await delegate.finished()
        #expect(delegate.errors.isEmpty)
        #expect(delegate.photos.first?.fileDataRepresentation() != nil)
    }

    @Test("a press is refused at once when frames or encoded bytes have no room, and admitted again later")
    func admission() async throws {
        let gated = ScriptedEncoding(isGated: true)
        let fixture = try await CaptureFixture(encoding: gated, buffers: 4)
        let first = try fixture.capture(at: 0)
        fixture.sensor.deliver(midpoint: fixture.at(0))
        let second = try fixture.capture(at: 100)
        fixture.sensor.deliver(midpoint: fixture.at(100))
        #expect(throws: CaptureError.outOfMemory) { try fixture.capture(at: 200) }
        #expect(fixture.output.captureReadiness == .notReadyWaitingForProcessing)
        gated.open()
        gated.open()
        await first.finished()
        await second.finished()
        _ = try fixture.capture(at: 200)
    }

    @Test("encoded bytes count until the last data is let go of")
    func budget() async throws {
        let fixture = try await CaptureFixture(encodedLimit: 1)
        do {
            let delegate = try fixture.capture(at: 0)
            fixture.sensor.deliver(midpoint: fixture.at(0))
            await delegate.finished()
            let data = delegate.photos.first?.fileDataRepresentation()
            #expect(throws: CaptureError.outOfMemory) { try fixture.capture(at: 200) }
            withExtendedLifetime(data) {}
            delegate.forgetPhotos()
        }
        // Waits for the callback thread, which may still hold the photo.
        _ = try await fixture.output.setPreparedPhotoSettingsArray([])
        #expect(fixture.output.captureReadiness == .ready)
        _ = try fixture.capture(at: 200)
    }

    @Test("a delegate that its owner releases early still receives every callback, and is released at the end")
    func releasedDelegate() async throws {
        let fixture = try await CaptureFixture()
        let probe = RecordingDelegate()
        weak var weakDelegate: PassingDelegate?
        do {
            let delegate = PassingDelegate(probe)
            weakDelegate = delegate
            try fixture.output.takePhoto(with: CapturePhotoSettings(), delegate: delegate)
        }
        #expect(weakDelegate != nil)
        fixture.sensor.deliver(midpoint: fixture.at(500))
        await probe.finished()
        // Waits for the threads, which let go a moment after the last callback has returned.
        await fixture.output.close()
        #expect(weakDelegate == nil)
    }

    @Test("a reserved frame is the one photographed, however late the decision")
    func reservation() async throws {
        let fixture = try await CaptureFixture()
        fixture.sensor.deliver(midpoint: fixture.at(0))
        let settings = CapturePhotoSettings()
        settings.reservation = fixture.output.reserveFrame(at: fixture.at(20))
        #expect(settings.reservation != nil)
        for frame in 1...20 { fixture.sensor.deliver(midpoint: fixture.at(Int64(frame) * 100)) }
        let delegate = RecordingDelegate()
        try fixture.output.takePhoto(with: settings, delegate: delegate)
        await delegate.finished()
        #expect(delegate.photos.first?.timestamp == fixture.at(0))
    }

    @Test("a reservation given up leaves nothing behind")
    func abandonedReservation() async throws {
        let fixture = try await CaptureFixture()
        do {
            let held = fixture.output.reserveFrame(at: fixture.at(0))
            let waiting = fixture.output.reserveFrame(at: fixture.at(5000))
            fixture.sensor.deliver(midpoint: fixture.at(0))
            withExtendedLifetime((held, waiting)) {}
        }
        try await fixture.session.stopRunning()
        #expect(fixture.sensor.outstandingFrames == 0)
    }

    @Test("a burst takes every frame that follows")
    func burst() async throws {
        let fixture = try await CaptureFixture()
        let chosen = Mutex<[UInt64]>([])
        for _ in 0..<3 {
            let settings = CapturePhotoSettings()
            settings.followingSequence = chosen.withLock { $0.last } ?? 0
            settings.frameChosen = { sequence in chosen.withLock { $0.append(sequence) } }
            let delegate = RecordingDelegate()
            try fixture.output.takePhoto(with: settings, delegate: delegate)
            fixture.sensor.deliver(midpoint: fixture.at(Int64.random(in: 0...1000)))
            await delegate.finished()
        }
        #expect(chosen.withLock { $0 } == [1, 2, 3])
    }
}

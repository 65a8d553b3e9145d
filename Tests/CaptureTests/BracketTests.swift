import Imaging
import PinholeTesting
import Platform
import Testing

@testable import Capture

private typealias Automatic = CaptureAutoExposureBracketedStillImageSettings
private typealias Manual = CaptureManualExposureBracketedStillImageSettings

@Suite("Brackets and raw photos")
struct BracketTests {
    private static func bracket(
        _ biases: [Float] = [-2, 0, 2], raw: CapturePhotoOutput.RawPixelFormat? = nil,
        format: [String: Any]? = nil
    ) -> CapturePhotoBracketSettings {
        CapturePhotoBracketSettings(
            rawPixelFormatType: raw, processedFormat: format,
            bracketedSettings: biases.map(Automatic.autoExposureSettings(exposureTargetBias:)))
    }

    private static func complete(_ photos: Int) -> [String] {
        ["willBegin", "willCapture", "didCapture"] + Array(repeating: "didFinishProcessing", count: photos)
            + ["didFinishCapture"]
    }

    /// Delivers the frames of a bracket, each once the camera was asked for its exposure.
    private func expose(_ frames: Int, of fixture: CaptureFixture, after asked: Int = 0) async {
        var now: Int64 = Int64(asked) * 1000
        for frame in 1...frames {
            await fixture.sensor.controls(asked + frame)
            fixture.deliver(fixture.sensor.controlDelay + 1, from: &now)
        }
    }

    @Test("a bracket of three with raw and JPEG counts to six")
    func countsToSix() async throws {
        let fixture = try await CaptureFixture.raw()
        let raw = try #require(fixture.output.availableRawPhotoPixelFormatTypes.first)
        #expect(CapturePhotoOutput.isBayerRAWPixelFormat(raw))
        let delegate = try fixture.capture(
            Self.bracket(raw: raw, format: [CapturePhotoSettings.codecKey: CapturePhotoSettings.CodecType.jpeg]))
        await expose(3, of: fixture)
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(6))
        #expect(delegate.errors.isEmpty)
        let photos = delegate.photos
        #expect(photos.map(\.photoCount) == [1, 2, 3, 4, 5, 6])
        #expect(photos.map(\.sequenceCount) == [1, 1, 2, 2, 3, 3])
        #expect(photos.map(\.isRawPhoto) == [true, false, true, false, true, false])
        #expect(photos.map { $0.metadata?.exposureBias } == [-2, -2, 0, 0, 2, 2])
        #expect(photos.allSatisfy { $0.resolvedSettings.expectedPhotoCount == 6 })
        #expect(photos.allSatisfy { $0.fileDataRepresentation() != nil })
        let resolved = try #require(photos.first?.resolvedSettings)
        #expect(resolved.rawPhotoDimensions == resolved.photoDimensions && resolved.rawPhotoDimensions.width == 64)
    }

    @Test("each frame of a bracket shows the exposure that was asked for, and the camera has its own again afterwards")
    func exposures() async throws {
        let fixture = try await CaptureFixture()
        try fixture.device.lockForConfiguration()
        try fixture.device.setExposureTargetBias(1)
        let settings = CapturePhotoBracketSettings(
            rawPixelFormatType: nil, processedFormat: nil,
            bracketedSettings: [4, 8].map {
                Manual.manualExposureSettings(exposureDuration: .milliseconds($0), iso: 400)
            })
        let delegate = try fixture.capture(settings)
        #expect(fixture.output.captureReadiness != .ready)
        await expose(2, of: fixture, after: 1)
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        #expect(delegate.photos.map { $0.metadata?.exposureTime } == [0.004, 0.008])
        #expect(delegate.photos.allSatisfy { $0.metadata?.isManualExposure == true && $0.metadata?.isoSpeed == 400 })
        await fixture.sensor.controls(4)
        #expect(fixture.sensor.controls.last == SensorControls(exposureBias: 1))
        #expect(fixture.output.captureReadiness == .ready)
        // What is set during a bracket holds after it.
        let second = try fixture.capture(Self.bracket([-1]))
        await fixture.sensor.controls(5)
        try fixture.device.setExposureTargetBias(2)
        #expect(fixture.sensor.controls.last == SensorControls(exposureBias: -1))
        var now: Int64 = 9000
        fixture.deliver(4, from: &now)
        await second.finished()
        await fixture.sensor.controls(7)
        #expect(fixture.sensor.controls.last == SensorControls(exposureBias: 2))
    }

    @Test("a bracket takes no frame whose exposure began before its moment")
    func moment() async throws {
        let fixture = try await CaptureFixture()
        let settings = Self.bracket([0, 0])
        settings.moment = .after(fixture.at(300))
        let delegate = try fixture.capture(settings)
        var now: Int64 = 0
        fixture.deliver(6, from: &now)
        await delegate.finished()
        #expect(delegate.photos.compactMap(\.timestamp) == [fixture.at(400), fixture.at(500)])
    }

    @Test("brackets are exposed one after another")
    func queue() async throws {
        let fixture = try await CaptureFixture()
        let first = try fixture.capture(Self.bracket([-1]))
        let second = try fixture.capture(Self.bracket([1]))
        await expose(2, of: fixture)
        await first.finished()
        await second.finished()
        #expect((first.photos + second.photos).map { $0.metadata?.exposureBias } == [-1, 1])
        await fixture.sensor.controls(3)
        #expect(fixture.sensor.controls.map(\.exposureBias) == [-1, 1, 0])
    }

    @Test("an exposure that the camera never takes ends the bracket with an error in its final callbacks")
    func unreached() async throws {
        let fixture = try await CaptureFixture()
        fixture.sensor.ignoreControls()
        let delegate = try fixture.capture(Self.bracket([0, 2]))
        await fixture.sensor.controls(1)
        var now: Int64 = 0
        // The first exposure shows at once; the limit is 3 × (6 buffers + 4 frames) for the other.
        fixture.deliver(1 + 30, from: &now)
        #expect(delegate.callbacks.last != "didFinishCapture")
        fixture.deliver(1, from: &now)
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        let failure = CaptureError.deviceFailed("it did not apply the requested exposure")
        #expect(delegate.errors == [failure, failure])
        #expect(delegate.photos.map { $0.fileDataRepresentation() != nil } == [true, false])
        await fixture.sensor.controls(3)
        #expect(fixture.sensor.controls.last == SensorControls())
        try await fixture.session.stopRunning()
        await fixture.output.close()
        #expect(fixture.sensor.outstandingFrames == 0)
    }

    @Test("a stop in the middle of a bracket keeps the photos that have their frames, and ends the others once")
    func stopped() async throws {
        let fixture = try await CaptureFixture()
        let delegate = try fixture.capture(Self.bracket())
        await expose(1, of: fixture)
        try await fixture.session.stopRunning()
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(3))
        #expect(delegate.photos.map { $0.fileDataRepresentation() != nil } == [true, false, false])
        #expect(delegate.photos.map(\.sequenceCount) == [1, 2, 3])
        #expect(delegate.errors == [.sessionNotRunning, .sessionNotRunning, .sessionNotRunning])
        await fixture.sensor.controls(3)
        #expect(fixture.sensor.controls.last == SensorControls())
    }

    @Test("a bracket waits for frames while earlier photos hold the memory")
    func memory() async throws {
        let gated = ScriptedEncoding(isGated: true)
        let fixture = try await CaptureFixture(encoding: gated, buffers: 4, encoderThreads: 1)
        let delegate = try fixture.capture(Self.bracket([0, 0, 0]))
        var now: Int64 = 0
        fixture.deliver(5, from: &now)
        #expect(fixture.sensor.outstandingFrames == 2)
        for _ in 0..<3 { gated.open() }
        // The encoder thread runs this after it has ended the claims of both frames.
        await withCheckedContinuation { continuation in fixture.output.encoders.submit { continuation.resume() } }
        fixture.deliver(1, from: &now)
        await delegate.finished()
        #expect(delegate.errors.isEmpty)
        #expect(delegate.photos.compactMap(\.frameSequence) == [1, 2, 6])
    }

    @Test("a bracket that is empty, mixed, too long or out of range is refused before any callback")
    func refusals() async throws {
        let fixture = try await CaptureFixture()
        let bracketed: [[CaptureBracketedStillImageSettings]] = [
            [],
            [
                Automatic.autoExposureSettings(exposureTargetBias: 0),
                Manual.manualExposureSettings(exposureDuration: .milliseconds(5), iso: 100),
            ],
            (0...fixture.output.maxBracketedCapturePhotoCount).map { _ in
                Automatic.autoExposureSettings(exposureTargetBias: 0)
            },
            [Automatic.autoExposureSettings(exposureTargetBias: 9)],
            [Automatic.autoExposureSettings(exposureTargetBias: .nan)],
            [Manual.manualExposureSettings(exposureDuration: .seconds(9), iso: 100)],
            [Manual.manualExposureSettings(exposureDuration: .milliseconds(5), iso: .infinity)],
        ]
        for exposures in bracketed {
            let settings = CapturePhotoBracketSettings(
                rawPixelFormatType: nil, processedFormat: nil, bracketedSettings: exposures)
            let delegate = RecordingDelegate()
            #expect {
                try fixture.output.takePhoto(with: settings, delegate: delegate)
            } throws: {
                ($0 as? CaptureError)?.code == "capture-settings"
            }
            #expect(delegate.callbacks.isEmpty)
        }
        #expect(fixture.sensor.controls.isEmpty)
    }

    @Test("a bracket for which there is not memory enough at the best of times is refused as too long")
    func tooLongForMemory() async throws {
        let fixture = try await CaptureFixture(encodedLimit: 64 * 48)
        #expect(
            throws: CaptureError.unsupportedSettings(
                "there is not enough memory for this bracket; request fewer frames")
        ) { try fixture.capture(Self.bracket()) }
        _ = try fixture.capture(Self.bracket([0, 0]))
    }

    @Test("settings made from a bracket's are a bracket under an id of their own")
    func copies() async throws {
        let fixture = try await CaptureFixture()
        let settings = Self.bracket([0, 0])
        settings.quality = 50
        let copy = CapturePhotoBracketSettings(from: settings)
        #expect(copy.uniqueID != settings.uniqueID && copy.bracketedSettings.count == 2 && copy.quality == 50)
        let delegate = try fixture.capture(CapturePhotoSettings(from: settings))
        var now: Int64 = 0
        fixture.deliver(2, from: &now)
        await delegate.finished()
        #expect(delegate.photos.count == 2)
    }

    @Test("a raw photo and its JPEG show the same frame")
    func rawAndProcessed() async throws {
        let fixture = try await CaptureFixture.raw()
        let raw = try #require(fixture.output.availableRawPhotoPixelFormatTypes.first)
        let delegate = try fixture.capture(
            CapturePhotoSettings(
                rawPixelFormatType: raw,
                processedFormat: [CapturePhotoSettings.codecKey: CapturePhotoSettings.CodecType.jpeg]))
        fixture.sensor.deliver(midpoint: fixture.at(100))
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        #expect(delegate.photos.map(\.frameSequence) == [1, 1])
        #expect(delegate.photos.map(\.sequenceCount) == [0, 0])
        let file = try #require(delegate.photos.first?.fileDataRepresentation())
        #expect(String(decoding: file, as: UTF8.self) == "raw 64x48 rggb make=Pinhole")
    }

    @Test("a raw photo alone has no processed size, and its failure is reported in the final callbacks")
    func rawAlone() async throws {
        let fixture = try await CaptureFixture(rawEncoding: FakeRawEncoding(error: .outOfMemory), givesRaw: true)
        let raw = try #require(fixture.output.availableRawPhotoPixelFormatTypes.first)
        let delegate = try fixture.capture(CapturePhotoSettings(rawPixelFormatType: raw))
        fixture.sensor.deliver(midpoint: fixture.at(100))
        await delegate.finished()
        #expect(delegate.callbacks == RecordingDelegate.completeCapture)
        #expect(delegate.errors == [.encodingFailed(.outOfMemory), .encodingFailed(.outOfMemory)])
        let photo = try #require(delegate.photos.first)
        #expect(photo.isRawPhoto && photo.fileDataRepresentation() == nil)
        #expect(photo.resolvedSettings.photoDimensions.width == 0)
    }

    @Test(
        "raw is offered only with raw frames and an encoder for them, and refused otherwise", arguments: [true, false])
    func rawUnavailable(givesRaw: Bool) async throws {
        let fixture = try await CaptureFixture(rawEncoding: givesRaw ? nil : FakeRawEncoding(), givesRaw: givesRaw)
        #expect(fixture.output.availableRawPhotoPixelFormatTypes.isEmpty)
        let format = CapturePhotoOutput.RawPixelFormat(pattern: .rggb, bitsPerSample: 12, packing: .words)
        let delegate = RecordingDelegate()
        #expect(
            throws: CaptureError.unsupportedSettings(
                "the raw format is not among availableRawPhotoPixelFormatTypes")
        ) {
            try fixture.output.takePhoto(with: CapturePhotoSettings(rawPixelFormatType: format), delegate: delegate)
        }
        #expect(delegate.callbacks.isEmpty)
    }
}

import Capture
import Imaging
import PinholeTesting
import Platform
import Testing

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
    private func expose(_ frames: Int, of rig: Rig, after asked: Int = 0) async {
        var now: Int64 = Int64(asked) * 1000
        for frame in 1...frames {
            await rig.asked(asked + frame)
            rig.deliver(rig.sensor.controlDelay + 1, from: &now)
        }
    }

    @Test("a bracket of three with raw and JPEG counts to six")
    func countsToSix() async throws {
        let rig = try await Rig.raw()
        let raw = try #require(rig.output.availableRawPhotoPixelFormatTypes.first)
        #expect(CapturePhotoOutput.isBayerRAWPixelFormat(raw))
        let delegate = try rig.capture(
            Self.bracket(raw: raw, format: [CapturePhotoSettings.codecKey: CapturePhotoSettings.CodecType.jpeg]))
        await expose(3, of: rig)
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
        let rig = try await Rig()
        try rig.device.lockForConfiguration()
        try rig.device.setExposureTargetBias(1)
        let settings = CapturePhotoBracketSettings(
            rawPixelFormatType: nil, processedFormat: nil,
            bracketedSettings: [4, 8].map {
                Manual.manualExposureSettings(exposureDuration: .milliseconds($0), iso: 400)
            })
        let delegate = try rig.capture(settings)
        #expect(rig.output.captureReadiness != .ready)
        await expose(2, of: rig, after: 1)
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        #expect(delegate.photos.map { $0.metadata?.exposureTime } == [0.004, 0.008])
        #expect(delegate.photos.allSatisfy { $0.metadata?.isManualExposure == true && $0.metadata?.isoSpeed == 400 })
        await rig.asked(4)
        #expect(rig.sensor.controls.last == SensorControls(exposureBias: 1))
        #expect(rig.output.captureReadiness == .ready)
        // What is set during a bracket holds after it.
        let second = try rig.capture(Self.bracket([-1]))
        await rig.asked(5)
        try rig.device.setExposureTargetBias(2)
        #expect(rig.sensor.controls.last == SensorControls(exposureBias: -1))
        var now: Int64 = 9000
        rig.deliver(4, from: &now)
        await second.finished()
        await rig.asked(7)
        #expect(rig.sensor.controls.last == SensorControls(exposureBias: 2))
    }

    @Test("a bracket takes no frame whose exposure began before its moment")
    func moment() async throws {
        let rig = try await Rig()
        let settings = Self.bracket([0, 0])
        settings.moment = .after(rig.at(300))
        let delegate = try rig.capture(settings)
        var now: Int64 = 0
        rig.deliver(6, from: &now)
        await delegate.finished()
        #expect(delegate.photos.compactMap(\.timestamp) == [rig.at(400), rig.at(500)])
    }

    @Test("brackets are exposed one after another")
    func queue() async throws {
        let rig = try await Rig()
        let first = try rig.capture(Self.bracket([-1]))
        let second = try rig.capture(Self.bracket([1]))
        await expose(2, of: rig)
        await first.finished()
        await second.finished()
        #expect((first.photos + second.photos).map { $0.metadata?.exposureBias } == [-1, 1])
        await rig.asked(3)
        #expect(rig.sensor.controls.map(\.exposureBias) == [-1, 1, 0])
    }

    @Test("an exposure that the camera never takes ends the bracket with an error in its final callbacks")
    func unreached() async throws {
        let rig = try await Rig()
        rig.sensor.ignoreControls()
        let delegate = try rig.capture(Self.bracket([0, 2]))
        await rig.asked(1)
        var now: Int64 = 0
        // The first exposure shows at once; the limit is 3 × (6 buffers + 4 frames) for the other.
        rig.deliver(1 + 30, from: &now)
        #expect(delegate.callbacks.last != "didFinishCapture")
        rig.deliver(1, from: &now)
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        let failure = CaptureError.deviceFailed("it did not take the exposure that was asked for")
        #expect(delegate.errors == [failure, failure])
        #expect(delegate.photos.map { $0.fileDataRepresentation() != nil } == [true, false])
        await rig.asked(3)
        #expect(rig.sensor.controls.last == SensorControls())
        try await rig.session.stopRunning()
        await rig.output.close()
        #expect(rig.sensor.outstandingFrames == 0)
    }

    @Test("a stop in the middle of a bracket keeps the photos that have their frames, and ends the others once")
    func stopped() async throws {
        let rig = try await Rig()
        let delegate = try rig.capture(Self.bracket())
        await expose(1, of: rig)
        try await rig.session.stopRunning()
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(3))
        #expect(delegate.photos.map { $0.fileDataRepresentation() != nil } == [true, false, false])
        #expect(delegate.photos.map(\.sequenceCount) == [1, 2, 3])
        #expect(delegate.errors == [.sessionNotRunning, .sessionNotRunning, .sessionNotRunning])
        await rig.asked(3)
        #expect(rig.sensor.controls.last == SensorControls())
    }

    @Test("a bracket waits for frames while earlier photos hold the memory")
    func memory() async throws {
        let gated = ScriptedEncoding(isGated: true)
        let rig = try await Rig(encoding: gated, buffers: 4)
        let delegate = try rig.capture(Self.bracket([0, 0, 0]))
        var now: Int64 = 0
        rig.deliver(5, from: &now)
        #expect(rig.sensor.outstandingFrames == 2)
        for _ in 0..<3 { gated.open() }
        while rig.output.reserveFrame(at: rig.at(9000)) == nil { await Task.yield() }
        rig.deliver(1, from: &now)
        await delegate.finished()
        #expect(delegate.errors.isEmpty)
        #expect(delegate.photos.compactMap(\.frameSequence) == [1, 2, 6])
    }

    @Test("a bracket that is empty, mixed, too long or out of range is refused before any callback")
    func refusals() async throws {
        let rig = try await Rig()
        let bracketed: [[CaptureBracketedStillImageSettings]] = [
            [],
            [
                Automatic.autoExposureSettings(exposureTargetBias: 0),
                Manual.manualExposureSettings(exposureDuration: .milliseconds(5), iso: 100),
            ],
            (0...rig.output.maxBracketedCapturePhotoCount).map { _ in
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
                try rig.output.takePhoto(with: settings, delegate: delegate)
            } throws: {
                ($0 as? CaptureError)?.code == "capture-settings"
            }
            #expect(delegate.callbacks.isEmpty)
        }
        #expect(rig.sensor.controls.isEmpty)
    }

    @Test("a bracket for which there is not memory enough at the best of times is refused as too long")
    func tooLongForMemory() async throws {
        let rig = try await Rig(encodedLimit: 64 * 48)
        #expect(
            throws: CaptureError.unsupportedSettings(
                "there is not enough memory for so long a bracket; ask for fewer frames")
        ) { try rig.capture(Self.bracket()) }
        _ = try rig.capture(Self.bracket([0, 0]))
    }

    @Test("settings made from a bracket's are a bracket under an id of their own")
    func copies() async throws {
        let rig = try await Rig()
        let settings = Self.bracket([0, 0])
        settings.quality = 50
        let copy = CapturePhotoBracketSettings(from: settings)
        #expect(copy.uniqueID != settings.uniqueID && copy.bracketedSettings.count == 2 && copy.quality == 50)
        let delegate = try rig.capture(CapturePhotoSettings(from: settings))
        var now: Int64 = 0
        rig.deliver(2, from: &now)
        await delegate.finished()
        #expect(delegate.photos.count == 2)
    }

    @Test("a raw photo and its JPEG show the same frame")
    func rawAndProcessed() async throws {
        let rig = try await Rig.raw()
        let raw = try #require(rig.output.availableRawPhotoPixelFormatTypes.first)
        let delegate = try rig.capture(
            CapturePhotoSettings(
                rawPixelFormatType: raw,
                processedFormat: [CapturePhotoSettings.codecKey: CapturePhotoSettings.CodecType.jpeg]))
        rig.sensor.deliver(midpoint: rig.at(100))
        await delegate.finished()
        #expect(delegate.callbacks == Self.complete(2))
        #expect(delegate.photos.map(\.frameSequence) == [1, 1])
        #expect(delegate.photos.map(\.sequenceCount) == [0, 0])
        let file = try #require(delegate.photos.first?.fileDataRepresentation())
        #expect(String(decoding: file, as: UTF8.self) == "raw 64x48 rggb make=Pinhole")
    }

    @Test("a raw photo alone has no processed size, and its failure is told in the final callbacks")
    func rawAlone() async throws {
        let rig = try await Rig(rawEncoding: FakeRawEncoding(error: .outOfMemory), givesRaw: true)
        let raw = try #require(rig.output.availableRawPhotoPixelFormatTypes.first)
        let delegate = try rig.capture(CapturePhotoSettings(rawPixelFormatType: raw))
        rig.sensor.deliver(midpoint: rig.at(100))
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
        let rig = try await Rig(rawEncoding: givesRaw ? nil : FakeRawEncoding(), givesRaw: givesRaw)
        #expect(rig.output.availableRawPhotoPixelFormatTypes.isEmpty)
        let format = CapturePhotoOutput.RawPixelFormat(pattern: .rggb, bitsPerSample: 12, packing: .words)
        let delegate = RecordingDelegate()
        #expect(
            throws: CaptureError.unsupportedSettings(
                "the raw format is not among availableRawPhotoPixelFormatTypes")
        ) {
            try rig.output.takePhoto(with: CapturePhotoSettings(rawPixelFormatType: format), delegate: delegate)
        }
        #expect(delegate.callbacks.isEmpty)
    }
}

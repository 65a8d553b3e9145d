import Capture
import PinholeTesting
import Testing

@Suite("Preparing for photos")
struct PreparationTests {
    @Test("preparing completes once: with true when the session starts, and with false when it was superseded")
    func superseded() async throws {
        let fixture = try await CaptureFixture(isStarted: false)
        let answers = Recorder<String>()
        for name in ["first", "second"] {
            fixture.output.setPreparedPhotoSettingsArray([CapturePhotoSettings()]) { isPrepared, error in
                answers.add("\(name) \(isPrepared) \(error == nil)")
            }
        }
        #expect(await answers.elements(1) == ["first false true"])
        try await fixture.session.startRunning()
        #expect(try await fixture.output.setPreparedPhotoSettingsArray([]))
        try await fixture.session.stopRunning()
        try await fixture.session.startRunning()
        await fixture.output.close()
        #expect(answers.elements == ["first false true", "second true true"])
    }

    @Test("preparing says which settings could not be met, and uses none up")
    func unsupported() async throws {
        let fixture = try await CaptureFixture()
        let good = CapturePhotoSettings()
        let bad = CapturePhotoSettings(format: [AVVideoCodecKey: AVVideoCodecType.hevc])
        await #expect(throws: CaptureError.unsupportedSettings("the codec is not among availablePhotoCodecTypes")) {
            _ = try await fixture.output.setPreparedPhotoSettingsArray([good, bad])
        }
        #expect(try await fixture.output.setPreparedPhotoSettingsArray([good]))
        _ = try fixture.capture(good)
    }

    @Test("an output that is closed before its session ran answers with false and the reason")
    func closed() async throws {
        let fixture = try await CaptureFixture(isStarted: false)
        let answers = Recorder<CaptureError?>()
        fixture.output.setPreparedPhotoSettingsArray([]) { isPrepared, error in
            if !isPrepared { answers.add(error as? CaptureError) }
        }
        await fixture.output.close()
        #expect(answers.elements == [.sessionNotRunning])
    }
}

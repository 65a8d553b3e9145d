import Capture
import PinholeTesting
import Testing

@Suite("Preparing for photos")
struct PreparationTests {
    @Test("preparing completes once: with true when the session starts, and with false when it was superseded")
    func superseded() async throws {
        let rig = try await Rig(isStarted: false)
        let answers = Recorder<String>()
        for name in ["first", "second"] {
            rig.output.setPreparedPhotoSettingsArray([CapturePhotoSettings()]) { isPrepared, error in
                answers.add("\(name) \(isPrepared) \(error == nil)")
            }
        }
        while answers.elements.isEmpty { await Task.yield() }
        #expect(answers.elements == ["first false true"])
        try await rig.session.startRunning()
        #expect(try await rig.output.setPreparedPhotoSettingsArray([]))
        try await rig.session.stopRunning()
        try await rig.session.startRunning()
        await rig.output.close()
        #expect(answers.elements == ["first false true", "second true true"])
    }

    @Test("preparing says which settings could not be met, and uses none up")
    func unsupported() async throws {
        let rig = try await Rig()
        let good = CapturePhotoSettings()
        let bad = CapturePhotoSettings(format: [AVVideoCodecKey: AVVideoCodecType.hevc])
        await #expect(throws: CaptureError.unsupportedSettings("the codec is not among availablePhotoCodecTypes")) {
            _ = try await rig.output.setPreparedPhotoSettingsArray([good, bad])
        }
        #expect(try await rig.output.setPreparedPhotoSettingsArray([good]))
        _ = try rig.capture(good)
    }

    @Test("an output that is closed before its session ran answers with false and the reason")
    func closed() async throws {
        let rig = try await Rig(isStarted: false)
        let answers = Recorder<CaptureError?>()
        rig.output.setPreparedPhotoSettingsArray([]) { isPrepared, error in
            if !isPrepared { answers.add(error as? CaptureError) }
        }
        await rig.output.close()
        #expect(answers.elements == [.sessionNotRunning])
    }
}

import Capture
import PinholeTesting
import Testing

@Suite("Format dictionaries")
struct PhotoFormatTests {
    @Test("a dictionary chooses codec and quality")
    func understood() {
        let formats: [[String: Any]?] = [
            nil, [AVVideoCodecKey: AVVideoCodecType.jpeg], [AVVideoCodecKey: "jpeg"],
            [AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoCompressionPropertiesKey: [AVVideoQualityKey: 0.8]],
        ]
        #expect(formats.map { CapturePhotoSettings(format: $0).codec } == [.jpeg, .jpeg, .jpeg, .jpeg])
        #expect(formats.map { CapturePhotoSettings(format: $0).quality } == [nil, nil, nil, 80])
    }

    @Test("what is not understood in a dictionary is refused, not passed over")
    func refused() async throws {
        let fixture = try await CaptureFixture()
        let formats: [[String: Any]] = [
            [:], [AVVideoCodecKey: 7], [AVVideoCodecKey: AVVideoCodecType.hevc],
            [AVVideoCodecKey: AVVideoCodecType.jpeg, "Width": 10],
            [AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoCompressionPropertiesKey: [AVVideoQualityKey: 80]],
            [AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoCompressionPropertiesKey: [AVVideoQualityKey: Float.nan]],
            [AVVideoCodecKey: AVVideoCodecType.jpeg, AVVideoCompressionPropertiesKey: ["Speed": 1]],
        ]
        for format in formats {
            #expect {
                _ = try fixture.capture(CapturePhotoSettings(format: format))
            } throws: {
                ($0 as? CaptureError)?.code == "capture-settings"
            }
        }
    }
}

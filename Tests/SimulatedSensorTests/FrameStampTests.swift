import Imaging
import Platform
import SimulatedSensor
import Testing

@Suite("The stamp in a frame's picture")
struct FrameStampTests {
    static let sizes = [(640, 480), (641, 481), (800, 600), (1279, 97), (1920, 1080), (2028, 1520)]

    @Test("survives JPEG", arguments: sizes, [50, 75, 93])
    func survives(_ size: (Int, Int), _ quality: Int) throws {
        for format in [PictureLayout.Format.yuv420, .nv12] {
            let layout = PictureLayout(packed: format, width: size.0, height: size.1, alignment: 64)
            var bytes = [UInt8](repeating: 0, count: layout.byteCount)
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index / 977) }
            for (sequence, time) in [(0, 0), (123_456_789, 987_654_321_012_345), (UInt64.max, Int64.min)] {
                let timestamp = MonotonicTime(nanoseconds: time)
                bytes.withUnsafeMutableBytes {
                    FrameStamp.paint(sequence: sequence, timestamp: timestamp, layout: layout, into: $0)
                }
                let photo = try bytes.withUnsafeBytes { bytes in
                    try PhotoEncoder().encode(
                        Picture(layout: layout, bytes: bytes),
                        metadata: PhotoMetadata(
                            make: "", model: "", software: "",
                            captureTime: WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true)),
                        quality: quality, thumbnail: false)
                }
                let picture = try photo.withUnsafeBytes { bytes in try JPEGDecoder.decode(bytes) }
                let stamp = picture.withPicture { FrameStamp.read(from: $0) } ?? nil
                let read = try #require(stamp)
                #expect(read.sequence == sequence && read.timestamp == timestamp)
            }
        }
    }

    @Test("is not found where there is none, or where one cell is wrong")
    func damaged() {
        let layout = PictureLayout(packed: .yuv420, width: 640, height: 480)
        var bytes = [UInt8](repeating: 128, count: layout.byteCount)
        func read() -> UInt64? {
            bytes.withUnsafeBytes { FrameStamp.read(from: Picture(layout: layout, bytes: $0))?.sequence }
        }
        #expect(read() == nil)
        bytes.withUnsafeMutableBytes {
            FrameStamp.paint(
                sequence: 7, timestamp: MonotonicTime(nanoseconds: 9), layout: layout, into: $0)
        }
        #expect(read() == 7)
        for row in 448..<464 {
            for column in 80..<88 { bytes[row * 640 + column] = 255 - bytes[row * 640 + column] }
        }
        #expect(read() == nil)
    }

    @Test("covers only the bottom of the picture")
    func place() {
        let layout = PictureLayout(packed: .yuv420, width: 640, height: 480)
        var bytes = [UInt8](repeating: 77, count: layout.byteCount)
        bytes.withUnsafeMutableBytes {
            FrameStamp.paint(sequence: 1, timestamp: MonotonicTime(nanoseconds: 2), layout: layout, into: $0)
        }
        #expect(bytes[..<(640 * 448)].allSatisfy { $0 == 77 })
        #expect(bytes[(640 * 448)..<(640 * 480)].allSatisfy { $0 != 77 })
        #expect(bytes[(640 * 480)..<(640 * 480 + 320 * 224)].allSatisfy { $0 == 77 })
    }
}

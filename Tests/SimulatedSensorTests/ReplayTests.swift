import Capture
import Foundation
import Imaging
import Platform
import SimulatedSensor
import Testing

/// A drawn photograph, whose samples are a rule of the place in the upright picture: 0…1 from the left and the top.
private struct DrawnPhotograph: Sendable {
    var name: String
    var width: Int
    var height: Int
    var orientation = 1
    var seed: Double

    /// Y, Cb and Cr.
    func samples(_ u: Double, _ v: Double) -> [Double] {
        // Asymmetric, with edges and fine waves.
        let disc = (u - 0.3) * (u - 0.3) + (v - 0.6) * (v - 0.6) < 0.02 ? 50.0 : 0
        let waves = 12 * sin(60 * u + seed) * sin(45 * v)
        return [60 + 90 * u + 30 * v + waves + disc, 100 + 40 * v - disc / 2, 150 - 40 * u + disc / 3]
    }

    /// The place in the upright picture of a place in the stored one.
    private func upright(_ x: Double, _ y: Double) -> (Double, Double) {
        switch orientation {
        case 2: (1 - x, y)
        case 3: (1 - x, 1 - y)
        case 4: (x, 1 - y)
        case 5: (y, x)
        case 6: (1 - y, x)
        case 7: (1 - y, 1 - x)
        case 8: (y, 1 - x)
        default: (x, y)
        }
    }

    func file() throws -> Data {
        let layout = PictureLayout(packed: .yuv420, width: width, height: height)
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        for (component, plane) in layout.planes.enumerated() {
            let step = component == 0 ? 1.0 : 2.0
            for row in 0..<plane.rows {
                for column in 0..<plane.rowBytes {
                    let (u, v) = upright(
                        (Double(column) + 0.5) * step / Double(width), (Double(row) + 0.5) * step / Double(height))
                    bytes[plane.offset + row * plane.stride + column] = UInt8(samples(u, v)[component].rounded())
                }
            }
        }
        var metadata = PhotoMetadata(
            make: "", model: "", software: "",
            captureTime: WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true))
        metadata.orientation = orientation
        return try bytes.withUnsafeBytes {
            try PhotoEncoder().encode(
                Picture(layout: layout, bytes: $0), metadata: metadata, quality: 95, thumbnail: false
            ).data
        }
    }

    var uprightSize: (width: Int, height: Int) {
        orientation >= 5 ? (height, width) : (width, height)
    }

    static let all: [DrawnPhotograph] =
        [
            DrawnPhotograph(name: "small", width: 600, height: 400, seed: 1),
            DrawnPhotograph(name: "odd", width: 641, height: 427, seed: 2),
            DrawnPhotograph(name: "large", width: 1999, height: 1501, seed: 3),
            DrawnPhotograph(name: "wide", width: 1500, height: 301, seed: 4),
            DrawnPhotograph(name: "tall", width: 333, height: 1000, seed: 5),
            DrawnPhotograph(name: "exact", width: 960, height: 720, seed: 6),
        ]
        + (1...8).map { DrawnPhotograph(name: "turned \($0)", width: 701, height: 500, orientation: $0, seed: 7) }
}

/// A folder that goes away with its test.
private final class Folder {
    let path = temporaryPath()

    init(_ files: [String: Data]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: path + "/" + name)) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("Replay of photographs", .timeLimit(.minutes(10)))
struct ReplayTests {
    private let width = 960
    private let height = 720

    /// The first frame of a replay, saved as a photo and read back at one eighth of its size.
    private func replayed(
        _ file: Data, _ format: PictureLayout.Format = .yuv420
    ) async throws -> DecodedPicture {
        let folder = try Folder(["photograph.JPG": file])
        let sensor = SimulatedSensor.small {
            ($0.width, $0.height, $0.format) = (width, height, format)
            $0.photographs = folder.path
            $0.framesPerSecond = 20
        }
        try sensor.configure()
        let recorder = FrameRecorder(holding: 1)
        try sensor.start(delivering: recorder)
        let record = await recorder.wait { !$0.held.isEmpty }
        let frame = try #require(record.held.first)
        await sensor.stop()
        let photo = try frame.withPicture { picture in
            try PhotoEncoder().encode(
                picture,
                metadata: PhotoMetadata(
                    make: "", model: "", software: "",
                    captureTime: WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: true)),
                quality: 93, thumbnail: false)
        }
        return try photo.withUnsafeBytes { bytes in try JPEGDecoder.decode(bytes, scale: .eighth) }
    }

    /// Compares with the rule of a drawn photograph and returns luma's PSNR and each component's difference of means.
    private func compare(
        _ picture: DecodedPicture, _ photograph: DrawnPhotograph
    ) -> (psnr: Double, means: [Double]) {
        let size = photograph.uprightSize
        let scale = min(Double(width) / Double(size.width), Double(height) / Double(size.height))
        let (fittedWidth, fittedHeight) = (Double(size.width) * scale, Double(size.height) * scale)
        let (left, top) = ((Double(width) - fittedWidth) / 2, (Double(height) - fittedHeight) / 2)
        var (errors, means) = (0.0, [0.0, 0.0, 0.0])
        var counts = [0.0, 0.0, 0.0]
        for (component, plane) in picture.planes.enumerated() {
            let step = component == 0 ? 8 : 16
            for row in 0..<(height - FrameStamp.rows) / step {
                for column in 0..<plane.width {
                    var expected = 0.0
                    for y in 0..<step {
                        for x in 0..<step {
                            let u = (Double(column * step + x) + 0.5 - left) / fittedWidth
                            let v = (Double(row * step + y) + 0.5 - top) / fittedHeight
                            expected +=
                                (0...1).contains(u) && (0...1).contains(v)
                                ? photograph.samples(u, v)[component] : component == 0 ? 0 : 128
                        }
                    }
                    expected /= Double(step * step)
                    let actual = picture.withUnsafeBytes {
                        Double($0[plane.offset + row * plane.stride + column])
                    }
                    if component == 0 { errors += (actual - expected) * (actual - expected) }
                    means[component] += actual - expected
                    counts[component] += 1
                }
            }
        }
        return (10 * log10(255 * 255 / (errors / counts[0])), zip(means, counts).map { abs($0 / $1) })
    }

    @Test("a photograph is recognizable in the saved photo", arguments: DrawnPhotograph.all.map(\.name))
    func recognizable(_ name: String) async throws {
        let photograph = try #require(DrawnPhotograph.all.first { $0.name == name })
        let result = compare(try await replayed(photograph.file()), photograph)
        #expect(result.psnr >= 32)
        #expect(result.means.allSatisfy { $0 <= 2 })
    }

    @Test("chroma of NV12 is in its place")
    func nv12() async throws {
        let photograph = DrawnPhotograph(name: "", width: 1333, height: 1000, orientation: 6, seed: 3)
        let result = compare(try await replayed(photograph.file(), .nv12), photograph)
        #expect(result.psnr >= 32)
        #expect(result.means.allSatisfy { $0 <= 2 })
    }

    @Test("a gray photograph has no color")
    func gray() async throws {
        let picture = try await replayed(Data(GrayJPEG.bytes))
        picture.withUnsafeBytes { bytes in
            let (luma, cb) = (picture.planes[0], picture.planes[1])
            for column in 2..<luma.width - 2 {
                let expected = 40 + 170 * (Double(column) + 0.5) / Double(luma.width)
                #expect(abs(Double(bytes[luma.offset + 40 * luma.stride + column]) - expected) <= 6)
            }
            for column in 0..<cb.width {
                #expect(abs(Int(bytes[cb.offset + 20 * cb.stride + column]) - 128) <= 1)
            }
        }
    }

    @Test("photographs follow one another in the order of their names, and begin again")
    func order() async throws {
        let names = ["a.jpg", "b.JPEG", "c.jpg", "d.jpg"]
        let files = try names.enumerated().map { index, name in
            (name, try DrawnPhotograph(name: "", width: 64, height: 48, seed: Double(index)).file())
        }
        let folder = try Folder(Dictionary(uniqueKeysWithValues: files + [("notes.txt", Data("x".utf8))]))
        let layout = PictureLayout(packed: .yuv420, width: 640, height: 480)
        let replay = try ReplayFolder(path: folder.path, layout: layout)
        var seen = [0]
        for second in 1...9 {
            // The first call may still show the old photograph; it then makes the next one ready.
            for _ in 1...2 {
                let number = try replay.picture(at: .seconds(second)).number
                if number != seen.last { seen.append(number) }
                await replay.preparationEnded()
            }
        }
        #expect(seen == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    }

    @Test("a folder that cannot be shown is refused in one sentence that names the fault")
    func refused() throws {
        func sentence(_ path: String) -> String? {
            do {
                try SimulatedSensor.small { $0.photographs = path }.configure()
            } catch SensorError.refused(let sentence) {
                return sentence
            } catch {}
            return nil
        }
        let whole = try DrawnPhotograph(name: "", width: 64, height: 48, seed: 1).file()
        let empty = try Folder(["notes.txt": Data()])
        #expect(
            sentence(empty.path) == "the folder \(empty.path) holds no photographs (files named .jpg or .jpeg)")
        #expect(sentence("/nowhere") == "cannot read the folder of photographs /nowhere")
        let cut = try Folder(["a.jpg": whole, "b.jpg": whole.prefix(whole.count / 2 + 200)])
        #expect(
            sentence(cut.path)
                == "the photograph \(cut.path)/b.jpg cannot be shown: it is damaged: Premature end of JPEG file")
        let other = try Folder(["a.jpg": Data("no picture".utf8)])
        #expect(
            sentence(other.path)
                == "the photograph \(other.path)/a.jpg cannot be shown: it does not start like a JPEG file")
    }
}

import Capture
import Imaging
import Testing

@testable import LibcameraSensor

@Suite("GrantedStream")
struct GrantedStreamTests {
    private let yuv = GrantedStream(
        format: .yuv420, width: 63, height: 47, bufferCount: 4,
        planes: [
            GrantedStream.Plane(offset: 0, stride: 64, length: 3008),
            GrantedStream.Plane(offset: 4096, stride: 32, length: 768),
            GrantedStream.Plane(offset: 8192, stride: 32, length: 768),
        ])

    @Test("planes keep their strides and places, in odd sizes too")
    func planes() throws {
        let layout = try yuv.layout()
        #expect(layout.planes.map(\.offset) == [0, 4096, 8192])
        #expect(layout.planes.map(\.stride) == [64, 32, 32])
        #expect(layout.planes.map(\.rowBytes) == [63, 32, 32] && layout.planes.map(\.rows) == [47, 24, 24])
    }

    @Test("a last row that ends with its samples is enough")
    func lastRow() throws {
        var stream = yuv
        stream.planes[0].length = 64 * 46 + 63
        #expect(try stream.layout().byteCount == 8192 + 32 * 24)
        stream.planes[0].length -= 1
        #expect(throws: SensorError.self) { try stream.layout() }
    }

    @Test("what cannot be is refused and does not trap")
    func impossible() {
        let changes: [(inout GrantedStream) -> Void] = [
            { $0.width = 0 }, { $0.height = 0 }, { $0.width = .max }, { $0.height = .max }, { $0.planes = [] },
            { $0.planes[2].stride = 31 }, { $0.planes[0].stride = .max }, { $0.planes[0].offset = .max },
            { $0.planes[1].length = 0 }, { $0.format = .nv12 },
        ]
        for change in changes {
            var stream = yuv
            change(&stream)
            #expect(throws: SensorError.self) { try stream.layout() }
        }
    }

    @Test("raw rows keep their stride; a buffer that is too short gives none")
    func raw() {
        let format = RawLayout.Format(pattern: .bggr, bitsPerSample: 12, packing: .csi2)
        var raw = GrantedStream.Raw(format: format, width: 4056, height: 3040, stride: 6112, length: 6112 * 3040)
        #expect(raw.layout() == RawLayout(format: format, width: 4056, height: 3040, stride: 6112))
        raw.length -= 1
        #expect(raw.layout() == nil)
        #expect(raw.layout(isAllocated: false) != nil)
        raw.stride = 6083
        #expect(raw.layout(isAllocated: false) == nil)
        raw.width = .max
        #expect(raw.layout(isAllocated: false) == nil)
    }

    @Test("a camera's properties are brought into range")
    func properties() throws {
        func model(_ width: UInt32, _ exposures: (Int64, Int64), _ gains: (Float, Float)) -> SensorModel? {
            SensorModel(
                identifier: "/base/i2c/imx296@1a", model: "imx296", location: 1, width: width, height: 1088,
                exposures: exposures, gains: gains, raw: nil)
        }
        let plain = try #require(model(1456, (29, 15_534_385), (1, 251.188)))
        #expect(plain.hasGlobalShutter && plain.position == .back && plain.name == "imx296")
        #expect(plain.exposureTimes == .microseconds(29)...(.microseconds(15_534_385)))
        #expect(plain.isoSpeeds == 100...25_119)
        #expect(model(0, (1, 2), (1, 2)) == nil)
        let odd = try #require(model(1456, (.max, .min), (.infinity, -.infinity)))
        #expect(odd.isoSpeeds == 0...0 && odd.exposureTimes.lowerBound == .seconds(3600))
        let silent = try #require(model(1456, (0, 0), (0, 0)))
        #expect(silent.exposureTimes == .zero...(.zero))
    }
}

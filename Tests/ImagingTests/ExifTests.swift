import Foundation
import Platform
import Testing

@testable import Imaging

/// One photo to be judged by exiftool.
struct ExifVariant: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var metadata: PhotoMetadata
    var format = PictureLayout.Format.yuv420
    var width = 320
    var height = 240
    var thumbnail = true

    init(
        _ name: String, _ format: PictureLayout.Format = .yuv420, _ width: Int = 320, _ height: Int = 240,
        thumbnail: Bool = true, from base: PhotoMetadata = .full, _ change: (inout PhotoMetadata) -> Void = { _ in }
    ) {
        testDescription = name
        metadata = base.with(change)
        (self.format, self.width, self.height, self.thumbnail) = (format, width, height, thumbnail)
    }

    static let all: [ExifVariant] =
        [
            ExifVariant("plain", from: .plain), ExifVariant("plain, no thumbnail", thumbnail: false, from: .plain),
            ExifVariant("full"), ExifVariant("full, NV12", .nv12), ExifVariant("no thumbnail", thumbnail: false),
            ExifVariant("odd width", .yuv420, 321, 240), ExifVariant("odd height", .nv12, 320, 241),
            ExifVariant("one pixel", .yuv420, 1, 1), ExifVariant("a column", .nv12, 1, 300),
            ExifVariant("panorama", .yuv420, 2000, 31), ExifVariant("portrait", .yuv420, 240, 320),
            ExifVariant("0 EV") { $0.exposureBias = 0 }, ExifVariant("odd EV") { $0.exposureBias = 0.123 },
            ExifVariant("no EV that could be said") { $0.exposureBias = .nan },
            ExifVariant("nanoseconds") { $0.exposureTime = 1e-9 },
            ExifVariant("hours") { $0.exposureTime = 12_345.5 },
            ExifVariant("no exposure time") { $0.exposureTime = 0 },
            ExifVariant("an impossible exposure time") { $0.exposureTime = .infinity },
            ExifVariant("ISO 1") { $0.isoSpeed = 1 }, ExifVariant("ISO 409600") { $0.isoSpeed = 409_600 },
            ExifVariant("infinitely far") { $0.subjectDistance = .infinity },
            ExifVariant("distance nil") { $0.subjectDistance = nil },
            ExifVariant("distance 0") { $0.subjectDistance = 0 },
            ExifVariant("south-west") {
                $0.position = .init(latitude: -33.856_8, longitude: -151.215_3, altitude: -12.34)
            },
            ExifVariant("corner of the map") { $0.position = .init(latitude: -90, longitude: 180, altitude: nil) },
            ExifVariant("just under a degree") {
                $0.position = .init(latitude: 0.999_999_999_9, longitude: 0, altitude: 0)
            },
            ExifVariant("off the map") { $0.position = .init(latitude: 91, longitude: .nan, altitude: nil) },
            ExifVariant("untrusted clock") { $0.captureTime.isTrusted = false },
            ExifVariant("1970") { $0.captureTime = WallTime(unixNanoseconds: 0, offsetSeconds: 0, isTrusted: false) },
            ExifVariant("west of Greenwich") { $0.captureTime.offsetSeconds = -12_600 },
            ExifVariant("foreign letters") {
                $0.artist = "Jürgen Müller"
                $0.imageDescription = "日本"
                $0.copyright = "© Ørsted\0\n2026"
            },
            ExifVariant("long texts") {
                $0.artist = String(repeating: "é", count: 5000)
                $0.imageDescription = String(repeating: "Garden ", count: 900)
                $0.model = String(repeating: "m", count: 3000)
            },
            ExifVariant("empty texts") {
                $0.artist = ""
                $0.lens?.model = ""
            },
            ExifVariant("an identifier of another kind") { $0.imageUniqueID = "0f8fad5b-d9cb-469f-a165-70867728950e" },
            ExifVariant("a lens not quite known") {
                $0.lens = .init(model: nil, fNumber: 0, focalLength: 6.28, focalLengthIn35mm: nil)
            },
        ] + (1...8).map { value in ExifVariant("orientation \(value)") { $0.orientation = value } }
        + (0...7).map { value in ExifVariant("metering \(value)", from: .plain) { $0.meteringMode = value } }
}

@Suite("Exif as exiftool sees it")
struct ExifTests {
    @Test("the validator has nothing to say", arguments: ExifVariant.all)
    func validates(_ variant: ExifVariant) throws {
        let picture = DrawnPicture(variant.format, variant.width, variant.height)
        let photo = try picture.encoded(variant.metadata, thumbnail: variant.thumbnail)
        #expect(try ExifTool.validation(photo) == "Validate : OK")
    }
}

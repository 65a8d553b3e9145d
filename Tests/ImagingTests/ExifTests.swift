import Foundation
import Imaging
import Platform
import Testing

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

    @Test("every tag of the table reads back")
    func tags() throws {
        let photo = try DrawnPicture(.yuv420, 322, 242).encoded(.full)
        let tags = try ExifTool.tags(photo)
        let expected = [
            "IFD0:Make": "Pinhole", "IFD0:Model": "Pinhole camera", "IFD0:Software": "pinhole 1.0",
            "IFD0:Orientation": "6", "IFD0:XResolution": "72", "IFD0:YResolution": "72", "IFD0:ResolutionUnit": "2",
            "IFD0:YCbCrPositioning": "1", "IFD0:ModifyDate": "2026:11:30 10:15:00",
            "IFD0:ImageDescription": "Garden", "IFD0:Artist": "A. Person", "IFD0:Copyright": "(c) A. Person",
            "ExifIFD:ExifVersion": "0232", "ExifIFD:DateTimeOriginal": "2026:11:30 10:15:00",
            "ExifIFD:CreateDate": "2026:11:30 10:15:00", "ExifIFD:SubSecTime": "123456",
            "ExifIFD:SubSecTimeOriginal": "123456", "ExifIFD:SubSecTimeDigitized": "123456",
            "ExifIFD:OffsetTime": "+01:00", "ExifIFD:OffsetTimeOriginal": "+01:00",
            "ExifIFD:OffsetTimeDigitized": "+01:00", "ExifIFD:ExposureTime": "0.008", "ExifIFD:ISO": "100",
            "ExifIFD:SensitivityType": "3", "ExifIFD:ISOSpeed": "100",
            "ExifIFD:ExposureCompensation": "-0.3333333333", "ExifIFD:ExposureProgram": "1",
            "ExifIFD:ExposureMode": "1", "ExifIFD:MeteringMode": "2", "ExifIFD:WhiteBalance": "1",
            "ExifIFD:Flash": "0", "ExifIFD:FNumber": "2.8", "ExifIFD:FocalLength": "6",
            "ExifIFD:FocalLengthIn35mmFormat": "33", "ExifIFD:LensModel": "CS 6mm f/2.8",
            "ExifIFD:SubjectDistance": "2.5", "ExifIFD:DigitalZoomRatio": "1.5", "ExifIFD:SceneCaptureType": "0",
            "ExifIFD:ColorSpace": "1", "ExifIFD:ComponentsConfiguration": "1 2 3 0",
            "ExifIFD:ExifImageWidth": "322", "ExifIFD:ExifImageHeight": "242", "ExifIFD:FlashpixVersion": "0100",
            "ExifIFD:ImageUniqueID": "0f8fad5bd9cb469fa16570867728950e",
            "ExifIFD:SerialNumber": "100000003d1d1c36",
            "GPS:GPSVersionID": "2 3 0 0", "GPS:GPSLatitudeRef": "N", "GPS:GPSLatitude": "52.5201",
            "GPS:GPSLongitudeRef": "E", "GPS:GPSLongitude": "13.4049", "GPS:GPSAltitudeRef": "0",
            "GPS:GPSAltitude": "34", "GPS:GPSMapDatum": "WGS-84",
            "InteropIFD:InteropIndex": "R98", "InteropIFD:InteropVersion": "0100",
            "IFD1:Compression": "6", "IFD1:XResolution": "72", "IFD1:YResolution": "72", "IFD1:ResolutionUnit": "2",
        ]
        for (tag, value) in expected {
            #expect(tags[tag] == value, "\(tag)")
        }
        #expect(tags["IFD1:ThumbnailLength"] == photo.thumbnail.map { String($0.count) })
        #expect(tags["ExifIFD:UserComment"] == nil)
        #expect(!tags.keys.contains { $0.hasPrefix("JFIF") })
    }

    @Test("what is not known is left out")
    func unknown() throws {
        let tags = try ExifTool.tags(DrawnPicture(.yuv420, 64, 48).encoded(.plain, thumbnail: false))
        for name in ["ExposureTime", "ISO", "SensitivityType", "SubjectDistance", "FNumber", "ImageUniqueID"] {
            #expect(tags["ExifIFD:\(name)"] == nil, "\(name)")
        }
        #expect(!tags.keys.contains { $0.hasPrefix("GPS") || $0.hasPrefix("IFD1") })
    }

    @Test("a clock that cannot be believed is said in UserComment")
    func untrustedClock() throws {
        let photo = try DrawnPicture(.yuv420, 64, 48).encoded(.full.with { $0.captureTime.isTrusted = false })
        #expect(try ExifTool.tags(photo)["ExifIFD:UserComment"] == "clock not trusted")
    }

    @Test("exposure times keep their value", arguments: [1e-6, 1 / 8000.0, 0.009_998, 1 / 3.0, 1, 2.5, 239.5, 12_345])
    func exposureTime(_ seconds: Double) throws {
        let photo = try DrawnPicture(.yuv420, 64, 48).encoded(.plain.with { $0.exposureTime = seconds })
        let value = try #require(Double(ExifTool.tags(photo)["ExifIFD:ExposureTime"] ?? ""))
        #expect(abs(value - seconds) <= seconds * 1e-6)
    }

    @Test("a place keeps its value to a few centimeters")
    func position() throws {
        for (latitude, longitude) in [(-33.856_8, 151.215_3), (0.999_999_999_9, -0.5), (90, -180), (59.999_9, 0)] {
            let metadata = PhotoMetadata.plain.with {
                $0.position = .init(latitude: latitude, longitude: longitude, altitude: -4.25)
            }
            let tags = try ExifTool.tags(DrawnPicture(.yuv420, 64, 48).encoded(metadata))
            #expect(abs((Double(tags["GPS:GPSLatitude"] ?? "") ?? 0) - abs(latitude)) < 3e-7)
            #expect(abs((Double(tags["GPS:GPSLongitude"] ?? "") ?? 0) - abs(longitude)) < 3e-7)
            #expect(tags["GPS:GPSLatitudeRef"] == (latitude < 0 ? "S" : "N"))
            #expect(tags["GPS:GPSLongitudeRef"] == (longitude < 0 ? "W" : "E"))
            #expect(tags["GPS:GPSAltitudeRef"] == "1")
            #expect(tags["GPS:GPSAltitude"] == "4.25")
        }
    }

    @Test("text becomes ASCII a photographer would accept")
    func text() {
        #expect(ExifText.ascii("Jürgen Müßig, Łódź, Ærø") == "Jurgen Mussig, Lodz, AEro")
        #expect(ExifText.ascii("© 2026 — “A”") == "(c) 2026 - \"A\"")
        #expect(ExifText.ascii("a\0b\n\t c \u{7f}\u{1b}d  ") == "ab c d")
        #expect(ExifText.ascii("日本") == "")
        #expect(ExifText.ascii(String(repeating: "é", count: 5000)) == String(repeating: "e", count: ExifText.limit))
    }

    @Test("metadata that does not fit is refused")
    func limit() throws {
        func head(_ limit: Int) throws -> Int {
            try ExifSegment.fileHead(
                metadata: .full, orientation: 1, width: 64, height: 48, thumbnail: nil, limit: limit
            ).count
        }
        let size = try head(ExifSegment.limit)
        #expect(try head(size - 6) == size)
        #expect(throws: ImagingError.metadataTooLarge) { try head(size - 7) }
    }
}

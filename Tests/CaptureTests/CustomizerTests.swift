import Capture
import Foundation
import Imaging
import PinholeTesting
import Testing

/// Leaves out what a test says.
private struct Stripping: CapturePhotoFileDataRepresentationCustomizer {
    var metadata = false
    var position = false
    var thumbnail = false

    func replacementMetadata(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata> {
        metadata ? .strip : .keep
    }

    func replacementPosition(for photo: CapturePhoto) -> EncodedPhoto.Replacement<PhotoMetadata.Position> {
        position ? .strip : .keep
    }

    func replacementEmbeddedThumbnail(for photo: CapturePhoto) -> EncodedPhoto.Replacement<Data> {
        thumbnail ? .strip : .keep
    }
}

@Suite("Files made with a customizer")
struct CustomizerTests {
    private func photo() async throws -> CapturePhoto {
        let fixture = try await CaptureFixture()
        let settings = CapturePhotoSettings()
        settings.metadata = ["Artist": "A. Person", "Copyright": "(c) A. Person"]
        let delegate = try fixture.capture(settings)
        fixture.sensor.deliver(midpoint: fixture.at(10))
        await delegate.finished()
        return try #require(delegate.photos.first)
    }

    /// Names of the tags that exiftool finds, sizes and structure left out.
    private func tags(_ data: Data) throws -> Set<String> {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jpg")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["exiftool", "-s", "-a", "-G1", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Set(
            text.split(separator: "\n").compactMap { line in
                line.split(separator: ":").first.map {
                    $0.split(whereSeparator: { " []".contains($0) }).joined(separator: ":")
                }
            })
    }

    private static let personal = [
        "IFD0:Make", "IFD0:Model", "IFD0:Software", "IFD0:Artist", "IFD0:Copyright", "ExifIFD:DateTimeOriginal",
        "ExifIFD:ExposureTime", "GPS:GPSLatitude", "GPS:GPSLongitude",
    ]

    @Test("metadata that the customizer strips is gone from the file, and only then")
    func metadata() async throws {
        let photo = try await photo()
        let whole = try tags(try #require(photo.fileDataRepresentation()))
        #expect(whole.isSuperset(of: Self.personal) && whole.contains("IFD1:ThumbnailImage"))
        let kept = try tags(try #require(photo.fileDataRepresentation(with: Stripping())))
        #expect(kept.isSuperset(of: Self.personal))
        let data = try #require(photo.fileDataRepresentation(with: Stripping(metadata: true)))
        let stripped = try tags(data)
        #expect(stripped.isDisjoint(with: Self.personal))
        #expect(stripped.contains("IFD0:Orientation"), "the picture is still shown upright")
        #expect(data.range(of: Data("A. Person".utf8)) == nil)
    }

    @Test("a stripped position is gone and the rest stays")
    func position() async throws {
        let data = try #require(try await photo().fileDataRepresentation(with: Stripping(position: true)))
        let tags = try tags(data)
        #expect(!tags.contains { $0.hasPrefix("GPS:") })
        #expect(tags.contains("IFD0:Artist") && tags.contains("ExifIFD:DateTimeOriginal"))
    }

    @Test("a stripped thumbnail is gone and the rest stays")
    func thumbnail() async throws {
        let data = try #require(try await photo().fileDataRepresentation(with: Stripping(thumbnail: true)))
        let tags = try tags(data)
        #expect(!tags.contains("IFD1:ThumbnailImage"))
        #expect(tags.isSuperset(of: Self.personal))
    }

    @Test("the metadata of a raw photo is stripped by its encoder")
    func raw() async throws {
        let fixture = try await CaptureFixture.raw()
        let format = try #require(fixture.output.availableRawPhotoPixelFormatTypes.first)
        let delegate = try fixture.capture(CapturePhotoSettings(rawPixelFormatType: format))
        fixture.sensor.deliver(midpoint: fixture.at(10))
        await delegate.finished()
        let photo = try #require(delegate.photos.first)
        let data = try #require(photo.fileDataRepresentation(with: Stripping(metadata: true)))
        #expect(String(decoding: data, as: UTF8.self) == "raw 64x48 rggb")
    }
}

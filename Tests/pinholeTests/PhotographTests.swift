import Console
import Foundation
import Imaging
import Platform
import SimulatedSensor
import Testing

@Suite("Photographs in, photos out")
struct PhotographTests {
    @Test("a replayed photograph is recognizable in the saved photo, at 12 megapixels")
    func replay() throws {
        let camera = try CameraProcess(configuration: "")
        let folder = camera.folder.path + "/photographs"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let drawn = [
            DrawnPhotograph(width: 600, height: 400, hue: 0), DrawnPhotograph(width: 427, height: 640, hue: 2),
        ]
        for (index, photograph) in drawn.enumerated() {
            try photograph.jpeg().write(to: URL(fileURLWithPath: folder + "/\(index).jpg"))
        }
        camera.sensor = "simulated:" + folder
        try camera.start()
        var seen = Set<Int>()
        for _ in 0..<6 where seen.count < drawn.count {
            let photo = try #require(try camera.command("shoot", "--timer", "0.6").photos.first)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: photo.path))
            let small = try bytes.withUnsafeBytes { try JPEGDecoder.decode($0, scale: .eighth) }
            let likeness = drawn.map { $0.likeness(in: small) }
            let best = likeness.indices.max { likeness[$0].signalToNoise < likeness[$1].signalToNoise } ?? 0
            #expect(likeness[best].signalToNoise >= 32, "\(likeness)")
            #expect(likeness[best].greatestMeanDifference <= 2, "\(likeness)")
            seen.insert(best)
        }
        #expect(seen.count == drawn.count, "both photographs were shown")
    }

    @Test("the validator has nothing to say about a saved photo, and the tags of the configuration are there")
    func metadata() throws {
        let camera = try CameraProcess(
            configuration: """
                simulator : { width = 640; height = 480; };
                camera : { make = "Maker"; model = "Garden camera"; serial = "0042"; artist = "A. Person"; };
                lens : { model = "CS 6mm"; f_number = 2.8; focal_length = 6.0; focal_length_35mm = 33; };
                position : { latitude = -33.8568; longitude = 151.2153; altitude = 4.0; };
                clock : { zone = "Australia/Sydney"; };
                """)
        try camera.start()
        let photo = try #require(try camera.command("shoot").photos.first)
        let validate = try CameraProcess.run(
            ["-validate", "-warning", "-a", "-s3", photo.path], program: "/usr/bin/exiftool")
        #expect(validate.output == "OK\n")
        let tags = [
            "Make": "Maker", "Model": "Garden camera", "SerialNumber": "0042", "Artist": "A. Person",
            "LensModel": "CS 6mm", "FNumber": "2.8", "FocalLength": "6", "FocalLengthIn35mmFormat": "33",
            "GPSLatitude": "-33.8568", "GPSLongitude": "151.2153", "GPSAltitude": "4", "ImageUniqueID": photo.id,
            "Orientation": "1", "ExifImageWidth": "640", "ISO": "100", "ExposureTime": "0.01",
            "InteropIndex": "R98", "Software": "Pinhole 0.1.0", "Compression": "6", "ColorSpace": "1",
        ]
        let names = tags.keys.sorted()
        let read = try CameraProcess.run(
            ["-n", "-s3", "-f"] + names.map { "-" + $0 } + [photo.path], program: "/usr/bin/exiftool")
        for (name, value) in zip(names, read.output.split(separator: "\n", omittingEmptySubsequences: false)) {
            if let number = Double(tags[name] ?? ""), let found = Double(value) {
                #expect(abs(number - found) < 0.0001, "\(name)")
            } else {
                #expect(value == tags[name] ?? "", "\(name)")
            }
        }
        let date = try CameraProcess.run(
            ["-s3", "-SubSecDateTimeOriginal", "-OffsetTimeOriginal", photo.path], program: "/usr/bin/exiftool"
        ).output.split(separator: "\n")
        #expect(date.count == 2)
        let captured = photo.captured.prefix(19).replacingOccurrences(of: "-", with: ":")
            .replacingOccurrences(of: "T", with: " ")
        #expect(date.first?.hasPrefix(captured) == true && photo.captured.hasSuffix(date.last ?? "?"))
    }
}

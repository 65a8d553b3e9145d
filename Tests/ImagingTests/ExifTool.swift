import Foundation
import Imaging
import Platform

/// Runs the real exiftool on a photo's bytes.
enum ExifTool {
    /// What `exiftool -validate -warning -a` says, spaces joined.
    static func validation(_ photo: EncodedPhoto) throws -> String {
        try run(["-validate", "-warning", "-a"], photo).split(separator: " ").joined(separator: " ")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Tags by group and name, numbers as stored: `ExifIFD:ExposureTime`.
    static func tags(_ photo: EncodedPhoto) throws -> [String: String] {
        var tags: [String: String] = [:]
        for line in try run(["-s", "-n", "-a", "-G1", "-u"], photo).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, line.hasPrefix("[") else { continue }
            let name = parts[0].dropFirst().split(separator: "]")
            guard name.count == 2 else { continue }
            tags["\(name[0]):\(name[1].trimmingCharacters(in: .whitespaces))"] = String(parts[1].dropFirst())
        }
        return tags
    }

    private static func run(_ arguments: [String], _ photo: EncodedPhoto) throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jpg")
        try photo.data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["exiftool"] + arguments + [file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}

extension PhotoMetadata {
    /// Only what every photo has.
    static let plain = PhotoMetadata(
        make: "Pinhole", model: "Pinhole camera", software: "pinhole 1.0",
        captureTime: WallTime(unixNanoseconds: 1_796_030_100_123_456_789, offsetSeconds: 3600, isTrusted: true))

    /// Everything that can be known.
    static var full: PhotoMetadata {
        var full = plain
        full.orientation = 6
        full.imageUniqueID = "0f8fad5bd9cb469fa16570867728950e"
        full.exposureTime = 1 / 125
        full.isoSpeed = 100
        full.exposureBias = -1 / 3
        full.isManualExposure = true
        full.isManualWhiteBalance = true
        full.meteringMode = 2
        full.subjectDistance = 2.5
        full.digitalZoomRatio = 1.5
        full.lens = Lens(model: "CS 6mm f/2.8", fNumber: 2.8, focalLength: 6, focalLengthIn35mm: 33)
        full.bodySerialNumber = "100000003d1d1c36"
        full.imageDescription = "Garden"
        full.artist = "A. Person"
        full.copyright = "(c) A. Person"
        full.position = Position(latitude: 52.520_1, longitude: 13.404_9, altitude: 34)
        return full
    }

    /// The same with one thing changed.
    func with(_ change: (inout PhotoMetadata) -> Void) -> PhotoMetadata {
        var copy = self
        change(&copy)
        return copy
    }
}

import Console
import Foundation
import Imaging
import PinholeTesting
import Platform
import SimulatedSensor
import Testing

@Suite("Presses on the running camera", .serialized)
struct PressTests {
    @Test("forty presses at random gaps at 12 megapixels: forty photos, in press order, each of the nearest frame")
    func fortyPresses() throws {
        let camera = try CameraProcess()
        let log = camera.folder.path + "/frames"
        camera.configuration = "simulator : { frame_log = \"\(log)\"; };"
        try camera.start()
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var presses: [MonotonicTime] = []
        for number in 0..<40 {
            let due = MonotonicTime.now() + .milliseconds(Int.random(in: 200...600, using: &random))
            while MonotonicTime.now() < due { usleep(500) }
            let bounce = number.isMultiple(of: 3) ? "8" : "0"
            let press = try camera.command("press", "--hold", "80", "--bounce", bounce)
            for case .press(let record) in press.records {
                presses.append(MonotonicTime(nanoseconds: record.edgeNs))
            }
        }
        #expect(presses.count == 40)
        try camera.wait { try camera.status().map { $0.library.assets >= 40 && $0.state == .ready } ?? false }
        #expect(camera.stop() == 0)
        let frames = try FrameLogEntry.read(log)
        #expect(frames.count > 80)
        let files = try camera.files()
        #expect(files.count == 40)
        for (file, press) in zip(files, presses) {
            let stamp = try #require(try readStamp(camera.state + "/library/DCIM/" + file))
            let nearest = frames.min { $0.distance(to: press) < $1.distance(to: press) }
            #expect(stamp.sequence == nearest?.sequence, "\(file)")
        }
    }

    /// The frame number and timestamp that the sensor painted, read from the saved file.
    private func readStamp(_ path: String) throws -> (sequence: UInt64, timestamp: MonotonicTime)? {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let picture = try bytes.withUnsafeBytes { try JPEGDecoder.decode($0) }
        return picture.withPicture { FrameStamp.read(from: $0) } ?? nil
    }
}

/// A line of the simulated sensor's log.
struct FrameLogEntry {
    var sequence: UInt64
    var midpoint: MonotonicTime

    /// Every complete line of a log.
    static func read(_ path: String) throws -> [FrameLogEntry] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 5, let sequence = UInt64(words[0]), let midpoint = Int64(words[3]) else { return nil }
            return FrameLogEntry(sequence: sequence, midpoint: MonotonicTime(nanoseconds: midpoint))
        }
    }

    func distance(to moment: MonotonicTime) -> Int64 { abs(midpoint.nanoseconds - moment.nanoseconds) }
}

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
        _ = try check(presses: 40, gaps: [200...600])
    }

    @Test("two hundred presses, half of them while a photo is being saved: none lost, none doubled, order kept")
    func twoHundredPresses() throws {
        #expect(try check(presses: 200, gaps: [90...110, 150...400]) > 60)
    }

    /// Presses at random gaps in milliseconds, some with bounce, and judges every photo by the frame that it shows.
    ///
    /// - Parameter gaps: used in turn.
    /// - Returns: how many presses came while the photo before was not yet durable.
    private func check(presses count: Int, gaps: [ClosedRange<Int>]) throws -> Int {
        let camera = try CameraProcess()
        let log = camera.folder.path + "/frames"
        camera.configuration = "simulator : { frame_log = \"\(log)\"; };"
        try camera.start()
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var presses: [MonotonicTime] = []
        for number in 0..<count {
            let gap = Int.random(in: gaps[number % gaps.count], using: &random)
            let due = (presses.last ?? .now()) + .milliseconds(gap)
            while MonotonicTime.now() < due { usleep(500) }
            let bounce = number.isMultiple(of: 3) ? "8" : "0"
            presses += try press(camera, bounce: bounce)
        }
        #expect(presses.count == count)
        try camera.wait {
            let status = try camera.status()
            return status.map { $0.library.assets >= count && $0.state == .ready } ?? false
        }
        #expect(try !camera.command("events").output.contains("\"refused\""))
        let photos = try camera.command("list").photos.sorted { $0.number < $1.number }
        #expect(camera.stop() == 0)
        let frames = try FrameLogEntry.read(log).filter { $0.wasTaken }
        let files = try camera.files()
        #expect(files.count == count)
        for (file, press) in zip(files, presses) {
            let stamp = try #require(try readStamp(camera.state + "/library/DCIM/" + file))
            let nearest = frames.min { $0.distance(to: press) < $1.distance(to: press) }
            let seen = frames.filter { $0.distance(to: press) < 120_000_000 }
            #expect(stamp.sequence == nearest?.sequence, "\(file) of \(press), among \(seen)")
        }
        return zip(zip(photos, presses), presses.dropFirst()).count { earlier, press in
            earlier.1 + .milliseconds(Int64(earlier.0.durableMs ?? 0)) > press
        }
    }

    /// Presses the shutter through the socket itself: a process of its own for each press would stretch the gaps.
    ///
    /// - Returns: the moment of its edge.
    private func press(_ camera: CameraProcess, bounce: String) throws -> [MonotonicTime] {
        let client = try ControlClient.connect(state: camera.state)
        try client.send(["press", "--hold", "30", "--bounce", bounce])
        var moments: [MonotonicTime] = []
        while true {
            switch try client.next() {
            case .record(_, .press(let record)?): moments.append(MonotonicTime(nanoseconds: record.edgeNs))
            case .record: break
            case .exit: return moments
            }
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
    /// False when the machine was held up for so long that there was no frame.
    var wasTaken: Bool

    /// Every complete line of a log.
    static func read(_ path: String) throws -> [FrameLogEntry] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 5, let sequence = UInt64(words[0]), let midpoint = Int64(words[3]) else { return nil }
            return FrameLogEntry(
                sequence: sequence, midpoint: MonotonicTime(nanoseconds: midpoint), wasTaken: words[4] != "late")
        }
    }

    func distance(to moment: MonotonicTime) -> Int64 { abs(midpoint.nanoseconds - moment.nanoseconds) }
}

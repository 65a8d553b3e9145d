import Console
import Foundation
import Testing

@testable import Camera
@testable import pinhole

@Suite("A clock that jumps")
struct ClockTests {
    @Test("back and forth by years, over restarts and zones: order and names stay, dates are as the clock said")
    func jumps() throws {
        let camera = try CameraProcess()
        var expected: [String] = []
        for (date, zone) in [
            ("2031-07-01T12:00", "Europe/Berlin"), ("2001-01-01T00:00", "UTC"),
            ("2090-12-31T23:59", "America/St_Johns"), ("1999-06-01T08:00", "Asia/Kathmandu"),
        ] {
            try camera.start()
            #expect(try camera.command("set", "clock.zone", zone).status == 0)
            let set = try camera.command("clock", "set", date)
            #expect(set.status == 0)
            #expect(set.output.contains(#""changed":"offset""#), "only an installed camera may set the system's clock")
            let photo = try #require(try camera.command("shoot").photos.first)
            #expect(photo.captured.hasPrefix(String(date.prefix(10))) || photo.captured.hasPrefix("2091-01-01"))
            #expect(photo.clockTrusted)
            let exif = try CameraProcess.run(
                ["-s3", "-d", "%Y-%m-%dT%H:%M:%S", "-DateTimeOriginal", "-OffsetTimeOriginal", photo.path],
                program: "/usr/bin/exiftool"
            ).output.split(separator: "\n").joined()
            #expect(exif == photo.captured.prefix(19) + photo.captured.suffix(6))
            expected.append(photo.number)
            camera.stop()
        }
        try camera.start()
        #expect(try camera.command("list").photos.map(\.number) == expected.reversed())
        #expect(expected == ["100-0001", "100-0002", "100-0003", "100-0004"])
        let clock = try camera.command("clock").records
        guard case .clock(let record)? = clock.first else {
            Issue.record("no clock")
            return
        }
        #expect(record.now.hasPrefix("1999-06-01") && record.trusted, "a person's setting survives a restart")
        #expect(try camera.command("verify").status == 0)
    }
}

@Suite("Setting the system's clock")
struct SystemClockTests {
    private let folder = NSTemporaryDirectory() + "pinhole-clock-\(UUID().uuidString)"
    private var path: String { folder + "/clock" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? ["?"] }

    @Test("the request is one line, and the camera waits until it was carried out")
    func taken() throws {
        defer { remove() }
        var steps = 0
        let isTaken = SystemClock(path: path).set(unixNanoseconds: 1_796_030_100_000_000_000) {
            steps += 1
            switch steps {
            case 1: #expect((try? String(contentsOfFile: path, encoding: .utf8)) == "1796030100000000000\n")
            case 2: rename(path, path + ".taken")
            case 4: unlink(path + ".taken")
            default: break
            }
        }
        #expect(isTaken)
        #expect(steps == 4)
        #expect(left.isEmpty)
    }

    @Test("nobody can be asked where there is no run directory, or by a camera that is not installed")
    func nobody() {
        defer { remove() }
        #expect(!SystemClock(path: "/no/such/folder/clock").set(unixNanoseconds: 1) { Issue.record("waits") })
        #expect(!SystemClock(state: folder).set(unixNanoseconds: 1) { Issue.record("waits") })
        #expect(left.isEmpty)
    }

    /// Runs the unit's script with a `date` that notes the time to set.
    private func setClock(_ bytes: String, age: TimeInterval = 0) throws -> (
        outcome: CameraProcess.Outcome, set: String?
    ) {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("deploy/usr/libexec/pinhole/set-clock").path
        try """
        #!/bin/sh
        case $1 in
        --set=*) echo "${1#--set=@}" > "\(folder)/set" ;;
        *) exec /bin/date "$@" ;;
        esac
        """.write(toFile: folder + "/date", atomically: true, encoding: .utf8)
        chmod(folder + "/date", 0o755)
        try bytes.write(toFile: path, atomically: true, encoding: .utf8)
        let written = Date(timeIntervalSinceNow: -age)
        try FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: path)
        let outcome = try CameraProcess.run(
            ["PATH=\(folder):/usr/bin:/bin", script, path], program: "/usr/bin/env")
        return (outcome, try? String(contentsOfFile: folder + "/set", encoding: .utf8))
    }

    @Test("the unit sets the requested date, plus the time that has passed since")
    func unit() throws {
        defer { remove() }
        let (outcome, set) = try setClock("1796030100250000000\n", age: 5)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let words = try #require(set).trimmingCharacters(in: .whitespacesAndNewlines)
        let seconds = try #require(Double(words))
        #expect((1_796_030_105.2...1_796_030_125).contains(seconds), "\(words)")
        #expect(words.split(separator: ".").last?.count == 9)
    }

    @Test(
        "the unit refuses whatever is not one date of our time",
        arguments: [
            "", "\n", "1796030100250000000", "1796030100250000000\n\n", "179603010025000000\n0",
            "17960301002500000001\n",
            "+796030100250000000\n", "-796030100250000000\n", "0796030100250000000\n", "1796030100.25000000\n",
            "1796030100250000000;", "$(reboot)0000000000\n", "now and then, maybe.\n", "1577836799999999999\n",
            "4102444800000000000\n", "9999999999999999999\n", "１796030100250000\n",
        ])
    func refused(bytes: String) throws {
        defer { remove() }
        let (outcome, set) = try setClock(bytes)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("nothing was set"))
        #expect(set == nil)
    }

    @Test("the unit refuses a request from long ago or from the future, and a link", arguments: [3600.0, -3600])
    func stale(age: Double) throws {
        defer { remove() }
        let (outcome, set) = try setClock("1796030100250000000\n", age: age)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("too old"))
        #expect(set == nil)
        rename(path, path + ".other")
        symlink(path + ".other", path)
        let script = try CameraProcess.run(
            [path],
            program: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("deploy/usr/libexec/pinhole/set-clock").path)
        #expect(script.status == 65)
        #expect(script.errors.contains("not a regular file"))
    }
}

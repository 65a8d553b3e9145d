import Console
import Foundation
import Testing

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
            #expect(try camera.command("clock", "set", date).status == 0)
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

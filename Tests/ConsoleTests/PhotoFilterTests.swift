import Console
import Platform
import Testing

@Suite("Photo filter")
struct PhotoFilterTests {
    @Test("filters stand alone and in each other")
    func filters() throws {
        let time = try TimeArgument("2026-11-30T09:15:00+01:00")
        #expect(try PhotoFilter("images") == .images)
        #expect(try PhotoFilter("all(raw,not(timelapse))") == .all([.raw, .not(.timelapse)]))
        #expect(try PhotoFilter("since:2026-11-30T09:15:00+01:00") == .since(time))
        #expect(
            try PhotoFilter("all(images,any(bursts,favorites),not(since:2026-11-30T09:15:00+01:00))")
                == .all([.images, .any([.bursts, .favorites]), .not(.since(time))]))
    }

    @Test(
        "what is no filter is refused in one sentence that shows the language",
        arguments: [
            "", "image", "raws", "time-lapse", "images,", "images)", "not", "not()", "not(images", "not(images,bursts)",
            "any", "any()",
            "any(images",
            "any(images,)", "since", "since:", "since:soon", "any (images)", "IMAGES", "\u{1B}[2J",
        ])
    func wrong(text: String) {
        let failure = failureOf { () throws(CommandFailure) in try PhotoFilter(text) }
        #expect(failure?.exit == .usage)
        #expect(failure?.message.unicodeScalars.contains { $0.value < 0x20 } == false)
    }

    @Test("filters nest to a limit and no deeper")
    func nesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "not(", count: depth - 1) + "images" + String(repeating: ")", count: depth - 1)
        }
        _ = try PhotoFilter(nested(PhotoFilter.nestingLimit))
        #expect(throws: CommandFailure.self) { try PhotoFilter(nested(PhotoFilter.nestingLimit + 1)) }
        #expect(throws: CommandFailure.self) { try PhotoFilter(nested(100_000)) }
    }

    @Test("a time without an offset is the camera's local time, one with an offset is not moved")
    func times() throws {
        let local = try TimeArgument("2026-11-30T09:15").wallTime { _ in 3600 }
        #expect(local.rfc3339 == "2026-11-30T09:15:00.000+01:00")
        let fixed = try TimeArgument("2026-11-30T09:15Z").wallTime { _ in 3600 }
        #expect(fixed.rfc3339 == "2026-11-30T09:15:00.000+00:00")
    }
}

import Console
import Testing

@Suite("Text for people")
struct TextRendererTests {
    private static func text(_ record: Record, _ command: Command?) -> String {
        var renderer = TextRenderer(command: command)
        return renderer.text(record)
    }

    @Test("a photo taken is one line with number, path, size and times")
    func saved() {
        let line =
            "saved 100-0001  /state/library/DCIM/100PINHL/PINH0001.JPG  4056x3040  4.2 MB  lag 3.2 ms  durable after 412.5 ms"
        #expect(Self.text(.photo(Examples.photo), .shoot(count: 1, timer: 0)) == line)
        #expect(Self.text(.event(.saved(Examples.photo, time: "t")), nil) == line)
    }

    @Test("a list is a table with one header")
    func list() {
        var renderer = TextRenderer(command: .list(filter: nil, limit: nil))
        var second = Examples.photo
        second.number = "100-0002"
        second.clockTrusted = false
        second.favorite = true
        second.burst = "x"
        let text = renderer.text(.photo(Examples.photo)) + "\n" + renderer.text(.photo(second))
        #expect(
            text == """
                NUMBER    CAPTURED              SIZE         BYTES      MARKS  NAME
                100-0001  2026-11-30 09:15:00   4056x3040    4.2 MB            100PINHL/PINH0001.JPG
                100-0002  2026-11-30 09:15:00?  4056x3040    4.2 MB     *b     100PINHL/PINH0001.JPG
                """)
    }

    @Test("status is a table")
    func status() {
        #expect(
            Self.text(.status(Examples.status), .status) == """
                state            ready
                sensor           simulated
                board            simulated
                led              ready
                library          3 photos, 12.6 MB; 30.0 GB free, about 7142 shots left; 1 in the trash
                presses refused  2
                clock            2026-11-30T09:15:00.000+01:00  (not trusted: `clock set TIME`)
                client shutter   add-only, authorized
                version          0.1.0
                """)
    }

    @Test("an error is one line with its code; several sentences are indented under it")
    func error() {
        #expect(
            Self.text(.error(ErrorRecord(Examples.failure)), .status)
                == "pinhole: no-such-photo: there is no photo 100-0009: `list` shows all.")
        #expect(
            TextRenderer.text(CommandFailure(.configuration, "a:1: x\na:2: y"))
                == "pinhole: configuration: a:1: x\n  a:2: y")
        #expect(TextRenderer.isError(.error(ErrorRecord(Examples.failure))))
    }

    @Test("no text from outside can steer the terminal, in any record", arguments: Examples.all)
    func escapes(record: Record) {
        let hostile: [Unicode.Scalar] = ["\u{1B}", "\u{7}", "\r", "\u{202E}", "\u{9B}", "\u{2028}"]
        let json = record.json.replacing(":\"", with: ":\"\\u001b]0;x\\u0007\\r\\u202e\\u009b\\u2028")
        // Kinds with closed sets of values no longer read; they cannot carry the text either.
        guard let hostileRecord = Record(json: json) else { return }
        for command in [nil, .list(filter: nil, limit: nil), .show(.identifier("")), .events(follow: true), .status]
            as [Command?]
        {
            let text = Self.text(hostileRecord, command)
            #expect(!text.unicodeScalars.contains { hostile.contains($0) })
        }
    }

    @Test("odd numbers and times are shown, not trapped on")
    func odd() {
        var photo = Examples.photo
        photo.bytes = .max
        photo.durableMs = .infinity
        photo.lagUs = .min
        photo.captured = "x"
        for command in [Command.list(filter: nil, limit: nil), .shoot(count: 1, timer: 0), .show(.identifier(""))] {
            #expect(Self.text(.photo(photo), command).contains("100-0001"))
        }
    }
}

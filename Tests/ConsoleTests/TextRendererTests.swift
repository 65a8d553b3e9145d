import Console
import Testing

@Suite("Text for people")
struct TextRendererTests {
    private static func text(_ record: Record, _ command: Command?) -> String {
        var renderer = TextRenderer(command: command, grammar: .withDoor)
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
        var renderer = TextRenderer(command: .list(filter: nil, limit: nil), grammar: .withDoor)
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
                door             is open, 2 wide
                window           -
                presses refused  2
                clock            2026-11-30T09:15:00.000+01:00  (not trusted: `clock set TIME`)
                client shutter   add-only, authorized
                version          0.1.0
                """)
    }

    @Test("what a door answers is its sentence, after the word named like the command")
    func door() {
        let record = Record.door(DoorRecord(["door": .string("open"), "width": .null], message: "come in"))
        #expect(Self.text(record, .door(DoorCommand("door"))) == "open: come in")
        #expect(Self.text(record, nil) == "come in")
    }

    @Test("clients are a table; what was changed about one is a line")
    func clients() {
        var renderer = TextRenderer(command: .clients, grammar: .withDoor)
        let console = ClientRecord(
            name: "console", level: "full", status: "authorized", purpose: nil, addOnly: "authorized",
            readWrite: "authorized")
        #expect(
            renderer.text(.client(console)) + "\n" + renderer.text(.client(Examples.client)) == """
                CLIENT            LEVEL     ADDING          SEEING          SELECTED  PURPOSE
                console           full      authorized      authorized      -         built in
                usb               limited   limited         limited         2         copies photos to a computer
                """)
        #expect(
            Self.text(.client(Examples.client), .allow(client: "usb", .limited))
                == "usb: limited, limited, 2 photos selected")
        #expect(Self.text(.client(console), .revoke(client: "console")) == "console: full, authorized")
    }

    @Test("what is to be picked are rows with a mark, or with the place when the order counts")
    func choices() {
        let picked = Record.choice(ChoiceRecord(choice: 12, position: 2, photo: Examples.photo))
        let row = "100-0001  2026-11-30 09:15:00   4056x3040    4.2 MB            100PINHL/PINH0001.JPG"
        #expect(
            Self.text(picked, .pick(filter: nil, limit: 0, ordered: false)) == """
                ROW          NUMBER    CAPTURED              SIZE         BYTES      MARKS  NAME
                12    [*]    \(row)
                """)
        #expect(Self.text(picked, .pick(filter: nil, limit: 0, ordered: true)).hasSuffix("12    [2]    " + row))
        let other = Record.choice(ChoiceRecord(choice: 1, position: nil, photo: Examples.photo))
        #expect(Self.text(other, .pick(filter: nil, limit: 0, ordered: true)).hasSuffix("1     [ ]    " + row))
    }

    @Test(
        "a console shows who requests what, how to answer, and the answer",
        arguments: [
            (
                EventRecord.prompt(
                    client: "usb", level: "read-write", purpose: "copies photos", seconds: 30, holdMilliseconds: 3000,
                    time: "t"),
                "usb asks to see photos: copies photos. Hold the shutter for 3 s to allow, or type: allow usb"
            ),
            (
                .prompt(
                    client: "usb", level: "add-only", purpose: "Sends photos!", seconds: 30, holdMilliseconds: 2500,
                    time: "t"),
                "usb asks to add photos: Sends photos! Hold the shutter for 2.5 s to allow, or type: allow usb"
            ),
            (
                .prompt(
                    client: "usb", deleting: 1, purpose: "copies", seconds: 20, holdMilliseconds: 3000, time: "t"),
                "usb asks to delete 1 photo: copies. Hold the shutter for 3 s to allow, or type: allow usb"
            ),
            (.promptEnded(client: "usb", answer: "allowed", time: "t"), "usb was answered: allowed"),
            (
                .promptEnded(client: "usb", answer: "unanswered", time: "t"),
                "usb did not get an answer; nothing changes"
            ),
            (.promptEnded(client: "usb", answer: "withdrawn", time: "t"), "usb withdrew its request"),
            (.access(client: "usb", level: "full", status: "authorized", time: "t"), "usb: full, authorized"),
        ])
    func prompts(event: EventRecord, line: String) {
        #expect(Self.text(.event(event), nil) == line)
        #expect(event.name?.isAnnounced == true)
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

import Console

/// One record of each kind, with awkward content.
enum Examples {
    static let photo = PhotoRecord(
        id: "0123456789abcdef0123456789abcdef", number: "100-0001", name: "100PINHL/PINH0001.JPG",
        path: "/state/library/DCIM/100PINHL/PINH0001.JPG", bytes: 4_200_000, width: 4056, height: 3040,
        captured: "2026-11-30T09:15:00.123+01:00", clockTrusted: true, favorite: false,
        resources: [.init(type: "photo", name: "100PINHL/PINH0001.JPG", bytes: 4_200_000)], lagUs: 3210,
        durableMs: 412.5)

    static let status = StatusRecord(
        state: .ready, sensor: "simulated", board: "simulated", led: "ready",
        library: .init(assets: 3, bytes: 12_600_000, freeBytes: 30_000_000_000, shotsLeft: 7142, trash: 1),
        pressesRefused: 2, clock: .init(now: "2026-11-30T09:15:00.000+01:00", trusted: false),
        clients: [.init(name: "shutter", level: "add-only", status: "authorized")],
        doors: ["door": .string("open"), "door_width": .integer(2), "window": .null], version: "0.1.0")

    static let failure = CommandFailure(.noSuchPhoto, "there is no photo 100-0009: `list` shows all.", apple: 3201)

    static let client = ClientRecord(
        name: "usb", level: "limited", status: "limited", purpose: "copies photos to a computer", addOnly: "limited",
        readWrite: "limited", selected: 2)

    static let all: [Record] = [
        .photo(photo), .status(status),
        .verify(VerifyRecord(assets: 3, ok: 1, damaged: 1, missing: 1, adopted: 0, quarantined: 2)),
        .trash(TrashRecord(id: photo.id, number: "100-0002", bytes: 10, deleted: "2026-11-30T09:15:00.123Z")),
        .emptied(EmptiedRecord(emptied: 1, bytes: 10)),
        .press(PressRecord(button: "shutter", pressed: "2026-11-30T09:15:00.123Z", edgeNs: 123_456_789)),
        .client(client),
        .choice(ChoiceRecord(choice: 3, position: nil, photo: photo)),
        .picked(PickedRecord(picked: [photo.id], limit: 2, more: true, message: "1 of at most 2 picked.")),
        .input(InputRecord(input: "pick> ")),
        .event(
            .prompt(
                client: "usb", level: "read-write", purpose: "copies photos", seconds: 30, holdMilliseconds: 3000,
                time: "2026-11-30T09:15:00.623Z")),
        .event(
            .prompt(
                client: "usb", deleting: 3, purpose: "copies photos", seconds: 20, holdMilliseconds: 2500,
                time: "2026-11-30T09:15:00.623Z")),
        .event(.promptEnded(client: "usb", answer: "unanswered", time: "2026-11-30T09:15:00.623Z")),
        .event(.access(client: "usb", level: "full", status: "authorized", time: "2026-11-30T09:15:00.623Z")),
        .setting(SettingRecord(key: "photo.quality", value: .integer(93), source: "default")),
        .setting(SettingRecord(key: "name", value: .string("a\u{1B}[2J/\"b\"\n"), source: "set")),
        .clock(ClockRecord(now: "2026-11-30T09:15:00.123Z", trusted: true, zone: nil, changed: "offset")),
        .door(DoorRecord(["door": .string("shut"), "mode": .null], message: "nobody is at home")),
        .event(
            EventRecord(
                .connected, time: "2026-11-30T09:15:00.623Z",
                fields: ["client": .string("usb"), "message": .string("usb is connected")])),
        .log(LogRecord(time: "2026-11-30T09:15:00.123Z", level: "warning", message: "odd")),
        .event(.saved(photo, time: "2026-11-30T09:15:00.623Z")),
        .event(.failure(.fault, CommandFailure(.storageFull, "the card is full"), time: "2026-11-30T09:15:00.623Z")),
        .doctor(DoctorRecord(check: "libjpeg", result: .warning, detail: "old")),
        .configuration(ConfigurationRecord(file: "/etc/pinhole/pinhole.conf")),
        .version(VersionRecord(version: "0.1.0")),
        .help(HelpRecord(help: "one\n  two")), .error(ErrorRecord(failure)),
    ]
}

extension CommandGrammar {
    /// The core commands with those of a door.
    static let withDoor = CommandGrammar(adding: additions)

    private static var additions: Additions {
        var additions = Additions()
        additions.entries = [
            Entry(
                door: "door", usage: ["door [open] [--slow] [--for S].."], summary: "Open the door.",
                options: [
                    Option(name: "--slow", value: nil, summary: "Take time."),
                    Option(name: "--for", value: "S", summary: "Seconds.", isRepeatable: true),
                ], words: 0...1
            ) { (command) throws(CommandFailure) in
                guard command.words.allSatisfy({ $0 == "open" }) else { throw .usage("door: give open or nothing.") }
            }
        ]
        additions.runOptions = [
            SettingOption(
                Option(name: "--knock", value: "ADDRESS", summary: "Where to knock."), key: "door.address")
        ]
        additions.statusRows = [
            StatusRow("door", keys: ["door", "door_width"]) { fields in
                fields["door"].map { "is \($0), \(fields["door_width"]?.description ?? "?") wide" }
            }
        ]
        additions.sensors = [
            SensorForm("fake", "a test picture"), SensorForm("fake", argument: "DIR", "the photographs in a directory"),
        ]
        return additions
    }
}

import Platform

/// The commands. A command that is not built yet is not listed.
enum CommandTable {
    private typealias Option = CommandGrammar.Option
    private typealias Entry = CommandGrammar.Entry
    private typealias Arguments = CommandGrammar.Arguments

    /// All commands in the order of help.
    static func entries(adding additions: CommandGrammar.Additions) -> [CommandGrammar.Entry] {
        [runEntry(additions.runOptions, additions.sensors)] + photoCommands + additions.entries + cameraCommands
    }

    private static func runEntry(
        _ settingOptions: [CommandGrammar.SettingOption], _ sensors: [CommandGrammar.SensorForm]
    ) -> Entry {
        let sensorNames = (["auto"] + sensors.map(\.usage)).joined(separator: "|")
        let sensorSummaries = sensors.map { "; \($0.usage): \($0.summary)" }.joined()
        let added = settingOptions.map(\.option)
        let addedUsage = added.map { " [\($0.name) \($0.value ?? "")]" }.joined()
        return Entry(
            name: "run",
            usage: [
                "run [--config FILE] [--board NAME] [--sensor \(sensorNames)] [--console stdio|none|TTYPATH] [--press-at-start] [--set KEY=VALUE]..\(addedUsage)"
            ],
            summary: "Run the camera until a signal or, with --console stdio, until the end of input.",
            detail: "Before it stops, it finishes the photos and commands in progress.",
            options: [
                Option(name: "--config", value: "FILE", summary: "Use this configuration file."),
                Option(
                    name: "--board", value: "NAME",
                    summary:
                        "Use the wiring of this board, in share/pinhole/board/NAME/board.conf (default: simulated with a simulated sensor, otherwise generic)."
                ),
                Option(
                    name: "--sensor", value: "SENSOR",
                    summary: "auto: the first camera found (default)\(sensorSummaries)."),
                Option(
                    name: "--console", value: "CONSOLE",
                    summary:
                        "Open a console on this terminal (stdio), on the terminal device at this path, or nowhere (none)."
                ),
                Option(
                    name: "--press-at-start", value: nil, summary: "Press the shutter once when the camera is ready."),
                Option(
                    name: "--set", value: "KEY=VALUE",
                    summary:
                        "Override one setting for this run; can be repeated.",
                    isRepeatable: true),
            ] + added,
            words: 0...0, place: .shell,
            build: { (a) throws(CommandFailure) in try run(a, settingOptions, sensors) })
    }

    private static let photoCommands: [Entry] = [
        Entry(
            name: "status", usage: ["status"], summary: "Show the camera's status.", detail: "", options: [],
            words: 0...0, place: .anywhere, build: { (_) throws(CommandFailure) in .status }),
        Entry(
            name: "shoot", usage: ["shoot [--count N] [--timer S]"],
            summary: "Take photos and return when they are durable.", detail: "",
            options: [
                Option(name: "--count", value: "N", summary: "Number of photos, 1 to 999 (default 1)."),
                Option(name: "--timer", value: "S", summary: "Seconds before the first photo, 0 to 3600 (default 0)."),
            ], words: 0...0, place: .anywhere,
            build: { (a) throws(CommandFailure) in
                .shoot(count: try a.integer("--count", 1...999) ?? 1, timer: try a.number("--timer", 0...3600) ?? 0)
            }),
        Entry(
            name: "press", usage: ["press [shutter|focus] [--hold MS] [--bounce MS]"],
            summary: "Press a button of the simulated board and return when the camera has received the press.",
            detail: "",
            options: [
                Option(
                    name: "--hold", value: "MS",
                    summary: "Hold the button for this many milliseconds, 1 to 60000 (default 100)."),
                Option(
                    name: "--bounce", value: "MS",
                    summary: "Let the contact bounce for this many milliseconds, 0 to 100 (default 0)."),
            ], words: 0...1, place: .anywhere, build: press),
        Entry(
            name: "list", usage: ["list [--filter F] [--limit N]"], summary: "List photos, newest first.",
            detail: "F is \(PhotoFilter.syntax); TIME looks like 2026-11-30 or 2026-11-30T09:15.",
            options: [
                Option(name: "--filter", value: "F", summary: "Only photos that match the filter."),
                Option(name: "--limit", value: "N", summary: "At most this many photos."),
            ], words: 0...0, place: .anywhere,
            build: { (a) throws(CommandFailure) in
                .list(filter: try a.filter(), limit: try a.integer("--limit", 1...10_000_000))
            }),
        Entry(
            name: "show", usage: ["show ID"], summary: "Show all details of a photo.",
            detail: "ID is a number (100-0001) or an identifier (32 hexadecimal digits).", options: [],
            words: 1...1, place: .anywhere,
            build: { (a) throws(CommandFailure) in .show(try PhotoReference(a.words[0])) }),
        Entry(
            name: "delete", usage: ["delete ID.."], summary: "Move photos to the trash.", detail: "", options: [],
            words: 1...1000, place: .anywhere, build: { (a) throws(CommandFailure) in .delete(try a.photos()) }),
        Entry(
            name: "restore", usage: ["restore ID.."], summary: "Move photos back from the trash.", detail: "",
            options: [], words: 1...1000, place: .anywhere,
            build: { (a) throws(CommandFailure) in .restore(try a.photos()) }),
        Entry(
            name: "trash", usage: ["trash [--empty]"],
            summary: "List the photos in the trash, or remove them permanently.",
            detail: "", options: [Option(name: "--empty", value: nil, summary: "Remove the photos permanently.")],
            words: 0...0, place: .anywhere,
            build: { (a) throws(CommandFailure) in .trash(empty: a.has("--empty")) }),
        Entry(
            name: "favorite", usage: ["favorite ID [--off]"], summary: "Mark a photo as a favorite.", detail: "",
            options: [Option(name: "--off", value: nil, summary: "Remove the mark.")], words: 1...1,
            place: .anywhere,
            build: { (a) throws(CommandFailure) in .favorite(try PhotoReference(a.words[0]), on: !a.has("--off")) }),
        Entry(
            name: "pick", usage: ["pick [--filter F] [--limit N] [--ordered]"], summary: "Pick photos from a list.",
            detail:
                "Numbers and ranges (1-3 7) pick and unpick rows, n shows the next page, an empty line finishes, q cancels. F is as for `list`.",
            options: [
                Option(name: "--filter", value: "F", summary: "Only photos that match the filter."),
                Option(
                    name: "--limit", value: "N",
                    summary: "At most this many photos, or 0 for no limit (default 1)."),
                Option(
                    name: "--ordered", value: nil,
                    summary: "Return the photos in the order you pick them, not in list order."),
            ], words: 0...0, place: .anywhere,
            build: { (a) throws(CommandFailure) in
                .pick(
                    filter: try a.filter(), limit: try a.integer("--limit", 0...10_000_000) ?? 1,
                    ordered: a.has("--ordered"))
            }),
        Entry(
            name: "clients", usage: ["clients"], summary: "List the clients and their access to the library.",
            detail: "",
            options: [], words: 0...0, place: .anywhere, build: { (_) throws(CommandFailure) in .clients }),
        Entry(
            name: "allow", usage: ["allow CLIENT [add-only|limited|full]"],
            summary: "Allow a client's request, or set its access.",
            detail:
                "With add-only the client can add photos; with limited it can also see and change the photos you `select`; with full it can see and change all photos. Without a level, the command answers the client's prompt as if you held the button, or grants add-only if there is no prompt.",
            options: [], words: 1...2, place: .anywhere, build: allow),
        Entry(
            name: "deny", usage: ["deny CLIENT"], summary: "Deny a client's request, or remove its access.",
            detail: "The client cannot ask again until you `allow` or `revoke` it.", options: [], words: 1...1,
            place: .anywhere, build: { (a) throws(CommandFailure) in .deny(client: try a.client()) }),
        Entry(
            name: "revoke", usage: ["revoke CLIENT"], summary: "Forget the decision about a client.",
            detail: "The client then has no access until it asks again and you allow it.", options: [], words: 1...1,
            place: .anywhere, build: { (a) throws(CommandFailure) in .revoke(client: try a.client()) }),
        Entry(
            name: "select", usage: ["select CLIENT add|remove ID.."],
            summary: "Change which photos a client with limited access sees.", detail: "", options: [], words: 3...1000,
            place: .anywhere, build: select),
    ]

    private static let cameraCommands: [Entry] = [
        Entry(
            name: "get", usage: ["get [KEY]"], summary: "Show one setting, or all settings.", detail: "", options: [],
            words: 0...1, place: .anywhere, build: { (a) throws(CommandFailure) in .get(key: a.words.first) }),
        Entry(
            name: "set", usage: ["set KEY VALUE", "set --reset [KEY]"],
            summary: "Change a setting, or return to the configuration's values.", detail: "",
            options: [
                Option(
                    name: "--reset", value: nil, summary: "Reset the setting KEY, or all settings if KEY is missing.")
            ],
            words: 0...2, place: .anywhere, build: set),
        Entry(
            name: "clock", usage: ["clock [set TIME]"], summary: "Show or set the clock.",
            detail:
                "TIME looks like 2026-11-30T09:15; without an offset it is local time. Setting the clock marks it as trusted.",
            options: [], words: 0...2, place: .anywhere, build: clock),
        Entry(
            name: "log", usage: ["log [--follow]"], summary: "Show the log.", detail: "",
            options: [Option(name: "--follow", value: nil, summary: "Continue until ^C.")], words: 0...0,
            place: .anywhere, build: { (a) throws(CommandFailure) in .log(follow: a.has("--follow")) }),
        Entry(
            name: "events", usage: ["events [--follow]"], summary: "Show recent events.", detail: "",
            options: [Option(name: "--follow", value: nil, summary: "Continue until ^C.")], words: 0...0,
            place: .anywhere, build: { (a) throws(CommandFailure) in .events(follow: a.has("--follow")) }),
        Entry(
            name: "verify", usage: ["verify"], summary: "Check every photo against the catalog.",
            detail:
                "If no camera is running, it first recovers interrupted changes. The exit status is 65 if a photo is damaged or missing.",
            options: [], words: 0...0, place: .standAlone, build: { (_) throws(CommandFailure) in .verify }),
        Entry(
            name: "doctor", usage: ["doctor"], summary: "Check the hardware and software the camera needs.",
            detail: "", options: [], words: 0...0, place: .standAlone,
            build: { (_) throws(CommandFailure) in .doctor }),
        Entry(
            name: "gadget", usage: ["gadget up|down"],
            summary: "Set up the USB gadget for the camera, or remove it.",
            detail: "Needs root; pinhole-usb.service runs it. The camera connects and disconnects the gadget.",
            options: [],
            words: 1...1, place: .shell,
            build: { (a) throws(CommandFailure) in
                guard let step = Command.Gadget(rawValue: a.words[0]) else {
                    throw .usage("gadget takes up or down, not \"\(TerminalText.escaped(a.words[0]))\".")
                }
                return .gadget(step)
            }),
        Entry(
            name: "check-config", usage: ["check-config FILE"], summary: "Check a configuration file.", detail: "",
            options: [], words: 1...1, place: .standAlone,
            build: { (a) throws(CommandFailure) in .checkConfiguration(file: a.words[0]) }),
        Entry(
            name: "version", usage: ["version"], summary: "Show the version.", detail: "", options: [], words: 0...0,
            place: .standAlone, build: { (_) throws(CommandFailure) in .version }),
        Entry(
            name: "help", usage: ["help [COMMAND]"], summary: "List the commands, or explain one.", detail: "",
            options: [], words: 0...1, place: .standAlone,
            build: { (a) throws(CommandFailure) in .help(topic: a.words.first) }),
        Entry(
            name: "exit", usage: ["exit"], summary: "End this console session, like the end of input.",
            detail: "", options: [], words: 0...0, place: .console,
            build: { (_) throws(CommandFailure) in .exit }),
    ]

    private static func run(
        _ arguments: Arguments, _ settingOptions: [CommandGrammar.SettingOption], _ sensors: [CommandGrammar.SensorForm]
    ) throws(CommandFailure) -> Command {
        var options = RunOptions()
        options.configuration = arguments.value("--config")
        options.board = arguments.value("--board")
        if let board = options.board, !isBoardName(board) {
            throw .usage("run: \"\(TerminalText.escaped(board))\" is not a board name: use a name such as pi4.")
        }
        if let text = arguments.value("--sensor") { options.sensor = try sensor(text, sensors) }
        if let text = arguments.value("--console") {
            switch text {
            case "stdio": options.console = .stdio
            case "none": options.console = RunOptions.ConsoleChoice.none
            case _ where text.hasPrefix("/"): options.console = .terminal(path: text)
            default:
                throw .usage(
                    "run: there is no console \"\(TerminalText.escaped(text))\": give stdio, none or a path such as /dev/ttyGS0."
                )
            }
        }
        options.pressAtStart = arguments.has("--press-at-start")
        for assignment in arguments.options["--set"] ?? [] {
            guard let equals = assignment.firstIndex(of: "=") else {
                throw .usage(
                    "run: --set takes a key and a value, as in --set photo.quality=80, not \"\(TerminalText.escaped(assignment))\"."
                )
            }
            options.settings.append(
                .init(
                    key: String(assignment[..<equals]), value: String(assignment[assignment.index(after: equals)...])))
        }
        for added in settingOptions {
            if let value = arguments.value(added.option.name) {
                options.settings.append(.init(key: added.key, value: value))
            }
        }
        return .run(options)
    }

    private static func sensor(
        _ text: String, _ forms: [CommandGrammar.SensorForm]
    ) throws(CommandFailure) -> RunOptions.Sensor {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let sensor = RunOptions.Sensor(parts[0], argument: parts.count > 1 ? parts[1] : nil)
        let isKnown = forms.contains { $0.name == sensor.name && ($0.argument == nil) == (sensor.argument == nil) }
        guard sensor == .auto || isKnown, sensor.argument != "" else {
            let names = (["auto"] + forms.map(\.usage))
            let list = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
            throw .usage("run: there is no sensor \"\(TerminalText.escaped(text))\": give \(list).")
        }
        return sensor
    }

    /// A name that stays inside the folder of boards.
    private static func isBoardName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static let press: @Sendable (Arguments) throws(CommandFailure) -> Command = {
        (arguments) throws(CommandFailure) in
        let name = arguments.words.first ?? Command.Button.shutter.rawValue
        guard let button = Command.Button(rawValue: name) else {
            throw .usage("press: there is no button \"\(TerminalText.escaped(name))\": give shutter or focus.")
        }
        return .press(
            button, holdMilliseconds: try arguments.integer("--hold", 1...60_000) ?? 100,
            bounceMilliseconds: try arguments.integer("--bounce", 0...100) ?? 0)
    }

    private static let allow: @Sendable (Arguments) throws(CommandFailure) -> Command = {
        (arguments) throws(CommandFailure) in
        let client = try arguments.client()
        guard let word = arguments.words.dropFirst().first else { return .allow(client: client, nil) }
        guard let level = ClientLevel(rawValue: word), level != .nothing else {
            throw .usage(
                "allow: there is no level \"\(TerminalText.escaped(word))\": give add-only, limited or full.")
        }
        return .allow(client: client, level)
    }

    private static let select: @Sendable (Arguments) throws(CommandFailure) -> Command = {
        (arguments) throws(CommandFailure) in
        let client = try arguments.client()
        guard let word = arguments.words.dropFirst().first, let selection = Command.Selection(rawValue: word) else {
            throw .usage("select: give add or remove after the client, as in `select \(client) add 100-0001`.")
        }
        return .select(client: client, selection, try arguments.photos(after: 2))
    }

    private static let set: @Sendable (Arguments) throws(CommandFailure) -> Command = {
        (arguments) throws(CommandFailure) in
        let isReset = arguments.has("--reset")
        switch (isReset, arguments.words.count) {
        case (true, 0), (true, 1): return .reset(key: arguments.words.first)
        case (false, 2): return .set(key: arguments.words[0], value: arguments.words[1])
        default: throw .usage("set: give a key and a value, or --reset with or without a key.")
        }
    }

    private static let clock: @Sendable (Arguments) throws(CommandFailure) -> Command = {
        (arguments) throws(CommandFailure) in
        guard let verb = arguments.words.first else { return .clock(.show) }
        guard verb == "set", arguments.words.count == 2 else {
            throw .usage("clock: give nothing, or `set` and a time, as in `clock set 2026-11-30T09:15`.")
        }
        return .clock(.set(try TimeArgument(arguments.words[1])))
    }
}

import Console
import Testing

@Suite("Command grammar")
struct CommandGrammarTests {
    private static func parse(_ line: String, console: Bool = false) throws(CommandFailure) -> Command {
        try CommandGrammar.withDoor.parse(try Tokenizer.words(line), console: console).command
    }

    @Test("every command is read with its options")
    func commands() throws {
        let identifier = "0123456789abcdef0123456789ABCDEF"
        let photo = try PhotoReference("100-0001")
        let cases: [(String, Command)] = [
            ("status", .status), ("shoot", .shoot(count: 1, timer: 0)),
            ("shoot --count 3 --timer 2.5", .shoot(count: 3, timer: 2.5)),
            ("shoot --count=2", .shoot(count: 2, timer: 0)),
            ("press", .press(.shutter, holdMilliseconds: 100, bounceMilliseconds: 0)),
            ("press focus --hold 700 --bounce 5", .press(.focus, holdMilliseconds: 700, bounceMilliseconds: 5)),
            ("list", .list(filter: nil, limit: nil)),
            ("list --limit 2 --filter not(favorites)", .list(filter: .not(.favorites), limit: 2)),
            ("show 100-0001", .show(photo)), ("show \(identifier)", .show(.identifier(identifier.lowercased()))),
            ("delete 100-0001 999-9999", .delete([photo, .number(directory: 999, file: 9999)])),
            ("restore 100-0001", .restore([photo])), ("trash", .trash(empty: false)),
            ("trash --empty", .trash(empty: true)),
            ("favorite 100-0001", .favorite(photo, on: true)), ("favorite --off 100-0001", .favorite(photo, on: false)),
            ("clients", .clients), ("allow usb", .allow(client: "usb", nil)),
            ("allow share:anna add-only", .allow(client: "share:anna", .addOnly)),
            ("allow a limited", .allow(client: "a", .limited)), ("allow a full", .allow(client: "a", .full)),
            ("deny usb", .deny(client: "usb")), ("revoke web:1", .revoke(client: "web:1")),
            ("select usb add 100-0001", .select(client: "usb", .add, [photo])),
            (
                "select usb remove 100-0001 \(identifier)",
                .select(client: "usb", .remove, [photo, .identifier(identifier.lowercased())])
            ),
            ("pick", .pick(filter: nil, limit: 1, ordered: false)),
            (
                "pick --ordered --limit 0 --filter any(raw,timelapse)",
                .pick(filter: .any([.raw, .timelapse]), limit: 0, ordered: true)
            ),
            ("get", .get(key: nil)), ("get photo.quality", .get(key: "photo.quality")),
            ("set a.b -1", .set(key: "a.b", value: "-1")), ("set a -- --x", .set(key: "a", value: "--x")),
            ("set --reset", .reset(key: nil)), ("set --reset a.b", .reset(key: "a.b")), ("clock", .clock(.show)),
            ("clock set 2026-11-30", .clock(.set(try TimeArgument("2026-11-30")))),
            ("log --follow", .log(follow: true)),
            ("events", .events(follow: false)), ("verify", .verify), ("doctor", .doctor),
            ("door", .door(DoorCommand("door"))),
            (
                "door open --slow --for 2 --for=3",
                .door(DoorCommand("door", words: ["open"], options: ["--slow": [""], "--for": ["2", "3"]]))
            ),
            ("gadget up", .gadget(.up)), ("gadget down", .gadget(.down)),
            ("check-config a.conf", .checkConfiguration(file: "a.conf")), ("version", .version),
            ("help", .help(topic: nil)), ("help list", .help(topic: "list")), ("list --help", .help(topic: "list")),
            ("--help", .help(topic: nil)), ("-h", .help(topic: nil)),
            ("run", .run(RunOptions())),
            (
                "run --config c --board simulated --sensor fake:/p:q --console /dev/ttyGS0 --press-at-start",
                .run(
                    RunOptions(
                        configuration: "c", board: "simulated", sensor: .init("fake", argument: "/p:q"),
                        console: .terminal(path: "/dev/ttyGS0"), pressAtStart: true))
            ),
            (
                "run --set a.b=1 --knock 127.0.0.1:15740 --set=c.d=x=y",
                .run(
                    RunOptions(settings: [
                        .init(key: "a.b", value: "1"), .init(key: "c.d", value: "x=y"),
                        .init(key: "door.address", value: "127.0.0.1:15740"),
                    ]))
            ),
            (
                "run --sensor fake --console none",
                .run(RunOptions(sensor: .init("fake"), console: RunOptions.ConsoleChoice.none))
            ),
        ]
        for (line, command) in cases {
            #expect(try Self.parse(line) == command, "\(line)")
        }
        let read = Set(cases.map { $0.0.split(separator: " ").first.map(String.init) ?? "" })
        let missing = CommandGrammar.withDoor.names.filter { !read.contains($0) && $0 != "exit" }
        #expect(missing.isEmpty, "a command without a case here")
    }

    @Test("global options stand before or after the command")
    func globals() throws {
        let before = try CommandGrammar.withDoor.parse(["--json", "--state", "/s", "list"], console: false)
        let after = try CommandGrammar.withDoor.parse(["list", "--state=/s", "--json"], console: false)
        #expect(before == after)
        #expect(before.json && before.state == "/s")
        #expect(try CommandGrammar.withDoor.parse(["list", "--json"], console: true).json)
    }

    @Test(
        "wrong usage is refused with 64",
        arguments: [
            "", "--json", "--state", "--state=", "--state a --state b list", "shoot --count 0", "shoot --count 1000",
            "shoot --count two", "shoot --count", "shoot --count --timer 2", "shoot --count 1 --count 2", "shoot 3",
            "shoot --timer nan", "shoot --timer -1", "shoot --timer 3601", "shoot --count 99999999999999999999",
            "press trigger", "press --hold 0", "press shutter focus", "list --filter", "list --limit 0",
            "list --json=1",
            "show", "show 1", "show 100-0000", "show 099-0001", "show 100-00011", "show 100-0001 100-0002",
            "show ١٠٠-٠٠٠١",
            "show 0123456789abcdef0123456789abcdeg", "delete", "trash --empty=1", "favorite", "get a b", "set", "set a",
            "set a b c", "set --reset a b", "clock set", "clock show", "clock set tomorrow", "clock set 9999-01-01",
            "clients usb", "allow", "allow usb all", "allow usb none", "allow usb full now", "allow USB", "deny",
            "deny 'a b'",
            "revoke ''",
            "select usb", "select usb add", "select usb 100-0001", "select usb drop 100-0001", "select usb add 1",
            "pick 1", "pick --limit -1", "pick --filter raws", "pick --ordered=1",
            "run now",
            "run --sensor telescope", "run --sensor fake:", "run --sensor auto:x", "run --set a",
            "run --knock 1 --knock 2",
            "door shut", "door open wide", "door --for", "run --board ../pi", "run --console tty",
            "check-config",
            "help nothing", "exit", "list -x", "-x",
        ])
    func wrong(line: String) {
        let failure = failureOf { () throws(CommandFailure) in try Self.parse(line) }
        #expect(failure?.exit == .usage)
        #expect(failure?.code == "usage")
        #expect(failure?.message.contains("\n") == false)
    }

    @Test(
        "what was probably meant is named",
        arguments: [
            ("lsit", "`list`"), ("statsu", "`status`"), ("favourite 100-0001", "`favorite`"),
            ("check-conf x", "`check-config`"),
            ("shoot --cuont 2", "--count"), ("list --flter x", "--filter"), ("list --jsn", "--json"),
            ("help lst", "`list`"), ("dor", "`door`"), ("door --slwo", "--slow"), ("run --knok 1", "--knock"),
        ])
    func suggestions(line: String, suggestion: String) {
        let failure = failureOf { () throws(CommandFailure) in try Self.parse(line) }
        #expect(failure?.message.contains("Did you mean \(suggestion)?") == true, "\(failure?.message ?? "")")
    }

    @Test("a word like no command gets no guess, however long it is")
    func noGuess() {
        for word in ["zzzzzz", String(repeating: "a", count: 100_000)] {
            let failure = failureOf { () throws(CommandFailure) in try Self.parse(word) }
            #expect(failure?.message.contains("Did you mean") == false)
        }
    }

    @Test("a console takes exit, and neither run nor --state")
    func console() throws {
        #expect(try Self.parse("exit", console: true) == .exit)
        #expect(throws: CommandFailure.self) { try Self.parse("run", console: true) }
        #expect(throws: CommandFailure.self) { try Self.parse("status --state /s", console: true) }
    }

    @Test("help names every command of its place, and explains each with its options")
    func help() {
        let shell = CommandGrammar.withDoor.help(nil, console: false)
        for name in CommandGrammar.withDoor.names where name != "exit" { #expect(shell.contains("  \(name) ")) }
        #expect(!shell.contains("  exit "))
        let console = CommandGrammar.withDoor.help(nil, console: true)
        #expect(console.contains("  exit ") && !console.contains("  run "))
        for name in CommandGrammar.withDoor.names {
            guard let entry = CommandGrammar.withDoor.entry(name) else { continue }
            let text = CommandGrammar.withDoor.help(name, console: false)
            #expect(text.contains(entry.summary))
            for option in entry.options {
                #expect(text.contains(option.name))
                #expect(entry.usage.joined().contains(option.name + (option.value.map { _ in " " } ?? "")))
            }
        }
    }

    @Test(
        "nothing that is not built is in help",
        arguments: ["share", "web", "--raw"])
    func unbuilt(word: String) {
        let all = ([nil] + CommandGrammar.withDoor.names.map { $0 }).map {
            CommandGrammar.withDoor.help($0, console: false)
        }
        #expect(!all.joined(separator: " ").split(whereSeparator: { " \n[]|".contains($0) }).contains { $0 == word })
    }

    @Test("random words never crash the parser", arguments: 0..<20 as Range<Int>)
    func randomWords(seed: Int) {
        let words = [
            "--", "--json", "--state", "list", "--filter", "any(", "set", "-1", "--count", "=", "--=", "", "'", "a=b",
            "📷", "-",
        ]
        var state = UInt64(seed) &* 2_654_435_761 &+ 1
        for _ in 0..<300 {
            var line: [String] = []
            for _ in 0..<(state >> 33) % 6 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                line.append(words[Int((state >> 33) % UInt64(words.count))])
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            do throws(CommandFailure) {
                _ = try CommandGrammar.withDoor.parse(line, console: seed.isMultiple(of: 2))
            } catch {
                #expect(error.exit == .usage)
            }
        }
    }
}

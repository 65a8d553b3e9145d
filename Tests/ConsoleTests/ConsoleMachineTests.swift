import Console
import Testing

@Suite("Conversation on a console")
struct ConsoleMachineTests {
    /// Runs a machine and gathers what it does.
    private struct Conversation {
        var machine: ConsoleMachine
        var shown = ""
        var started: [Command] = []
        var lines: [String?] = []
        var cancelled: [Int] = []
        var ends = 0

        init(edits: Bool, json: Bool = false) {
            machine = ConsoleMachine(edits: edits, json: json, grammar: .withDoor)
            take(.opened)
            if edits { shown = "" }
        }

        mutating func take(_ event: ConsoleMachine.Event) {
            for action in machine.handle(event) {
                switch action {
                case .write(let bytes): shown += String(decoding: bytes, as: UTF8.self)
                case .offer(let record, _): shown += record.json + "\n"
                case .start(let command, let number):
                    started.append(command)
                    #expect(number == started.count)
                case .line(let line, let number):
                    lines.append(line)
                    #expect(number == started.count)
                case .cancel(let number): cancelled.append(number)
                case .end: ends += 1
                }
            }
        }

        mutating func type(_ text: String) { take(.bytes(Array(text.utf8))) }
    }

    private static let saved = EventRecord.saved(Examples.photo, time: "t")
    private static let prompt = "\r\u{1B}[Kpinhole> "

    @Test("a command is typed, runs, answers, and the prompt comes back")
    func command() {
        var console = Conversation(edits: true)
        console.type("version\r")
        #expect(console.started == [.version])
        console.take(.record(.version(VersionRecord(version: "1")), command: 1))
        console.take(.finished(command: 1))
        #expect(console.shown == "version\npinhole 1\n" + Self.prompt)
    }

    @Test("commands typed ahead run one after another")
    func typedAhead() {
        var console = Conversation(edits: false)
        console.type("status\nlist\n\nversion")
        #expect(console.started == [.status])
        console.take(.finished(command: 1))
        #expect(console.started.count == 2)
        console.take(.finished(command: 2))
        #expect(console.started.count == 2)
        console.take(.inputEnded)
        #expect(console.started.last == .version)
        #expect(console.ends == 0)
        console.take(.finished(command: 3))
        #expect(console.ends == 1)
    }

    @Test("^C cancels the running command, forgets typed-ahead text, and returns to the prompt at once")
    func interrupt() {
        var console = Conversation(edits: true)
        console.type("events --follow\rlist\r")
        console.type("status\r\u{3}vers")
        #expect(console.cancelled == [1])
        console.type("ion\r")
        #expect(console.started == [.events(follow: true), .version])
        // The canceled command may say that it has ended, late or never.
        console.take(.finished(command: 1))
        console.type("status\r")
        #expect(console.started.count == 2)
        console.take(.finished(command: 2))
        #expect(console.started.last == .status)
    }

    @Test("a line that a command asks for goes to the command, behind the command's prompt")
    func askedLine() {
        var console = Conversation(edits: true)
        console.type("pick\r")
        console.shown = ""
        console.take(.lineWanted(prompt: "pick> ", command: 1))
        console.type("1-33\u{7F}\r")
        #expect(console.lines == ["1-3"] && console.started.count == 1)
        #expect(console.shown.hasPrefix("\r\u{1B}[Kpick> 1-33") && console.shown.hasSuffix("1-3\n"))
        console.shown = ""
        console.take(.finished(command: 1))
        #expect(console.shown == Self.prompt)
        console.type("\u{1B}[A")
        #expect(console.shown.hasSuffix("pinhole> pick"))
    }

    @Test("lines typed ahead are taken as they are asked for")
    func askedLineTypedAhead() {
        var console = Conversation(edits: true)
        console.type("pick\r1\r\rversion\r")
        #expect(console.lines.isEmpty)
        console.take(.lineWanted(prompt: "> ", command: 1))
        #expect(console.lines == ["1"])
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.take(.finished(command: 1))
        #expect(console.lines == ["1", ""] && console.started.last == .version)
    }

    @Test("what happens while a line is typed is shown above it, the command's records as well")
    func askedLineInterrupted() {
        var console = Conversation(edits: true)
        console.type("pick\r")
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.type("1")
        console.shown = ""
        console.take(.announce(Self.saved))
        #expect(console.shown.hasPrefix("\r\u{1B}[Ksaved 100-0001") && console.shown.hasSuffix("\n> 1"))
        console.shown = ""
        console.take(.record(.version(VersionRecord(version: "1")), command: 1))
        #expect(console.shown == "\r\u{1B}[Kpinhole 1\n> 1")
    }

    @Test("^C in a line that is asked for cancels the command, ^D ends its input only")
    func askedLineCancelled() {
        var console = Conversation(edits: true)
        console.type("pick\r")
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.type("1\u{3}version\r")
        #expect(console.cancelled == [1] && console.lines.isEmpty && console.started.last == .version)
        console.take(.finished(command: 2))
        console.type("pick\r")
        console.take(.lineWanted(prompt: "> ", command: 3))
        console.type("\u{4}")
        #expect(console.lines == [nil] && console.ends == 0)
        console.take(.finished(command: 3))
        console.type("version\r")
        #expect(console.started.count == 4)
    }

    @Test("^C typed ahead together with a command cancels it")
    func interruptTypedAhead() {
        var console = Conversation(edits: true)
        console.type("pick\r1\r\u{3}version\r")
        #expect(console.cancelled == [1] && console.started.last == .version && console.lines.isEmpty)
    }

    @Test("a command that ends while its line is typed leaves no trace of it")
    func askedLineAbandoned() {
        var console = Conversation(edits: true)
        console.type("pick\r")
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.type("12")
        console.shown = ""
        console.take(.finished(command: 1))
        #expect(console.shown == Self.prompt)
        console.type("version\r")
        #expect(console.started.last == .version && console.lines.isEmpty)
    }

    @Test("a line that is too long is reported and requested again")
    func askedLineTooLong() {
        var console = Conversation(edits: true)
        console.type("pick\r")
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.type(String(repeating: "x", count: 2000) + "\r")
        #expect(console.shown.contains("pinhole: usage: ") && console.shown.hasSuffix("> "))
        console.type("7\r")
        #expect(console.lines == ["7"])
    }

    @Test("the end of a pipe is the end of what a command can ask for")
    func askedLineEnd() {
        var console = Conversation(edits: false)
        console.type("pick\n1\n2")
        console.take(.inputEnded)
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.take(.lineWanted(prompt: "> ", command: 1))
        console.take(.lineWanted(prompt: "> ", command: 1))
        #expect(console.lines == ["1", "2", nil] && console.ends == 0)
        console.take(.finished(command: 1))
        #expect(console.ends == 1 && console.shown.isEmpty)
    }

    @Test("the end of input comes once, after the running command")
    func endOfInput() {
        var console = Conversation(edits: false)
        console.type("shoot\n")
        console.take(.inputEnded)
        #expect(console.ends == 0)
        console.take(.finished(command: 1))
        console.take(.inputEnded)
        #expect(console.ends == 1)
    }

    @Test("empty input ends at once")
    func emptyInput() {
        var console = Conversation(edits: false)
        console.take(.inputEnded)
        #expect(console.ends == 1 && console.shown.isEmpty)
    }

    @Test("`exit` and ^D end the session", arguments: ["exit\r", "\u{4}"])
    func exit(typed: String) {
        var console = Conversation(edits: true)
        console.type(typed)
        console.type("list\r")
        #expect(console.ends == 1 && console.started.isEmpty)
    }

    @Test("a photo saved by the button is shown above the line being typed")
    func announcement() {
        var console = Conversation(edits: true)
        console.type("li")
        console.shown = ""
        console.take(.announce(Self.saved))
        #expect(console.shown.hasPrefix("\r\u{1B}[Ksaved 100-0001"))
        #expect(console.shown.hasSuffix("\npinhole> li"))
    }

    @Test("a photo saved after the end of input is still shown")
    func announcementAfterEnd() {
        var console = Conversation(edits: false)
        console.take(.inputEnded)
        console.take(.announce(Self.saved))
        #expect(console.shown.hasPrefix("saved 100-0001"))
        #expect(console.shown.hasSuffix("ms\n"))
    }

    @Test("`shoot` shows its own photo once, and another photo saved meanwhile as well")
    func ownPhoto() {
        var console = Conversation(edits: false)
        var other = Examples.photo
        other.id = "ffffffffffffffffffffffffffffffff"
        other.number = "100-0002"
        console.type("shoot\n")
        console.take(.announce(Self.saved))
        console.take(.announce(.saved(other, time: "t")))
        console.take(.record(.photo(Examples.photo), command: 1))
        console.take(.finished(command: 1))
        let lines = console.shown.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("saved 100-0001") == true && lines.last?.hasPrefix("saved 100-0002") == true)
    }

    @Test("events that are followed are not announced again")
    func following() {
        var console = Conversation(edits: true)
        console.type("events --follow\r")
        console.shown = ""
        console.take(.offer(.event(Self.saved), command: 1))
        console.take(.announce(Self.saved))
        #expect(console.shown == Record.event(Self.saved).json + "\n")
    }

    @Test("a wrong line is reported and nothing runs; with --json the report is JSON")
    func wrong() {
        var console = Conversation(edits: false)
        console.type("lst\nlist --json --limt 2\n'\n" + String(repeating: "x", count: 2000) + "\n")
        let lines = console.shown.split(separator: "\n")
        #expect(console.started.isEmpty)
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("pinhole: usage: ") == true)
        #expect(lines.dropFirst().first.flatMap { Record(json: String($0)) } != nil)
    }

    @Test("a console in JSON writes nothing else")
    func json() {
        var console = Conversation(edits: false, json: true)
        console.type("version\n")
        console.take(.record(.version(VersionRecord(version: "1")), command: 1))
        console.take(.finished(command: 1))
        console.take(.announce(Self.saved))
        console.type("nonsense\n")
        #expect(console.shown.split(separator: "\n").compactMap { Record(json: String($0)) }.count == 3)
    }

    @Test("what an earlier command still says is not shown")
    func lateRecords() {
        var console = Conversation(edits: false)
        console.type("status\nversion\n")
        console.take(.finished(command: 1))
        console.take(.record(.version(VersionRecord(version: "late")), command: 1))
        console.take(.finished(command: 1))
        #expect(console.shown.isEmpty)
    }

    @Test("a pipe waits while much is typed ahead of a running command; a terminal is always read")
    func typeAheadLimit() {
        let much = String(repeating: "version\n", count: 1000)
        var pipe = Conversation(edits: false)
        pipe.type("status\n")
        #expect(pipe.machine.wantsInput)
        pipe.type(much)
        #expect(!pipe.machine.wantsInput)
        var terminal = Conversation(edits: true)
        terminal.type("status\r")
        terminal.type(much)
        #expect(terminal.machine.wantsInput)
        for number in 1...2000 {
            pipe.take(.finished(command: number))
            terminal.take(.finished(command: number))
        }
        #expect(pipe.started.count == 1001)
        #expect(terminal.started.count == 1 + ConsoleMachine.typeAheadLimit / 8)
    }
}

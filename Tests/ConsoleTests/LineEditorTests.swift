import Console
import PinholeTesting
import Testing

@Suite("Line editor")
struct LineEditorTests {
    /// A small terminal: what a person sees after the bytes an editor wrote.
    private struct Screen {
        var rows = [""]
        private var column = 0
        private var saved = 0

        mutating func show(_ bytes: [UInt8]) {
            var rest = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\r": column = 0
                case "\n":
                    rows.append("")
                    column = 0
                case "\u{1B}":
                    switch rest.popFirst() {
                    case "7": saved = column
                    case "8": column = saved
                    default:
                        switch rest.popFirst() {
                        case "K": rows[rows.count - 1] = String(rows[rows.count - 1].prefix(column))
                        case "2":
                            rest = rest.dropFirst()
                            rows = [""]
                        default: column = 0
                        }
                    }
                default:
                    var line = Array(rows[rows.count - 1])
                    if column < line.count { line[column] = Character(scalar) } else { line.append(Character(scalar)) }
                    rows[rows.count - 1] = String(line)
                    column += 1
                }
            }
        }
    }

    /// Types into an editor and gathers what comes of it.
    private struct Typed {
        var editor: LineEditor
        var screen = Screen()
        /// Drawing is slow; random input does without.
        var isWatched = true
        var lines: [String] = []
        var refusals = 0
        var interrupts = 0
        var ends = 0

        init(edits: Bool = true) {
            editor = LineEditor(edits: edits)
            take(editor.startLine())
        }

        mutating func take(_ actions: [LineEditor.Action]) {
            for action in actions {
                switch action {
                case .write(let bytes): if isWatched { screen.show(bytes) }
                case .line(let line):
                    lines.append(line)
                    take(editor.startLine())
                case .refused:
                    refusals += 1
                    take(editor.startLine())
                case .interrupted:
                    interrupts += 1
                    take(editor.startLine())
                case .endOfInput: ends += 1
                }
            }
        }

        mutating func type(_ text: String) { type(Array(text.utf8)) }
        mutating func type(_ bytes: [UInt8]) { for byte in bytes { take(editor.handle(byte)) } }
    }

    @Test("CR, LF and CRLF each end one line")
    func lineEnds() {
        var typed = Typed()
        typed.type("one\rtwo\nthree\r\nfour\r\r\n")
        #expect(typed.lines == ["one", "two", "three", "four", ""])
    }

    @Test("what is typed is shown once, behind the prompt")
    func echo() {
        var typed = Typed()
        typed.type("status")
        #expect(typed.screen.rows == ["pinhole> status"])
        typed.type("\r")
        #expect(typed.screen.rows == ["pinhole> status", "pinhole> "])
    }

    @Test(
        "backspace and DEL erase one character, whole, however many bytes it has", arguments: [0x08, 0x7F] as [UInt8])
    func erase(key: UInt8) {
        var typed = Typed()
        typed.type("aé漢👩‍👧")
        typed.type([key])
        #expect(typed.editor.text == "aé漢")
        typed.type([key, key])
        #expect(typed.editor.text == "a")
        typed.type([key, key, key])
        typed.type("ok\r")
        #expect(typed.lines == ["ok"])
    }

    @Test("^U erases the line to the cursor, ^W a word")
    func eraseMore() {
        var typed = Typed()
        typed.type("show 100-0001  \u{17}")
        #expect(typed.editor.text == "show ")
        typed.type("\u{17}\u{17}\u{17}list\u{15}status\r")
        #expect(typed.lines == ["status"])
    }

    @Test("^C gives the line up")
    func interrupt() {
        var typed = Typed()
        typed.type("delete 100-0001\u{3}list\r")
        #expect(typed.lines == ["list"])
        #expect(typed.interrupts == 1)
        #expect(typed.screen.rows == ["pinhole> delete 100-0001^C", "pinhole> list", "pinhole> "])
    }

    @Test("^D ends the input on an empty line only")
    func endOfInput() {
        var typed = Typed()
        typed.type("a\u{4}")
        #expect(typed.ends == 0)
        typed.type("\u{7F}\u{4}")
        #expect(typed.ends == 1)
    }

    @Test("^L clears the screen and shows the line again")
    func clearScreen() {
        var typed = Typed()
        typed.type("one\rtwo\u{C}")
        #expect(typed.screen.rows == ["pinhole> two"])
        #expect(typed.editor.text == "two")
    }

    @Test("the arrows go through the history and back to the line being typed")
    func history() {
        var typed = Typed()
        typed.type("one\rtwo\rtwo\r\rdraft")
        typed.type("\u{1B}[A")
        #expect(typed.editor.text == "two")
        typed.type("\u{1B}OA\u{1B}[A")
        #expect(typed.editor.text == "one")
        #expect(typed.screen.rows.last == "pinhole> one")
        typed.type("\u{1B}[B\u{1B}[B\u{1B}[B")
        #expect(typed.editor.text == "draft")
    }

    @Test("left, right, home, end and delete edit in the middle, and the screen shows it")
    func cursor() {
        var typed = Typed()
        typed.type("lst\u{1B}[D\u{1B}[Di")
        #expect(typed.editor.text == "list")
        #expect(typed.screen.rows.last == "pinhole> list")
        typed.type("\u{1B}[1~x\u{1B}[4~y\u{1B}[H\u{1B}[3~\u{1B}[F\u{8}")
        #expect(typed.editor.text == "list")
        typed.type("\u{1}\u{1B}[C\u{5}!\r")
        #expect(typed.lines == ["list!"])
    }

    @Test("a line over 1 KiB is refused whole, and the next one is taken")
    func tooLong() {
        var typed = Typed()
        typed.type(String(repeating: "a", count: LineEditor.lineLimit) + "\r")
        typed.type(String(repeating: "a", count: LineEditor.lineLimit + 1) + "\r")
        typed.type("list\r")
        #expect(typed.lines.map(\.count) == [LineEditor.lineLimit, 4])
        #expect(typed.refusals == 1)
    }

    @Test("a line too long in bytes is refused though its characters are few")
    func tooLongInBytes() {
        var typed = Typed()
        typed.type(String(repeating: "漢", count: 342) + "\r")
        #expect(typed.refusals == 1)
    }

    @Test(
        "escape sequences that are no key leave nothing in the line",
        arguments: [
            "\u{1B}[1;5C", "\u{1B}[200~", "\u{1B}[?62;1;2c", "\u{1B}[M", "\u{1B}Ox", "\u{1B}]0;title\u{7}",
            "\u{1B}]0;title\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}(B", "\u{1B}a", "\u{1B}\u{1B}\u{1B}[Z",
            "\u{1B}[" + String(repeating: "1;", count: 500) + "~",
        ])
    func escapes(sequence: String) {
        var typed = Typed()
        typed.type("a" + sequence + "b\r")
        #expect(typed.lines == ["ab"])
    }

    @Test("an unfinished string for the terminal swallows its line and no more")
    func unfinishedString() {
        var typed = Typed()
        typed.type("a\u{1B}]0;never ends\rlist\r")
        #expect(typed.lines == ["a", "list"])
    }

    @Test("NUL, controls and bad UTF-8 are dropped, good text around them stays")
    func badBytes() {
        var typed = Typed()
        typed.type([0x00, 0x61, 0x80, 0xFF, 0xC0, 0xAF, 0xC3, 0x62, 0xE2, 0x82, 0x63, 0xED, 0xA0, 0x80, 0x64])
        typed.type([0xF4, 0x90, 0x80, 0x80, 0xC2, 0x9B, 0x07, 0x65, 0xE2, 0x80, 0xAE, 0xC3, 0xA9, 0x0D])
        #expect(typed.lines == ["abcdeé"])
    }

    @Test("a line from elsewhere appears above the line being typed, which is shown again")
    func interjection() {
        var typed = Typed()
        typed.type("list --li\u{1B}[D")
        typed.take(typed.editor.interject("saved 100-0001"))
        typed.type("\u{1B}[Cmit 1")
        #expect(typed.screen.rows == ["saved 100-0001", "pinhole> list --limit 1"])
    }

    @Test("a pipe gets no prompt, no echo and no escape codes, and its bytes are not keys")
    func pipe() {
        var typed = Typed(edits: false)
        typed.type("list\u{8}\r\nstatus\u{3}\u{15}\n")
        typed.take(typed.editor.interject("saved 100-0001"))
        #expect(typed.lines == ["list", "status"])
        #expect(typed.screen.rows == ["saved 100-0001", ""])
    }

    @Test("the last line of a pipe needs no end")
    func unfinishedLine() {
        var typed = Typed(edits: false)
        typed.type("list\nstatus")
        typed.take(typed.editor.endInput())
        #expect(typed.lines == ["list", "status"])
        #expect(typed.ends == 1)
    }

    @Test(
        "random bytes never crash it, and its line is always clean text of at most 1 KiB",
        arguments: 0..<40 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var random = Random(seed: seed)
        var typed = Typed(edits: seed % 4 != 0)
        typed.isWatched = false
        let pieces: [[UInt8]] = [
            [0x1B, 0x5B, 0x41], [0x1B, 0x5B, 0x44], [0x1B, 0x5B, 0x33, 0x7E], [0x1B, 0x5D], [0x0D, 0x0A], [0x7F],
            [0x15],
            [0x17], Array("é漢👩‍👧e\u{301}".utf8), Array(repeating: 0x61, count: 300),
        ]
        var longest = 0
        for _ in 0..<1500 {
            if random.next() % 3 == 0 {
                typed.type(pieces[Int(random.next() % UInt64(pieces.count))])
            } else {
                typed.type([UInt8(truncatingIfNeeded: random.next())])
            }
            longest = max(longest, typed.editor.text.utf8.count)
        }
        #expect(longest <= LineEditor.lineLimit)
        let lines = typed.lines + [typed.editor.text]
        #expect(lines.allSatisfy { $0.utf8.count <= LineEditor.lineLimit })
        #expect(lines.allSatisfy { TerminalText.escaped($0) == $0 })
        #expect(!typed.lines.isEmpty)
    }

    /// SplitMix64, so that a failure can be repeated.
    private struct Random {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}

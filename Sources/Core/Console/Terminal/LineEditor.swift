/// The line being typed on one console: bytes in, actions out.
///
/// Line ends are written as LF; the terminal is set to turn them into CR LF.
package struct LineEditor: Sendable {
    /// What the console must do.
    package enum Action: Hashable, Sendable {
        /// Write these bytes to the terminal.
        case write([UInt8])
        /// A line was completed.
        case line(String)
        /// A line was refused whole; the sentence says why.
        case refused(String)
        /// The person typed ^C.
        case interrupted
        /// ^D on an empty line, or the end of a pipe.
        case endOfInput
    }

    /// Longest line in bytes.
    package static let lineLimit = 1024
    private static let historyLimit = 100

    private let standardPrompt: String
    private let edits: Bool
    /// What stands before the line now.
    private var prompt: String
    /// False for lines that are no commands: the history is for commands.
    private var remembers = true
    private var input = TerminalInput()
    /// The line, on both sides of the cursor.
    private var before = ""
    private var after = ""
    private var isTooLong = false
    private var endedWithCarriageReturn = false
    private var isPrompting = false
    private var history: [String] = []
    /// Where in the history the arrows are; nil on the line being typed, which is then kept in `draft`.
    private var historyIndex: Int?
    private var draft = ""

    /// An empty line.
    ///
    /// - Parameter edits: true on a terminal; false for a pipe, where nothing is echoed and there are no keys.
    package init(prompt: String = "pinhole> ", edits: Bool) {
        self.prompt = prompt
        standardPrompt = prompt
        self.edits = edits
    }

    /// The line as it stands.
    package var text: String { before + after }

    /// Shows the prompt; until the line is complete, other output goes through `interject`.
    ///
    /// - Parameter prompt: nil for a command; another for a line that a command asks for.
    package mutating func startLine(prompt: String? = nil) -> [Action] {
        self.prompt = prompt ?? standardPrompt
        remembers = prompt == nil
        isPrompting = true
        return edits ? redraw() : []
    }

    /// Forgets the line being typed, as nothing waits for it any longer. The next `startLine` draws over it.
    package mutating func abandonLine() {
        clear()
        isPrompting = false
    }

    /// Lines from elsewhere: shown above the line being typed, which is drawn again.
    package func interject(_ lines: String) -> [Action] {
        guard edits, isPrompting else { return [.write(Array((lines + "\n").utf8))] }
        return [.write(Array(("\r\u{1B}[K" + lines + "\n" + drawing).utf8))]
    }

    /// The end of input. What a pipe wrote after its last line's end is a line as well.
    package mutating func endInput() -> [Action] {
        let isUnfinished = !edits && (!text.isEmpty || isTooLong)
        return (isUnfinished ? complete() : []) + [.endOfInput]
    }

    /// Processes one typed byte and returns what the console must do.
    package mutating func handle(_ byte: UInt8) -> [Action] {
        let completesCarriageReturn = endedWithCarriageReturn && byte == 0x0A
        endedWithCarriageReturn = byte == 0x0D
        if completesCarriageReturn { return [] }
        switch input.take(byte) {
        case nil: return []
        case .control(0x0D), .control(0x0A): return complete()
        case .character(let character): return insert(character)
        case .control(let control): return edits ? handle(control: control) : []
        case .key(let key): return edits ? handle(key: key) : []
        }
    }

    private mutating func handle(control: UInt8) -> [Action] {
        switch control {
        case 0x08, 0x7F:  // BS and DEL
            guard before.popLast() != nil else { return [] }
            return redraw()
        case 0x15:  // ^U
            before = ""
            isTooLong = false
            return redraw()
        case 0x17:  // ^W
            while before.last == " " { before.removeLast() }
            while let last = before.last, last != " " { before.removeLast() }
            return redraw()
        case 0x03:  // ^C
            clear()
            return [.write(Array("^C\n".utf8)), .interrupted]
        case 0x04:  // ^D
            guard text.isEmpty, !isTooLong else { return [] }
            isPrompting = false
            return [.write([0x0A]), .endOfInput]
        case 0x0C:  // ^L
            return [.write(Array(("\u{1B}[H\u{1B}[2J" + drawing).utf8))]
        case 0x01: return handle(key: .home)  // ^A
        case 0x05: return handle(key: .end)  // ^E
        default: return []
        }
    }

    private mutating func handle(key: TerminalInput.Key) -> [Action] {
        switch key {
        case .left:
            guard let character = before.popLast() else { return [] }
            after = String(character) + after
        case .right:
            guard !after.isEmpty else { return [] }
            before.append(after.removeFirst())
        case .home: (before, after) = ("", text)
        case .end: (before, after) = (text, "")
        case .delete:
            guard !after.isEmpty else { return [] }
            after.removeFirst()
        case .up:
            let index = (historyIndex ?? history.count) - 1
            guard history.indices.contains(index) else { return [] }
            if historyIndex == nil { draft = text }
            historyIndex = index
            (before, after) = (history[index], "")
        case .down:
            guard let index = historyIndex else { return [] }
            historyIndex = index + 1 < history.count ? index + 1 : nil
            (before, after) = (historyIndex.map { history[$0] } ?? draft, "")
        }
        return redraw()
    }

    private mutating func insert(_ character: Character) -> [Action] {
        guard !isTooLong, before.utf8.count + after.utf8.count + character.utf8.count <= Self.lineLimit else {
            isTooLong = true
            return []
        }
        before.append(character)
        guard edits else { return [] }
        return after.isEmpty ? [.write(Array(character.utf8))] : redraw()
    }

    private mutating func complete() -> [Action] {
        let line = text
        let wasTooLong = isTooLong
        clear()
        isPrompting = false
        var actions: [Action] = edits ? [.write([0x0A])] : []
        guard !wasTooLong else {
            return actions + [.refused("A line holds at most \(Self.lineLimit) bytes: this one was ignored whole.")]
        }
        if edits, remembers, !line.isEmpty, line != history.last {
            history.append(line)
            if history.count > Self.historyLimit { history.removeFirst() }
        }
        actions.append(.line(line))
        return actions
    }

    private mutating func clear() {
        (before, after, draft) = ("", "", "")
        historyIndex = nil
        isTooLong = false
    }

    private func redraw() -> [Action] { [.write(Array(("\r\u{1B}[K" + drawing).utf8))] }

    /// Prompt and line. The cursor is saved and restored (DECSC, DECRC), so that no width need be known.
    private var drawing: String {
        after.isEmpty ? prompt + before : prompt + before + "\u{1B}7" + after + "\u{1B}8"
    }
}

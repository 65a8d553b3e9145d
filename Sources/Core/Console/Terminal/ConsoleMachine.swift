/// The conversation on one console: what is typed, what is running, what is shown.
///
/// Commands run one after another; what is typed meanwhile waits, except ^C and lines that the command asks for.
package struct ConsoleMachine: Sendable {
    /// What happens to a console.
    package enum Event: Sendable {
        /// The console is open.
        case opened
        /// Bytes came from the terminal or pipe, in pieces of any size.
        case bytes([UInt8])
        /// Nothing more will be typed.
        case inputEnded
        /// The command with this number has something to show.
        case record(Record, command: Int)
        /// The same, of an endless stream.
        case offer(Record, command: Int)
        /// The command with this number asks for a line.
        case lineWanted(prompt: String, command: Int)
        /// The command with this number is done.
        case finished(command: Int)
        /// Something happened in the camera.
        case announce(EventRecord)
    }

    /// What the console must do.
    package enum Action: Hashable, Sendable {
        /// Write these bytes to the terminal.
        case write([UInt8])
        /// Show a record of an endless stream, or drop it when the terminal is slow.
        case offer(Record, json: Bool)
        /// Carry out a command under this number.
        case start(Command, number: Int)
        /// Give the command with this number the line it asked for; nil when nothing more comes.
        case line(String?, command: Int)
        /// Cancel the command with this number.
        case cancel(Int)
        /// The session is over.
        case end
    }

    private struct Running {
        let number: Int
        let command: Command
        let json: Bool
        var renderer: TextRenderer
        /// What stands before the line that the command waits for; nil while it waits for none.
        var prompt: String?
        /// Photos the command has shown: their announcement would say the same again.
        var shown: Set<String> = []
        /// Announcements of photos that the command may still show.
        var held: [EventRecord] = []
    }

    /// Bytes typed ahead of a running command that are kept.
    package static let typeAheadLimit = 4096

    private let edits: Bool
    private let alwaysJSON: Bool
    private let grammar: CommandGrammar
    private var editor: LineEditor
    private var running: Running?
    private var lastNumber = 0
    private var typedAhead: [UInt8] = []
    private var inputEnded = false
    private var isOver = false

    /// A console that is not open yet.
    ///
    /// - Parameters:
    ///   - edits: true on a terminal; false for a pipe.
    ///   - json: true to show JSON always.
    ///   - grammar: the commands that can be typed.
    package init(edits: Bool, json: Bool, grammar: CommandGrammar) {
        self.edits = edits
        self.alwaysJSON = json
        self.grammar = grammar
        editor = LineEditor(edits: edits)
    }

    /// False while a pipe should wait. A terminal is always read, for the sake of ^C.
    package var wantsInput: Bool {
        !isOver && !inputEnded && (edits || typedAhead.count < Self.typeAheadLimit)
    }

    /// Processes an event and returns what the console must do.
    package mutating func handle(_ event: Event) -> [Action] {
        if isOver {
            // Photos in progress at the end of input are still announced.
            if case .announce(let event) = event { return announce(event) }
            return []
        }
        switch event {
        case .opened:
            guard edits, !alwaysJSON else { return writes(editor.startLine()) }
            return [.write(Array("Pinhole console: `help` lists the commands.\n".utf8))] + writes(editor.startLine())
        case .bytes(let bytes): return take(bytes)
        case .inputEnded:
            inputEnded = true
            return proceed()
        case .record(let record, let number):
            guard running?.number == number else { return [] }
            return show(record)
        case .offer(let record, let number):
            guard let running, running.number == number else { return [] }
            return [.offer(record, json: running.json)]
        case .lineWanted(let prompt, let number):
            guard running?.number == number else { return [] }
            return wait(prompt)
        case .finished(let number):
            guard running?.number == number else { return [] }
            return endRunning() + proceed()
        case .announce(let event): return announce(event)
        }
    }

    /// True while a line is typed, be it a command or one that a command asks for.
    private var takesLine: Bool { running == nil || running?.prompt != nil }

    private mutating func take(_ bytes: [UInt8]) -> [Action] {
        if takesLine {
            typedAhead += bytes
            return proceed()
        }
        if edits, let interrupt = bytes.lastIndex(of: 0x03) {
            typedAhead = Array(bytes[(interrupt + 1)...])
            return interrupted()
        }
        // A pipe is read in pieces and stops being read at the limit; at a terminal the rest is lost.
        typedAhead += edits ? bytes.prefix(max(0, Self.typeAheadLimit - typedAhead.count)) : bytes[...]
        return []
    }

    /// ^C outside a line. The console is free at once: whether the command ever says that it has ended does not matter.
    private mutating func interrupted() -> [Action] {
        guard let current = running else { return [] }
        return [.write(Array("^C\n".utf8)), .cancel(current.number)] + endRunning() + proceed()
    }

    /// The running command waits for a line.
    private mutating func wait(_ prompt: String) -> [Action] {
        running?.prompt = prompt
        let request = Record.input(InputRecord(input: prompt)).json + "\n"
        return (running?.json == true ? [.write(Array(request.utf8))] : []) + startLine() + proceed()
    }

    private mutating func startLine() -> [Action] { writes(editor.startLine(prompt: running?.prompt)) }

    /// Leaves the running command; what was typed ahead is not looked at here.
    private mutating func endRunning() -> [Action] {
        guard let finished = running else { return [] }
        if finished.prompt != nil { editor.abandonLine() }
        running = nil
        let missed = finished.held.filter { $0.text("id").map { !finished.shown.contains($0) } ?? true }
        return missed.flatMap { announce($0) } + startLine()
    }

    /// Takes what was typed until a command runs that asks for nothing, or nothing is left.
    private mutating func proceed() -> [Action] {
        var actions: [Action] = []
        var used = 0
        while takesLine, !isOver, used < typedAhead.count {
            let byte = typedAhead[used]
            used += 1
            for action in editor.handle(byte) { actions += perform(action) }
        }
        typedAhead.removeFirst(used)
        if edits, !takesLine, let interrupt = typedAhead.lastIndex(of: 0x03) {
            typedAhead.removeSubrange(...interrupt)
            return actions + interrupted()
        }
        if inputEnded, takesLine, !isOver {
            for action in editor.endInput() where !isOver { actions += perform(action) }
        }
        return actions
    }

    private mutating func perform(_ action: LineEditor.Action) -> [Action] {
        switch action {
        case .write(let bytes): return [.write(bytes)]
        case .line(let line): return running == nil ? run(line) : answer(line)
        case .refused(let sentence):
            return failed(.usage(sentence), json: running?.json ?? alwaysJSON)
        case .interrupted:
            // ^C in a line that a command asks for gives up the command as well.
            guard let current = running else { return startLine() }
            return [.cancel(current.number)] + endRunning()
        case .endOfInput:
            if running?.prompt != nil { return answer(nil) }
            // The last line of a pipe may have started a command: the end comes when it is done.
            if running != nil {
                inputEnded = true
                return []
            }
            isOver = true
            return [.end]
        }
    }

    private mutating func answer(_ line: String?) -> [Action] {
        guard let number = running?.number else { return [] }
        running?.prompt = nil
        return [.line(line, command: number)]
    }

    private mutating func run(_ line: String) -> [Action] {
        var json = alwaysJSON
        do throws(CommandFailure) {
            let words = try Tokenizer.words(line)
            guard !words.isEmpty else { return startLine() }
            json = json || words.contains("--json")
            let parsed = try grammar.parse(words, console: true)
            if parsed.command == .exit {
                isOver = true
                return [.end]
            }
            lastNumber += 1
            running = Running(
                number: lastNumber, command: parsed.command, json: json,
                renderer: TextRenderer(command: parsed.command, grammar: grammar))
            return [.start(parsed.command, number: lastNumber)]
        } catch {
            return failed(error, json: json)
        }
    }

    private mutating func failed(_ failure: CommandFailure, json: Bool) -> [Action] {
        let text = json ? Record.error(ErrorRecord(failure)).json : TextRenderer.text(failure)
        return [.write(Array((text + "\n").utf8))] + startLine()
    }

    private mutating func show(_ record: Record) -> [Action] {
        guard var current = running else { return [] }
        if case .photo(let photo) = record { current.shown.insert(photo.id) }
        let text = current.json ? record.json : current.renderer.text(record)
        running = current
        return current.prompt == nil ? [.write(Array((text + "\n").utf8))] : writes(editor.interject(text))
    }

    private mutating func announce(_ event: EventRecord) -> [Action] {
        guard event.name?.isAnnounced == true else { return [] }
        if let running {
            switch running.command {
            case .events(follow: true): return []
            case .shoot where event.name == .saved:
                self.running?.held.append(event)
                return []
            default: break
            }
        }
        var renderer = TextRenderer(command: nil, grammar: grammar)
        let text = alwaysJSON ? Record.event(event).json : renderer.text(.event(event))
        return writes(editor.interject(text))
    }

    private func writes(_ actions: [LineEditor.Action]) -> [Action] {
        actions.compactMap { if case .write(let bytes) = $0 { .write(bytes) } else { nil } }
    }
}

import Console

/// Bytes typed on a console, through the editor and the grammar to what is shown.
enum ConsoleLine {
    /// Commands that are answered with records: showing them is slow, and more of the same finds nothing new.
    private static let answerLimit = 3

    private static let grammar = CommandGrammar()

    static func take(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        converse(Array(bytes), edits: true)
        converse(Array(bytes), edits: false)
        splitAndJoin(String(decoding: bytes, as: UTF8.self))
        return 0
    }

    /// A whole session: what is typed, and answers that hold the same bytes.
    private static func converse(_ bytes: [UInt8], edits: Bool) {
        var machine = ConsoleMachine(edits: edits, json: false, grammar: grammar)
        let text = String(decoding: bytes, as: UTF8.self)
        var running: Int?
        var answered = 0
        func send(_ event: ConsoleMachine.Event) {
            for action in machine.handle(event) {
                switch action {
                case .start(_, let number): running = number
                case .write(let bytes) where !edits: checkShown(bytes)
                default: break
                }
            }
        }
        func finish() {
            while let number = running.take() {
                answered += 1
                if answered <= answerLimit {
                    for record in records(text) { send(.record(record, command: number)) }
                    send(.announce(saved(text)))
                }
                send(.finished(command: number))
            }
        }
        send(.opened)
        send(.announce(saved(text)))
        // In pieces, because keys and characters arrive in parts.
        var rest = bytes[...]
        while !rest.isEmpty {
            send(.bytes(Array(rest.prefix(7))))
            rest = rest.dropFirst(7)
            finish()
        }
        send(.inputEnded)
        finish()
        Fuzz.expect(!machine.wantsInput, "a console whose input ended still waits for input")
    }

    /// Without an editor, nothing but text and line ends is written: what came from outside must not steer a terminal.
    private static func checkShown(_ bytes: [UInt8]) {
        let shown = String(validating: bytes, as: UTF8.self)
        Fuzz.expect(shown != nil, "what is shown is not UTF-8")
        let isSafe = shown?.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
        Fuzz.expect(isSafe == true, "control characters reach the terminal: \(bytes)")
    }

    /// Words that a line was split into make a line that splits into the same words.
    private static func splitAndJoin(_ line: String) {
        guard let words = try? Tokenizer.words(line) else { return }
        for console in [true, false] { _ = try? grammar.parse(words, console: console) }
        guard let joined = try? Tokenizer.line(CommandGrammar.withoutState(words)) else { return }
        let again = try? Tokenizer.words(joined)
        Fuzz.expect(again == CommandGrammar.withoutState(words), "a line's words are not what was joined: \(joined)")
    }

    private static func records(_ text: String) -> [Record] {
        let photo = PhotoRecord(
            id: text, number: text, name: text, path: text, bytes: .max, width: .max, height: .min, captured: text,
            clockTrusted: false, favorite: true, resources: [.init(type: text, name: text, bytes: .min)],
            lagUs: .max, durableMs: .infinity)
        let values = FieldValue.fields([text: .list([.string(text), .number(.nan)])])
        return [
            .photo(photo), .setting(SettingRecord(key: text, value: values, source: text)),
            .trash(TrashRecord(id: text, number: text, bytes: 0, deleted: text)),
            .error(ErrorRecord(CommandFailure(slug: text, text, retry: true))),
        ]
    }

    private static func saved(_ text: String) -> EventRecord {
        EventRecord(.saved, time: text, fields: ["number": .string(text), "path": .string(text)])
    }
}

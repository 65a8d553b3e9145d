import FoundationEssentials

/// One line of output of any command.
package enum Record: Hashable, Sendable {
    /// A photo in the library, as `shoot`, `list` and `show` send it.
    case photo(PhotoRecord)
    /// How the camera is.
    case status(StatusRecord)
    /// The result of `verify`.
    case verify(VerifyRecord)
    /// A photo in the trash.
    case trash(TrashRecord)
    /// The end of `trash --empty`.
    case emptied(EmptiedRecord)
    /// A client and what it may do.
    case client(ClientRecord)
    /// A photo that can be picked.
    case choice(ChoiceRecord)
    /// What is picked so far.
    case picked(PickedRecord)
    /// A request for a line.
    case input(InputRecord)
    /// The answer to `press`: which button, and when its edge came.
    case press(PressRecord)
    /// One setting with its value.
    case setting(SettingRecord)
    /// The camera's time and zone, and whether the time is trusted.
    case clock(ClockRecord)
    /// What a door's command answers.
    case door(DoorRecord)
    /// A line of the log.
    case log(LogRecord)
    /// Something that happened in the camera.
    case event(EventRecord)
    /// A finding of `doctor`.
    case doctor(DoctorRecord)
    /// A good configuration file.
    case configuration(ConfigurationRecord)
    /// The version of the program.
    case version(VersionRecord)
    /// The text of `help`.
    case help(HelpRecord)
    /// Why the command failed.
    case error(ErrorRecord)

    /// The record as one line of JSON, without the line's end. Keys are sorted and in snake_case.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
        // Keys that are data stay as they are.
        if !hasFields { encoder.keyEncodingStrategy = .convertToSnakeCase }
        do {
            return String(decoding: try encoder.encode(content), as: UTF8.self)
        } catch {
            preconditionFailure("a record made of plain values cannot be written: \(error)")
        }
    }

    /// Reads a line of JSON; nil when it is no record that this version knows.
    package init?(json: String) {
        let data = Data(json.utf8)
        let decoder = JSONDecoder()
        guard let keys = try? decoder.decode(Keys.self, from: data).names else { return nil }
        func read<Content: Decodable>(_ make: (Content) -> Record) -> Record? {
            guard let content = try? decoder.decode(Content.self, from: data) else { return nil }
            return make(content)
        }
        /// Reads a record without fields, whose keys are all names of ours.
        func readPlain<Content: Decodable>(_ make: (Content) -> Record) -> Record? {
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            defer { decoder.keyDecodingStrategy = .useDefaultKeys }
            return read(make)
        }
        // One key identifies each kind. An event comes first, because its other keys are free; what a door
        // answers comes last.
        let kinds: [(key: String, read: () -> Record?)] = [
            ("event", { read(Record.event) }), ("error", { readPlain(Record.error) }),
            ("resources", { readPlain(Record.photo) }), ("state", { read(Record.status) }),
            ("adopted", { readPlain(Record.verify) }), ("deleted", { readPlain(Record.trash) }),
            ("emptied", { readPlain(Record.emptied) }), ("add_only", { readPlain(Record.client) }),
            ("choice", { readPlain(Record.choice) }), ("picked", { readPlain(Record.picked) }),
            ("input", { readPlain(Record.input) }), ("pressed", { readPlain(Record.press) }),
            ("key", { readPlain(Record.setting) }), ("trusted", { readPlain(Record.clock) }),
            ("level", { readPlain(Record.log) }), ("check", { readPlain(Record.doctor) }),
            ("valid", { readPlain(Record.configuration) }), ("version", { readPlain(Record.version) }),
            ("help", { readPlain(Record.help) }), ("message", { read(Record.door) }),
        ]
        guard let record = kinds.first(where: { keys.contains($0.key) })?.read() else { return nil }
        self = record
    }

    private var hasFields: Bool {
        switch self {
        case .event, .status, .door: true
        default: false
        }
    }

    private var content: any Encodable {
        switch self {
        case .photo(let record): record
        case .status(let record): record
        case .verify(let record): record
        case .trash(let record): record
        case .emptied(let record): record
        case .client(let record): record
        case .choice(let record): record
        case .picked(let record): record
        case .input(let record): record
        case .press(let record): record
        case .setting(let record): record
        case .clock(let record): record
        case .door(let record): record
        case .log(let record): record
        case .event(let record): record
        case .doctor(let record): record
        case .configuration(let record): record
        case .version(let record): record
        case .help(let record): record
        case .error(let record): record
        }
    }

    /// The keys of a JSON object.
    private struct Keys: Decodable {
        let names: Set<String>

        init(from decoder: any Decoder) throws {
            names = Set(try decoder.container(keyedBy: FieldKey.self).allKeys.map(\.stringValue))
        }
    }
}

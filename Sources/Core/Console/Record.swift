import FoundationEssentials

/// One line of output of any command.
package enum Record: Hashable, Sendable {
    /// A photo.
    case photo(PhotoRecord)
    /// How the camera is.
    case status(StatusRecord)
    /// What `verify` found.
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
    /// An accepted press.
    case press(PressRecord)
    /// A setting.
    case setting(SettingRecord)
    /// The clock.
    case clock(ClockRecord)
    /// The USB port.
    case usb(USBRecord)
    /// A line of the log.
    case log(LogRecord)
    /// An event.
    case event(EventRecord)
    /// A finding of `doctor`.
    case doctor(DoctorRecord)
    /// A good configuration file.
    case configuration(ConfigurationRecord)
    /// The version.
    case version(VersionRecord)
    /// A help text.
    case help(HelpRecord)
    /// Why the command failed.
    case error(ErrorRecord)

    /// The record as one line of JSON, without the line's end. Keys are sorted and in snake_case.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
        // An event's keys are data and stay as they are.
        if case .event = self {} else { encoder.keyEncodingStrategy = .convertToSnakeCase }
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
        if !keys.contains("event") { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        func read<Content: Decodable>(_ make: (Content) -> Record) -> Record? {
            (try? decoder.decode(Content.self, from: data)).map(make)
        }
        // One key tells each kind from all others. An event comes first, because its other keys are free.
        let kinds: [(key: String, read: () -> Record?)] = [
            ("event", { read(Record.event) }), ("error", { read(Record.error) }),
            ("resources", { read(Record.photo) }), ("state", { read(Record.status) }),
            ("adopted", { read(Record.verify) }), ("deleted", { read(Record.trash) }),
            ("emptied", { read(Record.emptied) }), ("add_only", { read(Record.client) }),
            ("choice", { read(Record.choice) }), ("picked", { read(Record.picked) }),
            ("input", { read(Record.input) }), ("pressed", { read(Record.press) }),
            ("key", { read(Record.setting) }), ("trusted", { read(Record.clock) }), ("usb", { read(Record.usb) }),
            ("level", { read(Record.log) }), ("check", { read(Record.doctor) }),
            ("valid", { read(Record.configuration) }), ("version", { read(Record.version) }),
            ("help", { read(Record.help) }),
        ]
        guard let record = kinds.first(where: { keys.contains($0.key) })?.read() else { return nil }
        self = record
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
        case .usb(let record): record
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

        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            names = Set(try decoder.container(keyedBy: Key.self).allKeys.map { $0.stringValue })
        }
    }
}

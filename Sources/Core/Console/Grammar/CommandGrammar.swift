import Platform

/// The one description of the command language: parsing, usage errors, help and the text of `status` all read it.
package struct CommandGrammar: Sendable {
    /// An option of a command.
    package struct Option: Sendable {
        /// With its dashes: `--count`.
        package let name: String
        /// Stands for the value in usage and help; nil for an option without value.
        package let value: String?
        /// One sentence for the help of the command.
        package let summary: String
        /// Whether it may be given more than once.
        package let isRepeatable: Bool

        /// An option; `value` is the placeholder of its value, nil for an option without one.
        package init(name: String, value: String?, summary: String, isRepeatable: Bool = false) {
            self.name = name
            self.value = value
            self.summary = summary
            self.isRepeatable = isRepeatable
        }
    }

    /// A command with its help and how its words are read.
    package struct Entry: Sendable {
        /// The word that names it.
        package let name: String
        /// Its forms, as they are typed.
        package let usage: [String]
        /// One sentence, for the list of commands and the command's own help.
        package let summary: String
        /// More to know, a few sentences; may be empty.
        package let detail: String
        /// The options that the command accepts besides those of every command.
        package let options: [Option]
        /// How many words it takes besides its options.
        package let words: ClosedRange<Int>
        /// Where it can be given.
        package let place: Place
        /// Makes the command from words and options whose number and names are checked.
        let build: @Sendable (Arguments) throws(CommandFailure) -> Command
    }

    /// An option of `run` that is short for a setting: `--ptpip ADDRESS:PORT` for `--set ptpip.address=ADDRESS:PORT`.
    package struct SettingOption: Sendable {
        /// The option; it has a value.
        package let option: Option
        /// The setting that the option sets.
        package let key: String

        /// An option of `run` that sets this configuration key.
        package init(_ option: Option, key: String) {
            self.option = option
            self.key = key
        }
    }

    /// A form of `--sensor`.
    package struct SensorForm: Sendable {
        /// The driver's name, as `--sensor` takes it.
        package let name: String
        /// Stands for what follows a colon; nil for the name alone.
        package let argument: String?
        /// What it is, as the end of a sentence.
        package let summary: String

        /// A form of `--sensor`: the driver's name, alone or with a placeholder for its argument.
        package init(_ name: String, argument: String? = nil, _ summary: String) {
            self.name = name
            self.argument = argument
            self.summary = summary
        }

        /// As it is typed.
        var usage: String { name + (argument.map { ":" + $0 } ?? "") }
    }

    /// What the executable adds to the commands that every camera has.
    package struct Additions: Sendable {
        /// Commands of doors. In help they stand before `get`.
        package var entries: [Entry] = []
        /// Options of `run` that doors bring.
        package var runOptions: [SettingOption] = []
        /// Rows of doors in the text of `status`.
        package var statusRows: [StatusRow] = []
        /// What `--sensor` takes besides `auto`.
        package var sensors: [SensorForm] = []

        /// A grammar to which no door and no driver adds anything.
        package init() {}
    }

    /// Every command, in the order of help.
    package let entries: [Entry]
    /// Rows of doors in the text of `status`.
    package let statusRows: [StatusRow]

    /// The commands that every camera has, and what is added to them.
    package init(adding additions: Additions = Additions()) {
        entries = CommandTable.entries(adding: additions)
        statusRows = additions.statusRows
    }

    /// Where a command can be given.
    package enum Place: Sendable {
        /// From a shell, to the running camera, and on its consoles.
        case anywhere
        /// From a shell without a running camera, and on consoles.
        case standAlone
        /// From a shell only.
        case shell
        /// Only on consoles, not from the shell.
        case console
    }

    /// A command line that was read.
    package struct Parsed: Hashable, Sendable {
        /// The command that the words mean.
        package var command: Command
        /// True when JSON was asked for.
        package var json: Bool
        /// The state folder, if given.
        package var state: String?
    }

    /// Options that every command takes, before or after its name.
    package static let globalOptions = [
        Option(name: "--json", value: nil, summary: "Print one JSON object per line instead of text."),
        Option(
            name: "--state", value: "DIR",
            summary: "Use the camera with this state folder (default: PINHOLE_STATE or /var/lib/pinhole)."),
        Option(name: "--help", value: nil, summary: "Show the command's help."),
    ]

    /// The words and options of one line, checked against an entry.
    struct Arguments {
        let command: String
        var words: [String] = []
        /// The values of each option that was given; an empty text for an option without value.
        var options: [String: [String]] = [:]

        /// True when the option was given.
        func has(_ option: String) -> Bool { options[option] != nil }

        /// The value of an option that is given once.
        func value(_ option: String) -> String? { options[option]?.last }

        /// The option's whole number within a range.
        func integer(_ option: String, _ range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
            guard let text = value(option) else { return nil }
            guard let value = Int(text), range.contains(value) else {
                throw .usage(
                    "\(command): \(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(TerminalText.escaped(text))\"."
                )
            }
            return value
        }

        /// The option's decimal number within a range.
        func number(_ option: String, _ range: ClosedRange<Double>) throws(CommandFailure) -> Double? {
            guard let text = value(option) else { return nil }
            guard let value = Double(text), range.contains(value) else {
                throw .usage(
                    "\(command): \(option) takes a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)), not \"\(TerminalText.escaped(text))\"."
                )
            }
            return value
        }

        /// The filter, if one was given.
        func filter() throws(CommandFailure) -> PhotoFilter? {
            guard let text = value("--filter") else { return nil }
            return try PhotoFilter(text)
        }

        /// The first word as a client's name.
        func client() throws(CommandFailure) -> String {
            let name = words.first ?? ""
            let isName =
                (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                    default: "._:-".utf8.contains(byte)
                    }
                }
            guard isName else {
                throw .usage(
                    "\(command): \"\(TerminalText.escaped(name))\" is not a client name: `clients` lists the clients.")
            }
            return name
        }

        /// The words as photos, without the first ones.
        func photos(after count: Int = 0) throws(CommandFailure) -> [PhotoReference] {
            var photos: [PhotoReference] = []
            for word in words.dropFirst(count) { photos.append(try PhotoReference(word)) }
            return photos
        }
    }

    /// The names of all commands, in the order of help.
    package var names: [String] { entries.map(\.name) }

    /// The entry of a command.
    package func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Reads the words of a command line (without the program's name).
    ///
    /// - Parameter console: true on a console of the camera, false in a shell.
    package func parse(_ line: [String], console: Bool) throws(CommandFailure) -> Parsed {
        var rest = line[...]
        var globals = Globals()
        while let word = rest.first, word.hasPrefix("-"), try globals.take(word, &rest) {}
        guard let name = rest.popFirst() else {
            if globals.help { return Parsed(command: .help(topic: nil), json: globals.json, state: globals.state) }
            throw .usage(
                console ? "No command: `help` lists the commands." : "No command: `pinhole help` lists the commands.")
        }
        guard let entry = entry(name) else { throw unknown(name, console: console) }
        var arguments = Arguments(command: name)
        while let word = rest.first {
            if word == "--" {
                arguments.words += rest.dropFirst()
                break
            }
            if !Self.isOption(word) {
                arguments.words.append(word)
                rest = rest.dropFirst()
            } else if !(try globals.take(word, &rest)) {
                try Self.takeOption(word, of: entry, &rest, &arguments)
            }
        }
        let parsed = { (command: Command) in Parsed(command: command, json: globals.json, state: globals.state) }
        if globals.help { return parsed(.help(topic: name)) }
        try Self.check(entry, arguments, console: console, state: globals.state)
        let command = try entry.build(arguments)
        if case .help(let topic?) = command { try checkTopic(topic) }
        return parsed(command)
    }

    /// The words of a command line without `--state`, which is for the shell alone.
    package static func withoutState(_ words: [String]) -> [String] {
        let options = words.prefix { $0 != "--" }
        guard let place = options.firstIndex(where: { split($0).name == "--state" }) else { return words }
        var rest = words
        rest.removeSubrange(place..<min(words.count, place + (split(words[place]).value == nil ? 2 : 1)))
        return rest
    }

    private func checkTopic(_ topic: String) throws(CommandFailure) {
        guard entry(topic) == nil else { return }
        let nearest = NearestWord.of(topic, among: names)
        throw .usage(
            "help: there is no command \"\(TerminalText.escaped(topic))\"."
                + (nearest.map { " Did you mean `\($0)`?" } ?? " `help` lists the commands."))
    }

    private static func check(
        _ entry: Entry, _ arguments: Arguments, console: Bool, state: String?
    ) throws(CommandFailure) {
        if console, entry.place == .shell {
            throw .usage("`\(entry.name)` is for a shell, not for a console of the camera.")
        }
        if !console, entry.place == .console {
            throw .usage("`\(entry.name)` is only for a console of the camera.")
        }
        if console, state != nil { throw .usage("--state is for a shell: a console belongs to one camera.") }
        guard entry.words.contains(arguments.words.count) else {
            let problem = arguments.words.count < entry.words.lowerBound ? "an argument is missing" : "too many words"
            throw .usage("\(entry.name): \(problem). Usage: \(entry.usage.joined(separator: "; ")).")
        }
    }

    private struct Globals {
        var json = false
        var help = false
        var state: String?

        /// Takes a global option off the line; false when the word is none.
        mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure) -> Bool {
            let (name, value) = split(word)
            switch name {
            case "--json" where value == nil: json = true
            case "--help" where value == nil, "-h" where value == nil: help = true
            case "--state":
                let directory = try optionValue(name, "DIR", value, &rest)
                guard !directory.isEmpty, state == nil else {
                    throw .usage("--state takes one folder and can be given only once.")
                }
                state = directory
                return true
            default: return false
            }
            rest = rest.dropFirst()
            return true
        }
    }

    private static func takeOption(
        _ word: String, of entry: Entry, _ rest: inout ArraySlice<String>, _ arguments: inout Arguments
    ) throws(CommandFailure) {
        let (name, value) = split(word)
        guard let option = entry.options.first(where: { $0.name == name }) else {
            let known = (entry.options + globalOptions).map { $0.name }
            let nearest = NearestWord.of(name, among: known).map { " Did you mean \($0)?" }
            throw .usage(
                "\(entry.name): there is no option \(TerminalText.escaped(name)).\(nearest ?? "") Usage: \(entry.usage.joined(separator: "; "))."
            )
        }
        guard option.isRepeatable || !arguments.has(name) else {
            throw .usage("\(entry.name): \(name) is given twice.")
        }
        if let placeholder = option.value {
            let value = try optionValue("\(entry.name): \(name)", placeholder, value, &rest)
            arguments.options[name, default: []].append(value)
        } else {
            guard value == nil else { throw .usage("\(entry.name): \(name) takes no value.") }
            arguments.options[name, default: []].append("")
            rest = rest.dropFirst()
        }
    }

    /// Takes an option and its value off the line; an attached value (`--option=value`) is one word with it.
    private static func optionValue(
        _ name: String, _ placeholder: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> String {
        rest = rest.dropFirst()
        if let attached { return attached }
        guard let value = rest.popFirst(), !value.hasPrefix("--") else {
            throw .usage("\(name) needs a value: \(placeholder).")
        }
        return value
    }

    /// Options start with a dash; `-1` is a number and `-` a word.
    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word != "-" else { return false }
        return Double(word) == nil
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private func unknown(_ name: String, console: Bool) -> CommandFailure {
        let help = console ? "`help` lists the commands." : "`pinhole help` lists the commands."
        let names = entries.filter { $0.place != (console ? .shell : .console) }.map { $0.name }
        let nearest = NearestWord.of(name, among: names).map { " Did you mean `\($0)`?" } ?? ""
        let kind = name.hasPrefix("-") ? "option" : "command"
        return .usage("There is no \(kind) \"\(TerminalText.escaped(name))\".\(nearest) \(help)")
    }
}

extension CommandGrammar.Entry {
    /// The entry of a door's command.
    ///
    /// - Parameter check: throws usage when the words and options, whose number and names are right, make no command.
    package init(
        door name: String, usage: [String], summary: String, detail: String = "", options: [CommandGrammar.Option] = [],
        words: ClosedRange<Int>, place: CommandGrammar.Place = .anywhere,
        check: @escaping @Sendable (DoorCommand) throws(CommandFailure) -> Void = { (_) throws(CommandFailure) in }
    ) {
        self.init(
            name: name, usage: usage, summary: summary, detail: detail, options: options, words: words, place: place,
            build: { (arguments) throws(CommandFailure) in
                let command = DoorCommand(name, words: arguments.words, options: arguments.options)
                try check(command)
                return .door(command)
            })
    }
}

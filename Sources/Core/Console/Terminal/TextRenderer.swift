/// Turns the records of one command into lines for people.
///
/// Every string that came from outside is escaped, so that no name or message can steer the terminal.
package struct TextRenderer: Sendable {
    private let command: Command?
    private let grammar: CommandGrammar
    private var printedHeader = false

    /// A renderer for the records of a command; nil for announced events.
    package init(command: Command?, grammar: CommandGrammar) {
        self.command = command
        self.grammar = grammar
    }

    /// True for records that belong on standard error.
    package static func isError(_ record: Record) -> Bool {
        if case .error = record { true } else { false }
    }

    /// The failure as text; a message may have several lines.
    package static func text(_ failure: CommandFailure) -> String {
        let lines = failure.message.split(separator: "\n").map { TerminalText.escaped(String($0)) }
        return "pinhole: \(TerminalText.escaped(failure.code)): " + lines.joined(separator: "\n  ")
    }

    /// The lines of a record, without the last line's end.
    package mutating func text(_ record: Record) -> String {
        switch record {
        case .photo(let photo): text(photo)
        case .status(let status): text(status)
        case .verify(let found):
            table([
                ("photos", String(found.assets)), ("ok", String(found.ok)), ("damaged", String(found.damaged)),
                ("missing", String(found.missing)), ("adopted", String(found.adopted)),
                ("quarantined", String(found.quarantined)),
            ])
        case .trash(let item):
            if case .delete = command {
                "deleted \(safe(item.number))  (`restore \(safe(item.number))` brings it back)"
            } else {
                "\(safe(item.number))  deleted \(moment(item.deleted))  \(size(item.bytes))"
            }
        case .emptied(let emptied):
            "removed \(count(emptied.emptied, "photo")) permanently, \(size(emptied.bytes)) freed"
        case .client(let client): text(client)
        case .choice(let choice): text(choice)
        case .picked(let picked): safe(picked.message)
        case .input(let input): safe(input.input)
        case .press(let press): "pressed \(safe(press.button))"
        case .setting(let setting):
            "\(safe(setting.key)) = \(safe(setting.value.description))  (\(safe(setting.source)))"
        case .clock(let clock): text(clock)
        case .door(let answer): text(answer)
        case .log(let line):
            "\(safe(line.time))  \(padded(safe(line.level), 7))  \(safe(line.message))"
        case .event(let event): text(event)
        case .doctor(let finding):
            "\(padded(finding.result.rawValue, 7))  \(safe(finding.check)): \(safe(finding.detail))"
        case .configuration(let configuration): "\(safe(configuration.file)): ok"
        case .version(let version): "pinhole \(safe(version.version))"
        case .help(let help):
            help.help.split(separator: "\n", omittingEmptySubsequences: false).map { safe(String($0)) }
                .joined(separator: "\n")
        case .error(let record):
            Self.text(CommandFailure(slug: record.error.code, record.error.message, retry: record.error.retry))
        }
    }

    private mutating func text(_ photo: PhotoRecord) -> String {
        switch command {
        case .list:
            return headed(columns(Self.photoHeader), columns(cells(photo)))
        case .show: return details(photo)
        case .pick: return "picked \(safe(photo.number))  \(safe(photo.path))"
        case .restore: return "restored \(safe(photo.number))  \(safe(photo.path))"
        case .favorite:
            return "\(safe(photo.number)) is \(photo.favorite ? "a favorite" : "not a favorite")"
        default:
            return saved(
                number: photo.number, path: photo.path, width: Int64(photo.width), height: Int64(photo.height),
                bytes: photo.bytes, lagUs: photo.lagUs, durableMs: photo.durableMs)
        }
    }

    private static let photoHeader = [
        (text: "NUMBER", width: 8), ("CAPTURED", 20), ("SIZE", 11), ("BYTES", 9), ("MARKS", 5), ("NAME", 0),
    ]

    private func cells(_ photo: PhotoRecord) -> [(text: String, width: Int)] {
        [
            (photo.number, 8), (moment(photo.captured) + (photo.clockTrusted ? "" : "?"), 20),
            ("\(photo.width)x\(photo.height)", 11), (size(photo.bytes), 9),
            ((photo.favorite ? "*" : "") + (photo.burst == nil ? "" : "b"), 5), (photo.name, 0),
        ]
    }

    /// A row, below the header when it is the first.
    private mutating func headed(_ header: String, _ row: String) -> String {
        defer { printedHeader = true }
        return printedHeader ? row : header + "\n" + row
    }

    private mutating func text(_ choice: ChoiceRecord) -> String {
        let isOrdered = if case .pick(_, _, let ordered) = command { ordered } else { false }
        let mark = choice.position.map { isOrdered ? "[\($0)]" : "[*]" } ?? "[ ]"
        let row = [(text: String(choice.choice), width: 4), (mark, 5)] + cells(choice.photo)
        return headed(columns([(text: "ROW", width: 4), ("", 5)] + Self.photoHeader), columns(row))
    }

    private mutating func text(_ client: ClientRecord) -> String {
        let selected = client.selected.map(String.init) ?? "-"
        guard case .clients = command else {
            let photos = client.selected.map { ", \(count($0, "photo")) selected" } ?? ""
            return "\(safe(client.name)): \(safe(client.level)), \(safe(client.status))\(photos)"
        }
        let widths = [16, 8, 14, 14, 8, 0]
        let header = ["CLIENT", "LEVEL", "ADDING", "SEEING", "SELECTED", "PURPOSE"]
        let cells = [
            client.name, client.level, client.addOnly, client.readWrite, selected, client.purpose ?? "built in",
        ]
        func line(_ texts: [String]) -> String { columns(zip(texts, widths).map { (text: $0, width: $1) }) }
        return headed(line(header), line(cells))
    }

    private func saved(
        number: String, path: String, width: Int64, height: Int64, bytes: Int64, lagUs: Int64?, durableMs: Double?
    ) -> String {
        var parts = ["saved \(safe(number))", safe(path), "\(width)x\(height)", size(bytes)]
        if let lagUs { parts.append("lag " + lag(lagUs)) }
        if let durableMs { parts.append("durable after " + duration(durableMs)) }
        return parts.joined(separator: "  ")
    }

    private func details(_ photo: PhotoRecord) -> String {
        var rows: [(String, String)] = [
            ("number", photo.number), ("id", photo.id), ("path", photo.path),
            ("captured", photo.clockTrusted ? photo.captured : photo.captured + "  (clock not trusted)"),
            ("size", "\(photo.width)x\(photo.height)"), ("bytes", String(photo.bytes)),
            ("favorite", photo.favorite ? "yes" : "no"), ("burst", photo.burst ?? "-"),
        ]
        for resource in photo.resources {
            rows.append((resource.type, "\(resource.name)  \(size(resource.bytes))"))
        }
        rows.append(("lag", photo.lagUs.map(lag) ?? "-"))
        rows.append(("durable after", photo.durableMs.map(duration) ?? "-"))
        return table(rows)
    }

    private func text(_ status: StatusRecord) -> String {
        let library = status.library
        let photos = "\(count(library.assets, "photo")), \(size(library.bytes))"
        let room = "\(size(library.freeBytes)) free, about \(count(library.shotsLeft, "shot")) left"
        let now = status.clock.now
        var rows: [(String, String)] = [
            ("state", status.state.rawValue), ("sensor", status.sensor ?? "none"), ("board", status.board),
            ("led", status.led), ("library", "\(photos); \(room); \(library.trash) in the trash"),
        ]
        rows += doors(status.doors)
        rows += [
            ("presses refused", "\(status.pressesRefused)"),
            ("clock", status.clock.trusted ? now : now + "  (not trusted: `clock set TIME`)"),
        ]
        for client in status.clients { rows.append(("client \(client.name)", "\(client.level), \(client.status)")) }
        rows.append(("version", status.version))
        return table(rows)
    }

    /// The rows of the doors that this program knows, and one for each field of others.
    private func doors(_ fields: [String: FieldValue]) -> [(String, String)] {
        var rows: [(String, String)] = []
        var rest = fields
        for row in grammar.statusRows {
            guard let text = row.text(fields) else { continue }
            rows.append((row.label, text))
            for key in row.keys { rest[key] = nil }
        }
        return rows + rest.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
    }

    private func text(_ answer: DoorRecord) -> String {
        guard case .door(let command) = command, case .string(let word) = answer.fields[command.name] else {
            return safe(answer.message)
        }
        return "\(safe(word)): \(safe(answer.message))"
    }

    private func text(_ clock: ClockRecord) -> String {
        var parts = [safe(clock.now), clock.trusted ? "trusted" : "not trusted: `clock set TIME` sets it"]
        if let zone = clock.zone { parts.append("zone \(safe(zone))") }
        switch clock.changed {
        case "system": parts.append("the system clock was set")
        case "offset": parts.append("kept as the camera's own offset: the system clock cannot be set")
        default: break
        }
        return parts.joined(separator: "  ")
    }

    private func text(_ event: EventRecord) -> String {
        let sentence = event.text("message").map(safe)
        switch (event.name, command) {
        case (.saved, nil):
            return saved(
                number: event.text("number") ?? "?", path: event.text("path") ?? "?", width: integer(event, "width"),
                height: integer(event, "height"), bytes: integer(event, "bytes"),
                lagUs: event.fields["lag_us"].flatMap { if case .integer(let value) = $0 { value } else { nil } },
                durableMs: event.fields["durable_ms"].flatMap(number))
        case (.prompt, nil): return prompt(event)
        case (.promptEnded, nil):
            let client = safe(event.text("client") ?? "?")
            switch event.text("answer") {
            case "unanswered"?: return "\(client) did not get an answer; nothing changes"
            case "withdrawn"?: return "\(client) withdrew its request"
            case let answer: return "\(client) was answered: \(safe(answer ?? "?"))"
            }
        case (.access, nil):
            let parts = ["client", "level", "status"].map { safe(event.text($0) ?? "?") }
            return "\(parts[0]): \(parts[1]), \(parts[2])"
        case (.some, nil):
            let code = event.text("code").map { safe($0) + ": " } ?? ""
            return "\(safe(event.event)): \(code)\(sentence ?? "")"
        default:
            let fields = event.fields.sorted { $0.key < $1.key }.filter { $0.value != .null }
                .map { " \(safe($0.key))=\(safe($0.value.description))" }
            return "\(safe(event.time))  \(padded(safe(event.event), 9)) \(fields.joined())"
        }
    }

    private func prompt(_ event: EventRecord) -> String {
        let client = safe(event.text("client") ?? "?")
        let action =
            switch event.text("level") {
            case "add-only"?: "add photos"
            case "read-write"?: "see photos"
            case let level?: safe(level)
            case nil: "delete " + count(Int(clamping: integer(event, "count")), "photo")
            }
        let hold = integer(event, "hold_ms")
        let time = hold > 0 ? " for \(seconds(hold))" : ""
        let purpose = safe(event.text("purpose") ?? "?")
        let stop = purpose.last.map { ".!?".contains($0) } == true ? "" : "."
        return
            "\(client) asks to \(action): \(purpose)\(stop) Hold the shutter\(time) to allow, or type: allow \(client)"
    }

    private func integer(_ event: EventRecord, _ key: String) -> Int64 {
        if case .integer(let value) = event.fields[key] { value } else { 0 }
    }

    private func number(_ value: FieldValue) -> Double? {
        switch value {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    private func safe(_ text: String) -> String { TerminalText.escaped(text) }

    private func table(_ rows: [(String, String)]) -> String {
        let width = rows.map { $0.0.count }.max() ?? 0
        return rows.map { padded(safe($0.0), width) + "  " + safe($0.1) }.joined(separator: "\n")
    }

    private func columns(_ cells: [(text: String, width: Int)]) -> String {
        cells.map { padded(safe($0.text), $0.width) }.joined(separator: "  ")
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func count(_ value: Int, _ noun: String) -> String {
        "\(value) \(noun)\(value == 1 ? "" : "s")"
    }

    /// `2026-11-30 09:15:00` of an RFC 3339 time; what is no such time is shown as it is.
    private func moment(_ text: String) -> String {
        guard text.utf8.count >= 19, text.dropFirst(10).first == "T" else { return safe(text) }
        return safe(String(text.prefix(10)) + " " + text.dropFirst(11).prefix(8))
    }

    private func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 { return (unit == "B" ? String(bytes) : tenths(value)) + " " + unit }
            value /= 1000
        }
        return tenths(value) + " TB"
    }

    private func seconds(_ milliseconds: Int64) -> String {
        (milliseconds % 1000 == 0 ? String(milliseconds / 1000) : tenths(Double(milliseconds) / 1000)) + " s"
    }

    private func lag(_ microseconds: Int64) -> String { tenths(Double(microseconds) / 1000) + " ms" }

    private func duration(_ milliseconds: Double) -> String { tenths(milliseconds) + " ms" }

    /// One decimal. A number too large for that is written as it is.
    private func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return String(value) }
        return String((value * 10).rounded() / 10)
    }
}

/// Text made safe for a terminal.
package enum TerminalText {
    /// The text with everything that could steer a terminal or reorder a line written as an escape: `\n`, `\u{1B}`.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: steers) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": safe += "\\n"
            case "\r": safe += "\\r"
            case "\t": safe += "\\t"
            case _ where steers(scalar): safe += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// True for control characters, line and paragraph separators, and the controls of writing direction.
    static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}

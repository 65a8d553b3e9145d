extension CommandGrammar {
    /// The help for one command, or the list of all.
    ///
    /// - Parameter console: true on a console, where shell-only commands and options are left out.
    package func help(_ topic: String?, console: Bool) -> String {
        if let topic, let entry = entry(topic) { return Self.explain(entry, console: console) }
        let entries = entries.filter { $0.place != (console ? .shell : .console) }
        let width = entries.map { $0.name.count }.max() ?? 0
        var lines = [console ? "COMMAND [OPTIONS]" : "Usage: pinhole [--state DIR] [--json] COMMAND [OPTIONS]", ""]
        lines += entries.map { entry in
            let mark = !console && entry.place != .anywhere ? " *" : ""
            return "  " + Self.padded(entry.name, width) + "  " + entry.summary + mark
        }
        lines.append("")
        if !console { lines.append("* needs no running camera; the other commands use the camera running on --state.") }
        lines.append("`\(console ? "" : "pinhole ")help COMMAND` explains one.")
        return lines.joined(separator: "\n")
    }

    private static func explain(_ entry: Entry, console: Bool) -> String {
        let program = console ? "" : "pinhole "
        var lines = entry.usage.enumerated().map { ($0 == 0 ? "Usage: " : "       ") + program + $1 }
        lines += ["", entry.summary]
        if !entry.detail.isEmpty { lines.append(entry.detail) }
        let globals = globalOptions.filter { !console || $0.name == "--json" }
        let options = (entry.options + globals).map { option in
            (left: option.name + (option.value.map { " " + $0 } ?? ""), right: option.summary)
        }
        let width = options.map { $0.left.count }.max() ?? 0
        lines.append("")
        lines += options.map { "  " + padded($0.left, width) + "  " + $0.right }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

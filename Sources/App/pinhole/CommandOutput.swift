import Camera
import Console
import Glibc

/// Prints the records of one command: lines of JSON, or text for people with errors on standard error.
struct CommandOutput {
    private let json: Bool
    private var renderer: TextRenderer

    /// Output for a command; nil while the line is not understood yet.
    init(command: Command?, json: Bool) {
        self.json = json
        renderer = TextRenderer(command: command, grammar: .pinhole)
    }

    /// Prints a record as text or as a line of JSON.
    mutating func show(_ record: Record) {
        show(line: record.json, record)
    }

    /// Prints a record as it came, or what this version reads in it.
    mutating func show(line: String, _ record: Record?) {
        if json {
            write(line + "\n", to: STDOUT_FILENO)
        } else if case .input = record {
            // The line is typed behind it; a file or pipe needs no prompt.
            if isatty(STDIN_FILENO) == 1, let record { write(renderer.text(record), to: STDOUT_FILENO) }
        } else if let record {
            write(renderer.text(record) + "\n", to: TextRenderer.isError(record) ? STDERR_FILENO : STDOUT_FILENO)
        }
    }

    private func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

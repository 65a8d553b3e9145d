import Foundation
import Testing

@testable import Console

/// docs/console.md holds tables that are made from the code. When one differs, the test shows what it should be.
@Suite("docs/console.md")
struct ConsoleDocumentTests {
    private static func document() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/console.md"), encoding: .utf8)
    }

    @Test("every command is there with its forms, options and sentence, in the order of help")
    func commands() throws {
        let document = try Self.document()
        for entry in CommandTable.entries {
            var section = "### `\(entry.name)`\n```\n" + entry.usage.joined(separator: "\n") + "\n```\n" + entry.summary
            if !entry.detail.isEmpty { section += " " + entry.detail }
            section += "\n"
            if !entry.options.isEmpty {
                section +=
                    "\n"
                    + entry.options.map { option in
                        "- `\(option.name)\(option.value.map { " " + $0 } ?? "")`: \(option.summary)\n"
                    }.joined()
            }
            #expect(document.contains(section), "docs/console.md lacks:\n\(section)")
        }
        let headings = document.split(separator: "\n").filter { $0.hasPrefix("### `") }
        #expect(headings.map { $0.dropFirst(5).dropLast() } == CommandTable.entries.map { Substring($0.name) })
    }

    @Test("the tables of states, events, error codes and exit statuses are those of the code")
    func tables() throws {
        let document = try Self.document()
        let tables: [(heading: String, rows: [String])] = [
            ("| state | meaning |", CameraState.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }),
            (
                "| event | meaning | shown on consoles |",
                EventName.allCases.map { "| `\($0.rawValue)` | \($0.meaning) | \($0.isAnnounced ? "yes" : "") |" }
            ),
            (
                "| code | meaning | status |",
                FailureCode.allCases.map { "| `\($0.rawValue)` | \($0.meaning) | \($0.exit.rawValue) |" }
            ),
            ("| status | meaning |", ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }),
        ]
        for (heading, rows) in tables {
            let columns = heading.split(separator: "|").count
            let rule = "|" + String(repeating: "---|", count: columns)
            let table = ([heading, rule] + rows).joined(separator: "\n") + "\n\n"
            #expect(document.contains(table), "docs/console.md lacks:\n\(table)")
        }
    }

    @Test("every kind of record is there with exactly its keys", arguments: Examples.all)
    func keys(record: Record) throws {
        if case .event = record { return }
        let object = try JSONSerialization.jsonObject(with: Data(record.json.utf8))
        func keys(_ value: Any) -> Set<String> {
            switch value {
            case let object as [String: Any]: Set(object.keys).union(object.values.flatMap(keys))
            case let list as [Any]: Set(list.flatMap(keys))
            default: []
            }
        }
        let kind = String(String(describing: record).prefix { $0 != "(" })
        let row = try Self.document().split(separator: "\n").first { $0.hasPrefix("| \(kind) |") }
        let written = row?.split(separator: "|").dropFirst().first.map { cell in
            Set(cell.split(whereSeparator: { !$0.isLetter && $0 != "_" }).map(String.init))
        }
        #expect(written == keys(object), "the row of \(kind) in docs/console.md")
    }
}

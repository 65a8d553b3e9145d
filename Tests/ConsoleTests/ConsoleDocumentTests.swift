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
        switch record {
        case .event, .door: return
        default: break
        }
        // The fields of the doors that the program has; Console knows none.
        var record = record
        if case .status(var status) = record {
            status.doors = ["usb": .null, "usb_mode": .null, "ptpip": .null]
            record = .status(status)
        }
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

import Camera
import Console
import Foundation
import Testing

@testable import pinhole

/// docs/console.md holds what is made from the code. When it differs, the test shows what it should be.
@Suite("The commands in docs/console.md")
struct CommandDocumentTests {
    private static func document() throws -> String {
        try String(contentsOf: Reference.repository.appending(path: "docs/console.md"), encoding: .utf8)
    }

    @Test("every command is there with its forms, options and sentence, in the order of help")
    func commands() throws {
        let document = try Self.document()
        for entry in CommandGrammar.pinhole.entries {
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
        #expect(
            headings.map { $0.dropFirst(5).dropLast() } == CommandGrammar.pinhole.entries.map { Substring($0.name) })
    }

    @Test("a status and what usb answers have the keys that the rows say")
    func rows() throws {
        let document = try Self.document()
        #expect(document.contains("clients[{name, level, status}], usb, usb_mode, ptpip, version` | `status` |"))
        #expect(document.contains("| usb | `usb, mode, message` | `usb` |"))
    }
}

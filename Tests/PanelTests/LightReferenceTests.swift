import Foundation
import Panel
import Testing

@Suite("The light's reference")
struct LightReferenceTests {
    @Test("docs/led.md has every pattern as the table has it")
    func documentation() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/led.md")
        let begin = "<!-- patterns: written by `make golden` -->\n"
        let end = "<!-- end of patterns -->\n"
        var table = "| light | meaning | `status` says |\n|---|---|---|\n"
        for pattern in LightPattern.all {
            table +=
                "| \(pattern.looks) | \(pattern.meaning) | \(pattern.priority == .once ? "–" : "`\(pattern.name)`") |\n"
        }
        let present = try String(contentsOf: url, encoding: .utf8)
        let from = try #require(present.range(of: begin))
        let to = try #require(present.range(of: end))
        let wanted = present[..<from.upperBound] + "\n" + table + "\n" + present[to.lowerBound...]
        if ProcessInfo.processInfo.environment["PINHOLE_RECORD_GOLDEN"] == "1" {
            try String(wanted).write(to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(
                present == wanted, "docs/led.md does not follow the table of patterns; `make golden` writes it again")
        }
    }
}

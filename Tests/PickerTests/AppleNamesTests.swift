import Foundation
import Testing

@Suite struct AppleNamesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of a file in one of a target's folders.
    private func file(_ name: String, under folder: String) throws -> String {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.root.appendingPathComponent(folder).path)
        return folder + "/" + (try #require(paths.first { ($0 as NSString).lastPathComponent == name }))
    }

    private func pairs(_ path: String, _ pattern: String) throws -> [[String]] {
        let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        let range = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: range).map { match in
            (1...2).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
        }
    }

    @Test("the table of names in the documentation has each of Apple's names, and no other")
    func table() throws {
        let names = try ["Capture", "Photos", "Picker"].flatMap { module in
            try pairs(
                file("AppleNames.swift", under: "Sources/Core/\(module)"),
                #"^public (?:typealias|let) (\w+) = ([\w.]+)$"#)
        }
        let table = try pairs("docs/apple-names.md", #"^\| `(\w+)` \| `([\w.]+)` \|$"#)
        #expect(names.count > 40)
        #expect(names == table)
        #expect(Set(names.map(\.first)).count == names.count)
    }
}

import Camera
import Configuration
import Foundation
import Testing

/// Writes the owner's reference and the default file from the table of keys.
enum Reference {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The table of docs/configuration.md, one section for each group.
    static var documentation: String {
        var text = ""
        var group = ""
        for key in ConfigurationSchema.pinhole.keys {
            if key.group != group {
                group = key.group
                text += "\n### \(group)\n\n| key | takes | default | `set` | what it does |\n|---|---|---|---|---|\n"
            }
            let value = key.defaultValue.map { "`\($0.fileText)`" } ?? "not set"
            text +=
                "| `\(key.path)` | \(takes(key)) | \(value) | \(key.isSettable ? "yes" : "–") | \(key.documentation) |\n"
        }
        text += "\n### clients\n\n| key | takes | default | `set` | what it does |\n|---|---|---|---|---|\n"
        for key in ConfigurationKey.ofClient {
            let value = key.isRequiredOfClient ? "required" : key.defaultValue.map { "`\($0.fileText)`" } ?? "not set"
            text += "| `\(key.path)` | \(takes(key)) | \(value) | – | \(key.documentation) |\n"
        }
        return text + "\n"
    }

    /// A client, as it stands in a comment of the default file.
    static let clientExample = """
        clients = (
            { name = "usb"; purpose = "copies photos to a computer"; access = "ask"; on_hold = "full"; },
            { name = "backup"; purpose = "backs new photos up at night"; access = "full"; }
        );
        """

    /// The default file: every key in a comment, so that leaving it alone changes nothing.
    static var defaultFile: String {
        var text = """
            # The configuration of Pinhole. Every setting is in a comment, with its default or an example;
            # remove the first # to change it. docs/configuration.md explains more.
            # `pinhole check-config FILE` checks a file.

            """
        var group = ""
        for key in ConfigurationSchema.pinhole.keys {
            if key.group != group {
                text += group.isEmpty ? "\n" : "}\n\n"
                group = key.group
                text += "\(group):\n{\n"
            } else {
                text += "\n"
            }
            text += "    # \(key.documentation)\n    # \(takes(key, initial: true))"
            text += key.defaultValue == nil ? ". Not set by default; for example:\n" : ".\n"
            text += "    #\(key.name) = \((key.defaultValue ?? key.example)?.fileText ?? "");\n"
        }
        text += "}\n\n# Clients of the library besides the shutter and the console. Each client has:\n"
        for key in ConfigurationKey.ofClient {
            text += "# \(key.name): \(takes(key, initial: true)). \(key.documentation)\n"
        }
        text += "# For example:\n"
        for line in clientExample.split(separator: "\n") { text += "#\(line)\n" }
        return text
    }

    private static func takes(_ key: ConfigurationKey, initial: Bool = false) -> String {
        let unit = key.unit.map { ", in \($0)" } ?? ""
        let text = key.expectation + unit
        return initial ? text.prefix(1).uppercased() + text.dropFirst() : text
    }

    /// Compares a file of the repository with what it should be, or writes it when golden files are recorded.
    static func check(_ path: String, _ expected: (_ present: String) -> String) throws {
        let url = repository.appending(path: path)
        let present = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        let wanted = expected(present)
        if ProcessInfo.processInfo.environment["PINHOLE_RECORD_GOLDEN"] == "1" {
            try wanted.write(to: url, atomically: true, encoding: .utf8)
            return
        }
        #expect(present == wanted, "\(path) differs from the table of keys; `make golden` writes it again")
    }
}

@Suite("The owner's reference")
struct ReferenceTests {
    private static func parse(_ text: String) throws(ConfigurationError) -> CameraConfiguration {
        try CameraConfiguration.parse(
            Array(text.utf8), over: CameraConfiguration(schema: .pinhole), file: "pinhole.conf")
    }

    @Test("docs/configuration.md has every key as the table has it")
    func documentation() throws {
        let begin = "<!-- keys: written by `make golden` -->\n"
        let end = "<!-- end of keys -->\n"
        try Reference.check("docs/configuration.md") { present in
            guard let from = present.range(of: begin), let to = present.range(of: end) else {
                return "\(begin)\(end)"
            }
            return present[..<from.upperBound] + Reference.documentation + present[to.lowerBound...]
        }
    }

    @Test("the default file has every key as the table has it")
    func defaultFile() throws {
        try Reference.check("deploy/etc/pinhole/pinhole.conf") { _ in Reference.defaultFile }
    }

    @Test("the default file changes nothing, and neither do its defaults without their comment signs")
    func defaultFileIsNeutral() throws {
        let text = try String(
            contentsOf: Reference.repository.appending(path: "deploy/etc/pinhole/pinhole.conf"), encoding: .utf8)
        #expect(try Self.parse(text) == CameraConfiguration(schema: .pinhole))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isSetting = line.hasPrefix("    #") && line.hasSuffix(";")
            return isSetting ? "    " + line.dropFirst(5) : String(line)
        }
        let all = lines.joined(separator: "\n")
        let examples = ConfigurationSchema.pinhole.keys.compactMap { key in key.example.map { (key.path, $0) } }
        #expect(
            try Self.parse(all)
                == CameraConfiguration(schema: .pinhole).setting(Dictionary(uniqueKeysWithValues: examples)))
        for key in ConfigurationSchema.pinhole.keys {
            #expect(all.contains("    \(key.name) = \((key.defaultValue ?? key.example)?.fileText ?? "?");"))
        }
    }

    @Test("the example of clients in the default file is right")
    func clientExample() throws {
        let text = try String(
            contentsOf: Reference.repository.appending(path: "deploy/etc/pinhole/pinhole.conf"), encoding: .utf8)
        let example = text.split(separator: "\n").drop { $0 != "#clients = (" }.map { $0.dropFirst() }
        let configuration = try Self.parse(example.joined(separator: "\n"))
        #expect(configuration.clients.map(\.name) == ["usb", "backup"])
        #expect(configuration.clients.map(\.onHold) == [.full, .limited])
    }
}

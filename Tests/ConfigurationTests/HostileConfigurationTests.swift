import Foundation
import Testing

@testable import Configuration

@Suite("Hostile configurations")
struct HostileConfigurationTests {
    /// xorshift64 (Marsaglia 2003), so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    /// True when the bytes are taken; a refusal must have a sentence.
    private func isTaken(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try CameraConfiguration.parse(bytes, file: "x")
            return true
        } catch {
            #expect(error.problems.allSatisfy { !$0.message.isEmpty } && !error.problems.isEmpty)
            return false
        }
    }

    @Test("random bytes are refused without harm")
    func randomBytes() {
        var random = Generator(state: 1)
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...200, using: &random)
            _ = isTaken((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    @Test("pieces of the syntax in any order are refused or taken without harm")
    func randomPieces() {
        let pieces = [
            "photo", "quality", ":", "=", "{", "}", "[", "]", "(", ")", ";", ",", "\"", "\\", "93", "-1", "0x7fffffff",
            "1e9",
            "9L", "true", "clients", "name", "purpose", "#", "//", "/*", "*/", "\n", " ", "@include", "\"a\"", "\\x00",
            "é", ".", "*", "+",
        ]
        var random = Generator(state: 2)
        var taken = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 1...30, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined(separator: " ")
            if isTaken(Array(text.utf8)) { taken += 1 }
        }
        #expect(taken > 0)
    }

    /// A file with every key, its sentence in a comment, and an example of clients.
    private static var everything: String {
        var text = ""
        for key in ConfigurationSchema.core.keys {
            let isFirst = !text.contains("\n\(key.group) : {\n")
            if isFirst { text += (text.isEmpty ? "" : "}\n") + "\n\(key.group) : {\n" }
            text += "    // \(key.documentation)\n"
            if let value = key.defaultValue ?? key.example { text += "    \(key.name) = \(value.fileText);\n" }
        }
        return text + """
            }
            clients = (
                { name = "usb"; purpose = "copies photos to a computer"; access = "ask"; on_hold = "full"; },
                { name = "backup"; purpose = "backs new photos up at night"; access = "full"; }
            );
            """
    }

    @Test("mutations of a file with all settings are refused or taken without harm")
    func mutations() throws {
        let original = Array(Self.everything.utf8)
        try #require(isTaken(original))
        var random = Generator(state: 3)
        var outcomes: Set<Bool> = []
        for _ in 0..<2_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &random)))
                case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            outcomes.insert(isTaken(bytes))
        }
        #expect(outcomes == [true, false])
    }

    @Test("brackets nested as deeply as the size allows are refused")
    func deepNesting() {
        for bracket in ["a={", "a=(", "(", "["] {
            #expect(!isTaken(Array(("a=" + String(repeating: bracket, count: 16_000)).utf8)))
        }
    }

    @Test("a settings file of random bytes never keeps the camera from starting")
    func hostileSettingsFile() {
        var random = Generator(state: 4)
        for _ in 0..<200 {
            let files = MemoryFiles()
            let bytes = (0..<50).map { _ in UInt8.random(in: 1...255, using: &random) }
            files.state.withLock { $0.contents["/state/settings.conf"] = bytes }
            let loaded = SettingsFile(state: "/state", files: files).load(over: CameraConfiguration())
            #expect(loaded.settings == Settings(base: CameraConfiguration()) || loaded.rejection == nil)
        }
    }
}

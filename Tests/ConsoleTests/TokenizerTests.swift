import Console
import Testing

@Suite("Words of a line")
struct TokenizerTests {
    @Test(
        "quotes and backslashes work as in a shell",
        arguments: [
            ("list --limit  5", ["list", "--limit", "5"]), ("  ", []), ("a\tb", ["a", "b"]),
            ("set name 'my camera'", ["set", "name", "my camera"]), ("\"a \\\" b\\\\\"", ["a \" b\\"]),
            ("'a\\b'", ["a\\b"]), ("a\\ b", ["a b"]), ("a'b c'd", ["ab cd"]), ("''", [""]), ("x \"\"", ["x", ""]),
        ])
    func words(line: String, words: [String]) throws {
        #expect(try Tokenizer.words(line) == words)
    }

    @Test("a quote that is not closed and a backslash at the end are usage errors", arguments: ["'a", "a \"b", "a\\"])
    func unfinished(line: String) {
        let failure = failureOf { () throws(CommandFailure) in try Tokenizer.words(line) }
        #expect(failure?.exit == .usage)
    }

    @Test(
        "a line made from words gives these words back",
        arguments: [
            ["list"], ["set", "name", "it's \"mine\""], ["a", "", "b"], ["$HOME", "`x`", "a\\", "--x=1 2"], ["é漢"],
        ])
    func line(words: [String]) throws {
        #expect(try Tokenizer.words(Tokenizer.line(words)) == words)
    }

    @Test("a word with a line break cannot be sent", arguments: ["a\nb", "a\u{0}", "\u{1B}[2J"])
    func controls(word: String) {
        #expect(throws: CommandFailure.self) { try Tokenizer.line([word]) }
    }
}

import Platform

/// Why a configuration was refused: every problem found, each in one sentence.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One problem of a configuration file or of a typed setting, with the place where it is known.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The file it is in; nil for what a person typed.
        package var file: String?
        /// The line, counted from 1, where it is known.
        package var line: Int?
        /// The key it is about, as it was given.
        package var key: String?
        /// What is wrong and what was expected.
        package var message: String

        /// The sentence, with file and line before it: `pinhole.conf:12: photo.quality is 193, expected …`.
        package var description: String {
            guard let file else { return message }
            return file + (line.map { ":\($0)" } ?? "") + ": " + message
        }
    }

    /// Every problem found, at least one.
    package let problems: [Problem]

    init(_ problems: [Problem]) {
        self.problems = problems
    }

    /// One line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension ConfigurationError.Problem {
    /// Says that there is no such key, and which one is nearest.
    static func unknown(
        _ key: String, in file: String? = nil, line: Int? = nil, among keys: [ConfigurationKey]
    ) -> Self {
        let hint = NearestWord.of(key, among: keys.map(\.path)).map { "; did you mean \($0)?" } ?? ""
        return Self(file: file, line: line, key: key, message: "there is no setting \(key)" + hint)
    }
}

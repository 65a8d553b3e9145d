/// A running command asks for one more line.
package struct InputRecord: Codable, Hashable, Sendable {
    /// What a person sees before the line.
    package var input: String

    /// A request for a line.
    package init(input: String) {
        self.input = input
    }
}

/// Shows photos to a person and takes the choice: a console, a page in a browser, a script.
///
/// A front acts for the person who holds the camera, not for the program that wants the photos; it sees every photo that the
/// filter offers, and what it is shown does not go to that program.
public protocol PickerFront: Sendable {
    /// Shows the choices until the person is done.
    ///
    /// - Returns: how it ended. When the calling task is canceled, the program no longer wants an answer: return soon.
    func choose(from choices: PickerChoices) async -> PickerOutcome
}

/// How a picker ended.
public enum PickerOutcome: Hashable, Sendable {
    /// What is chosen goes to the program.
    case done
    /// Everything stays as it was.
    case cancelled
}

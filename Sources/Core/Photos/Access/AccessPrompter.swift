import Platform

/// Asks a person whether a client may use photos.
///
/// The library asks one question at a time. A question about access ends unanswered after 30 seconds, one about a deletion
/// after 20 seconds. After an unanswered question its client cannot ask for a minute, then for five, then for thirty.
public protocol AccessPrompter: Sendable {
    /// Asks the person and waits for the answer.
    func ask(_ question: AccessQuestion) async -> AccessAnswer
    /// Ends a question early: its client has gone, its time is over, or the client got another answer. The library ignores
    /// what `ask` then returns.
    func withdraw(_ question: AccessQuestion)
}

/// A question to a person that a client's request causes.
public struct AccessQuestion: Hashable, Sendable {
    /// What a question is about.
    public enum Subject: Hashable, Sendable {
        /// A level of access that is still undecided.
        case access(AccessLevel)
        /// The deletion of this many assets.
        case deletion(count: Int)
    }

    /// Distinguishes questions of one library; later questions have greater numbers.
    public let number: Int
    /// The name of the client that caused the question.
    public let client: String
    /// What the person is to decide.
    public let subject: Subject
    /// Why the client asks, from the configuration; empty when the configuration does not mention the client.
    public let purpose: String
}

/// A person's answer to a question.
public enum AccessAnswer: Hashable, Sendable {
    /// The person allows it without naming a level. For reading this gives access to selected photos, none at first, unless
    /// the client's configuration says otherwise.
    case allowed
    /// The person gives the client this level. It does not confirm a deletion.
    case granted(ClientLevel)
    /// The person denies the request.
    case refused
    /// There was no answer in time. The library decides nothing.
    case unanswered
}

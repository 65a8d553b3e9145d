/// Asks the person who holds the camera, by its light and button or otherwise.
///
/// In which order questions are shown, for how long, and when a client has asked too often is its own affair.
public protocol AccessPrompter: Sendable {
    /// Asks and waits. A question nobody answers is to be answered `.unanswered` after a while.
    func ask(_ question: AccessQuestion) async -> AccessAnswer
    /// The question is void: its client is gone or has been decided about. What `ask` then answers does not matter.
    func withdraw(_ question: AccessQuestion)
}

/// A question that a client's request raises.
public struct AccessQuestion: Hashable, Sendable {
    /// What is asked.
    public enum Subject: Hashable, Sendable {
        /// To get a level that is undecided.
        case access(AccessLevel)
        /// To delete so many assets.
        case deletion(count: Int)
    }

    /// Tells questions apart; counts up.
    public let number: Int
    /// Name of the client that asks.
    public let client: String
    /// What is asked.
    public let subject: Subject
    /// Why, as configuration says it; empty when it says nothing of this client.
    public let purpose: String
}

/// The answer to a question.
public enum AccessAnswer: Hashable, Sendable {
    /// Yes, by somebody who did not say how far.
    case allowed
    /// The owner gives this level.
    case granted(ClientLevel)
    /// The owner refuses.
    case refused
    /// Nobody answered; nothing is decided.
    case unanswered
}

import Console
import Testing

/// The failure that a call ends with. A call that does not fail is an issue.
func failureOf<Value: ~Copyable>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(CommandFailure) -> Value
) -> CommandFailure? {
    do throws(CommandFailure) {
        _ = try body()
    } catch {
        return error
    }
    Issue.record("did not fail", sourceLocation: sourceLocation)
    return nil
}

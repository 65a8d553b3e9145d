/// A value that only one thread ever touches.
///
/// - Isolation: `value` is asked for on the thread it is confined to and nowhere else.
// Passed about by any thread, but made (lazily) and used by the jobs of one `WorkerThread` only; that thread does one
// job at a time, which is what makes it safe.
final class Confined<Value>: @unchecked Sendable {
    private let make: () -> Value
    private(set) lazy var value: Value = make()

    /// - Parameter make: makes the value on its thread, at its first use.
    init(_ make: @escaping () -> Value) {
        self.make = make
    }
}

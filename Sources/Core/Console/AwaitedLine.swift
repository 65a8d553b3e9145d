import Synchronization

/// The line that a running command waits for, and whom to tell.
///
/// - Isolation: any thread.
final class AwaitedLine: Sendable {
    typealias Body = @Sendable (String?) -> Void

    private let body = Mutex<Body?>(nil)

    /// Remembers whom to tell. One that was still waiting is told that nothing comes.
    func wait(_ next: @escaping Body) {
        let former = body.withLock { body in
            defer { body = next }
            return body.take()
        }
        former?(nil)
    }

    /// Tells whoever waits, once; nil when nothing more comes.
    func answer(_ line: String?) {
        body.withLock { $0.take() }?(line)
    }
}

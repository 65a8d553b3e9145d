import Synchronization

/// Hands each element to everybody who follows, and remembers the newest ones for whoever asks later.
///
/// - Isolation: any thread. Followers are called on the sender's thread, in the order of sending, and must not block.
package final class Broadcast<Element: Sendable>: Sendable {
    /// Names a follower.
    package struct Follower: Hashable, Sendable {
        fileprivate let value: UInt64
    }

    private struct State {
        var recent: [Element] = []
        var followers: [UInt64: @Sendable (Element) -> Void] = [:]
        var next: UInt64 = 1
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// An empty one that remembers `capacity` elements.
    package init(remembering capacity: Int) {
        self.capacity = capacity
    }

    /// Gives an element to every follower.
    package func send(_ element: Element) {
        // Under the lock, so that every follower sees the same order.
        state.withLock { state in
            state.recent.append(element)
            if state.recent.count > 2 * capacity { state.recent.removeFirst(state.recent.count - capacity) }
            for follower in state.followers.values { follower(element) }
        }
    }

    /// The newest elements, oldest first.
    package var recent: [Element] { state.withLock { Array($0.recent.suffix(capacity)) } }

    /// Follows from now on; the remembered elements come first when `replaying`.
    package func follow(replaying: Bool = false, _ body: @escaping @Sendable (Element) -> Void) -> Follower {
        state.withLock { state in
            if replaying { state.recent.suffix(capacity).forEach(body) }
            defer { state.next += 1 }
            state.followers[state.next] = body
            return Follower(value: state.next)
        }
    }

    /// Follows no more.
    package func end(_ follower: Follower) {
        state.withLock { $0.followers[follower.value] = nil }
    }
}

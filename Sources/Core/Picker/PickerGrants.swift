import Platform
import Synchronization

/// Rights to load one chosen photo each. A right is a random token; it is valid for one use and for a limited time.
///
/// - Isolation: any thread; never blocks.
package final class PickerGrants: Sendable {
    /// 128 random bits as 32 hexadecimal digits.
    package struct Token: Hashable, Sendable {
        /// The token as hexadecimal digits.
        package let text: String

        /// A token as a caller presents it.
        package init(_ text: String) {
            self.text = text
        }

        /// A new token. The generator is the kernel's.
        init() {
            var generator = SystemRandomNumberGenerator()
            text = (0..<2).map { _ in
                let digits = String(generator.next() as UInt64, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
        }
    }

    /// What a token is good for.
    package struct Grant: Hashable, Sendable {
        /// The local identifier of the photo that the token gives access to.
        package let assetIdentifier: String
        /// The types as which it may be loaded.
        package let typeIdentifiers: [String]

        /// A right to load a photo as one of these types.
        package init(assetIdentifier: String, typeIdentifiers: [String]) {
            self.assetIdentifier = assetIdentifier
            self.typeIdentifiers = typeIdentifiers
        }
    }

    private struct State {
        var grants: [Token: (grant: Grant, deadline: MonotonicTime)] = [:]
        /// Tokens in the order of their deadlines; some may be used already.
        var queue: [Token] = []
    }

    private let state = Mutex(State())
    private let time: any TimeSource
    private let lifetime: Duration
    private let capacity: Int

    /// No grants.
    ///
    /// - Parameters:
    ///   - lifetime: how long a token is good.
    ///   - capacity: how many tokens there may be at a time; the oldest make room.
    package init(
        time: any TimeSource, lifetime: Duration = .seconds(600),
        capacity: Int = 2 * PickerConfiguration.greatestSelection
    ) {
        self.time = time
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// Makes a token for a grant.
    package func issue(_ grant: Grant) -> Token {
        let now = time.now
        let token = Token()
        state.withLock { state in
            dropOld(&state, now)
            state.grants[token] = (grant, now + lifetime)
            state.queue.append(token)
        }
        return token
    }

    /// Uses up a token. Nil for one that was used, has expired or never existed; callers cannot distinguish these.
    package func redeem(_ token: Token) -> Grant? {
        let now = time.now
        return state.withLock { state in
            guard let (grant, deadline) = state.grants.removeValue(forKey: token), now < deadline else { return nil }
            return grant
        }
    }

    /// How many tokens are still good or not yet forgotten.
    package var count: Int { state.withLock { $0.grants.count } }

    /// Forgets what has run out, makes room for one more, and keeps the queue in step.
    private func dropOld(_ state: inout State, _ now: MonotonicTime) {
        var passed = 0
        for token in state.queue {
            if let deadline = state.grants[token]?.deadline {
                guard deadline <= now || state.grants.count >= capacity else { break }
                state.grants[token] = nil
            }
            passed += 1
        }
        state.queue.removeFirst(passed)
        if state.queue.count > 2 * capacity { state.queue.removeAll { state.grants[$0] == nil } }
    }
}

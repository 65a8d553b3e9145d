import Foundation
import Synchronization

/// The callbacks that must happen for the examples to succeed.
final class Checklist: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Records that a callback has happened.
    func check(_ item: String) {
        print("✓ \(item)")
        counts.withLock { $0[item, default: 0] += 1 }
    }

    /// Waits until all callbacks have happened.
    ///
    /// - Returns: true if each has happened exactly once within a minute.
    func isComplete(_ items: [String]) async -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            let isDone = counts.withLock { counts in items.allSatisfy { counts[$0] != nil } }
            if isDone { break }
            try? await Task.sleep(for: .milliseconds(20))
        }
        let counts = counts.withLock { $0 }
        for item in items where counts[item] != 1 { print("✗ \(item): \(counts[item] ?? 0) times") }
        return items.allSatisfy { counts[$0] == 1 }
    }
}

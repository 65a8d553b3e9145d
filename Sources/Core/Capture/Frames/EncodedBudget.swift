import Synchronization

/// Counts the bytes of encoded photos that are not yet let go of, so that a slow card cannot fill the memory.
final class EncodedBudget: Sendable {
    /// One photo's part of the budget, given back when the last holder lets go.
    final class Share: Sendable {
        private let budget: EncodedBudget
        private let bytes: Mutex<Int>

        fileprivate init(budget: EncodedBudget, bytes: Int) {
            self.budget = budget
            self.bytes = Mutex(bytes)
        }

        deinit {
            budget.add(-bytes.withLock { $0 })
        }

        /// Replaces the estimate by what the photo really takes.
        func settle(_ actual: Int) {
            let change = bytes.withLock { bytes in
                defer { bytes = actual }
                return actual - bytes
            }
            budget.add(change)
        }
    }

    private let used = Mutex(0)
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Bytes held now, estimates included.
    var byteCount: Int { used.withLock { $0 } }

    /// Takes a share for each of the photos of a capture, or nil when the budget does not allow them all. The photos of a
    /// single frame are always allowed, whatever their size, when there are no others.
    func reserve(_ estimates: [Int], isSingleFrame: Bool = true) -> [Share]? {
        let total = estimates.reduce(0, +)
        let accepted = used.withLock { used in
            guard used + total <= limit || (used == 0 && isSingleFrame) else { return false }
            used += total
            return true
        }
        return accepted ? estimates.map { Share(budget: self, bytes: $0) } : nil
    }

    private func add(_ change: Int) {
        used.withLock { $0 += change }
    }
}

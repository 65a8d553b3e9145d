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

    /// Takes a share, or nil when the budget does not allow it. A single photo is always allowed, whatever its size.
    func reserve(_ estimate: Int) -> Share? {
        let accepted = used.withLock { used in
            guard used == 0 || used + estimate <= limit else { return false }
            used += estimate
            return true
        }
        return accepted ? Share(budget: self, bytes: estimate) : nil
    }

    private func add(_ change: Int) {
        used.withLock { $0 += change }
    }
}

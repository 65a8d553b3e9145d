/// What a check of every file found.
package struct VerifyReport: Hashable, Sendable {
    /// A file with a problem, or one that was added or set aside.
    package struct Problem: Hashable, Sendable {
        /// What kind of thing.
        package enum Kind: String, Sendable {
            /// A file is not as it was written.
            case damaged
            /// A file is not there.
            case missing
            /// A file that was not in the catalog is now.
            case adopted
            /// A file that is not whole was set aside.
            case quarantined
        }

        /// What kind of thing.
        package var kind: Kind
        /// The file, relative to `DCIM`, or its name in quarantine.
        package var name: String
        /// Why, in a few words.
        package var reason: String
    }

    /// Assets the library should have, Recently Deleted included.
    package var assets = 0
    /// Those whose files are all as they were written.
    package var ok = 0
    /// Those with a file that is not.
    package var damaged = 0
    /// Those with a file that is not there.
    package var missing = 0
    /// Assets made of files that were not in the catalog.
    package var adopted = 0
    /// The number of files that were set aside.
    package var quarantined = 0
    /// What was found, in the order found.
    package var problems: [Problem] = []
    /// True when nothing could be repaired, because another process is writing or the storage is read-only.
    package var isReadOnly = false

    /// A report of an empty library.
    package init() {}

    /// True when no file is damaged or missing.
    package var isSound: Bool { damaged == 0 && missing == 0 }

    mutating func add(_ found: [Problem]) {
        problems += found
        adopted += found.count { $0.kind == .adopted }
        quarantined += found.count { $0.kind == .quarantined }
        damaged += found.count { $0.kind == .damaged }
    }

    mutating func add(_ verdict: FileCheck.Verdict) {
        assets += 1
        switch verdict {
        case .ok: ok += 1
        case .damaged(let problem):
            damaged += 1
            problems.append(problem)
        case .missing(let problem):
            missing += 1
            problems.append(problem)
        }
    }
}

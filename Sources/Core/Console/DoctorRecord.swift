/// One finding of `doctor`.
package struct DoctorRecord: Codable, Hashable, Sendable {
    /// How a check ended.
    package enum Result: String, Codable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, but not fully.
        case warning
        /// It stops the camera.
        case failed
    }

    /// What was checked.
    package var check: String
    /// How it ended.
    package var result: Result
    /// What was found, and what to do about it.
    package var detail: String

    /// A finding from its parts.
    package init(check: String, result: Result, detail: String) {
        self.check = check
        self.result = result
        self.detail = detail
    }

    /// The worst finding decides how `doctor` ends.
    package static func exit(_ findings: [DoctorRecord]) -> ExitStatus {
        findings.contains { $0.result == .failed } ? .unavailable : .done
    }
}

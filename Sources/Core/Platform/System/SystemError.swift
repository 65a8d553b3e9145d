import CLinuxShim
import Glibc

/// A failed system call: what was attempted, on what, and the kernel's reason.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errno of the call.
    package let code: Int32
    /// What was attempted, as a verb: "open", "sync".
    package let operation: String
    /// The path it was attempted on, if any.
    package let path: String?

    /// An error with the code given.
    package init(code: Int32, operation: String, path: String? = nil) {
        self.code = code
        self.operation = operation
        self.path = path
    }

    /// The error of the call that failed just now, from errno.
    package static func last(_ operation: String, _ path: String? = nil) -> SystemError {
        SystemError(code: errno, operation: operation, path: path)
    }

    /// The kernel's reason alone.
    package var reason: String {
        pinhole_error_text(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// One sentence for a person: `cannot open /x: No such file or directory`.
    package var description: String {
        "cannot " + operation + (path.map { " \($0)" } ?? "") + ": " + reason
    }
}

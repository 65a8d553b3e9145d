import Glibc
import Platform

/// The sensor's own record of every frame, for tests that judge the camera by it.
///
/// Each line is one write(2), so that all lines before a kill are in the file.
final class FrameLog: Sendable {
    /// What became of a frame.
    enum Outcome: String {
        case delivered
        /// There was no buffer for it, or the stream ended.
        case dropped
        /// The machine was held up for longer than a frame.
        case late
    }

    private let descriptor: Descriptor

    /// Opens a file for appending and creates it where it is absent.
    init(path: String) throws(SystemError) {
        descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644)
    }

    /// Adds a frame's line; a full card must not stop the sensor, so a failed write is passed over.
    func add(_ plan: StreamScript.FramePlan, midpoint: MonotonicTime, outcome: Outcome) {
        let line =
            "\(plan.sequence) \(plan.timestamp.nanoseconds) \(plan.metadata.exposureTime.wholeNanoseconds) "
            + "\(midpoint.nanoseconds) \(outcome.rawValue)\n"
        try? descriptor.writeAll(Array(line.utf8))
    }
}

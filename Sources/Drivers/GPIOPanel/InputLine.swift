import Platform

/// The port to one input line: the kernel's through libgpiod, or a test's.
///
/// - Isolation: one thread at a time.
package protocol InputLine: AnyObject, Sendable {
    /// Readable while edges wait.
    var descriptor: Int32 { get }
    /// Takes the edges that wait, oldest first; more may wait afterwards.
    ///
    /// - Throws: ENODEV when the chip is gone.
    func read() throws(SystemError) -> InputEdges
    /// The level now; true while active. Fails when the line is lost.
    func level() throws(SystemError) -> Bool
}

/// Edges of one line.
package struct InputEdges: Sendable {
    /// A change, stamped by the kernel.
    package struct Edge: Hashable, Sendable {
        /// The kernel's time of the edge.
        package var time: MonotonicTime
        /// The level after it, polarity applied.
        package var isActive: Bool

        /// An edge at this time, to this level.
        package init(time: MonotonicTime, isActive: Bool) {
            self.time = time
            self.isActive = isActive
        }
    }

    /// The edges since the last reading, oldest first.
    package var edges: [Edge]
    /// True when the kernel's queue ran over, so that edges are missing.
    package var didLose: Bool

    /// Edges of a reading; `didLose` means that the kernel dropped some between them.
    package init(edges: [Edge], didLose: Bool) {
        self.edges = edges
        self.didLose = didLose
    }
}

/// Sensor faults that a test can cause.
package enum SimulatedFault: Hashable, Sendable {
    /// No more frames until the stream is started again; after the stall limit the sink receives the failure.
    case stall
    /// The cable comes out: the stream ends, and configuring and starting fail until `replug`.
    case unplug
    /// The cable is put back.
    case replug
    /// The next frames are lost, as frames with errors are; their numbers are used up.
    case loseFrames(Int)
    /// The next start delivers its first frame this much later.
    case slowStart(Duration)
    /// The next configuration finds no memory.
    case allocationFailure
    /// All later timestamps are off by this much more.
    case timestampJump(Duration)
}

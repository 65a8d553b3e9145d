import Imaging
import Platform

/// A lease on one finished frame: while it lives the buffer is not reused; when it ends the buffer goes back.
///
/// - Ownership: the sensor owns the memory and lends it until `deinit`. `recycle` is called exactly once, on the thread
///   that lets go last; it must accept a lease from before a restart (the sensor compares generations).
package final class Frame: Sendable {
    /// Counts the frames of one sensor, dropped ones included.
    package let sequence: UInt64
    /// When the first row was read out: the end of its exposure.
    package let timestamp: MonotonicTime
    /// What the sensor was set to for this very frame.
    package let metadata: FrameMetadata
    /// Where the samples lie.
    package let layout: PictureLayout
    /// The buffer's address as a number, so that the class is checked `Sendable`; the sensor keeps it mapped.
    private let address: UInt
    private let readoutTime: Duration
    private let recycle: @Sendable () -> Void

    /// A lease on a buffer.
    ///
    /// - Parameters:
    ///   - base: the buffer that `layout` describes, readable until `recycle` is called.
    ///   - readoutTime: from the first row's readout to the last's; zero for a global shutter.
    ///   - recycle: gives the buffer back.
    package init(
        sequence: UInt64, timestamp: MonotonicTime, metadata: FrameMetadata, layout: PictureLayout,
        base: UnsafeRawPointer, readoutTime: Duration, recycle: @escaping @Sendable () -> Void
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.metadata = metadata
        self.layout = layout
        self.address = UInt(bitPattern: base)
        self.readoutTime = readoutTime
        self.recycle = recycle
    }

    deinit { recycle() }

    /// The middle of the exposure of the middle row: the moment the picture shows.
    package var midpoint: MonotonicTime {
        timestamp - metadata.exposureTime / 2 + readoutTime / 2
    }

    /// When the first row's exposure began.
    package var exposureStart: MonotonicTime { timestamp - metadata.exposureTime }

    /// Lends the samples for the length of the call.
    package func withPicture<Result, Failure: Error>(
        _ body: (Picture) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: layout.byteCount)
        defer { withExtendedLifetime(self) {} }
        return try body(Picture(layout: layout, bytes: bytes))
    }
}

/// What a frame was taken with, as the sensor reports it.
package struct FrameMetadata: Hashable, Sendable {
    /// Exposure time of each row.
    package var exposureTime: Duration
    /// ISO speed.
    package var isoSpeed: Int
    /// Exposure compensation in force, EV.
    package var exposureBias: Double
    /// True when exposure was set by hand.
    package var isManualExposure: Bool

    /// Metadata from its parts.
    package init(exposureTime: Duration, isoSpeed: Int, exposureBias: Double, isManualExposure: Bool) {
        self.exposureTime = exposureTime
        self.isoSpeed = isoSpeed
        self.exposureBias = exposureBias
        self.isManualExposure = isManualExposure
    }
}

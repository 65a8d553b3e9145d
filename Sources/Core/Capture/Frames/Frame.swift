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
    /// Where the raw samples lie; nil when the stream gives none.
    package let rawLayout: RawLayout?
    /// The buffers' addresses as numbers, so that the class is checked `Sendable`; the sensor keeps them mapped.
    private let address: UInt
    private let rawAddress: UInt
    private let readoutTime: Duration
    private let recycle: @Sendable () -> Void

    /// A lease on a buffer.
    ///
    /// - Parameters:
    ///   - base: the buffer that `layout` describes, readable until `recycle` is called.
    ///   - raw: the same frame before processing, readable for the same time; nil when the stream gives none.
    ///   - readoutTime: from the first row's readout to the last's; zero for a global shutter.
    ///   - recycle: gives the buffer back.
    package init(
        sequence: UInt64, timestamp: MonotonicTime, metadata: FrameMetadata, layout: PictureLayout,
        base: UnsafeRawPointer, raw: (layout: RawLayout, base: UnsafeRawPointer)? = nil, readoutTime: Duration,
        recycle: @escaping @Sendable () -> Void
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.metadata = metadata
        self.layout = layout
        self.address = UInt(bitPattern: base)
        rawLayout = raw?.layout
        rawAddress = UInt(bitPattern: raw?.base)
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

    /// Lends the raw samples for the length of the call; nil when there are none.
    package func withRawPicture<Result, Failure: Error>(
        _ body: (RawPicture) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let rawLayout else { return nil }
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: rawAddress), count: rawLayout.byteCount)
        defer { withExtendedLifetime(self) {} }
        return try body(RawPicture(layout: rawLayout, bytes: bytes))
    }
}

/// What a frame was taken with, as the sensor reports it.
package struct FrameMetadata: Hashable, Sendable {
    /// Exposure time of each row.
    package var exposureTime: Duration
    /// ISO speed that the frame was exposed with, which may differ from the one requested.
    package var isoSpeed: Int
    /// Exposure compensation in force, EV.
    package var exposureBias: Double
    /// True when exposure was set by hand.
    package var isManualExposure: Bool

    /// Metadata as the sensor reported it for one frame; the bias is in EV.
    package init(exposureTime: Duration, isoSpeed: Int, exposureBias: Double, isManualExposure: Bool) {
        self.exposureTime = exposureTime
        self.isoSpeed = isoSpeed
        self.exposureBias = exposureBias
        self.isManualExposure = isManualExposure
    }
}

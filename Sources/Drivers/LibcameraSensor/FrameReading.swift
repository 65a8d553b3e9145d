import Capture
import Platform

/// Turns libcamera's reports on frames into those of the pipeline: numbers that never repeat, times of the
/// monotonic clock, settings confirmed by metadata. Pure.
struct FrameReading {
    /// The number, time and settings of one frame.
    struct Properties: Hashable {
        var sequence: UInt64
        var timestamp: MonotonicTime
        var metadata: FrameMetadata
    }

    /// Frames from the first that carries a compensation to the first that can show it.
    static let controlDelay = 4
    /// Frames after which automatic exposure counts as settled, whatever it says: some light never settles.
    static let settlingLimit = 12
    /// Settings that may be on their way.
    private static let longestHistory = 64

    private var sequence: UInt64 = 0
    private var lastNumber: UInt32?
    /// Settings asked for, oldest first.
    private var requests: [(serial: UInt64, controls: SensorControls)] = []
    private var carried = SensorControls()
    private var framesSinceChange = 0
    private var shownBias = 0.0

    /// A new stream; sequence numbers go on.
    mutating func streamWillStart(_ controls: SensorControls, serial: UInt64) {
        lastNumber = nil
        requests = [(serial, controls)]
        carried = controls
        framesSinceChange = 0
        shownBias = 0
    }

    /// Settings have been asked for.
    mutating func controlsWereSet(_ controls: SensorControls, serial: UInt64) {
        requests.append((serial, controls))
        if requests.count > Self.longestHistory { requests.removeFirst() }
    }

    /// A frame has come.
    ///
    /// - Parameters:
    ///   - now: the monotonic clock.
    ///   - suspended: how far CLOCK_BOOTTIME is ahead of it.
    mutating func handle(_ frame: CompletedFrame, now: MonotonicTime, suspended: Duration) -> Properties {
        Properties(
            sequence: number(frame.sequence), timestamp: Self.timestamp(frame, now: now, suspended: suspended),
            metadata: metadata(frame))
    }

    /// The sensor counts from 0 at each start, in 32 bits, and may repeat itself; the pipeline needs each number once.
    private mutating func number(_ number: UInt32) -> UInt64 {
        let step = lastNumber.map { number &- $0 } ?? 1
        lastNumber = number
        sequence += step == 0 || step > UInt32.max / 2 ? 1 : UInt64(step)
        return sequence
    }

    /// Sensors stamp with CLOCK_MONOTONIC or, as libcamera's documentation has it, CLOCK_BOOTTIME, which is ahead by
    /// the time suspended. A frame is never from the future, nor older than what any ring holds.
    private static func timestamp(
        _ frame: CompletedFrame, now: MonotonicTime, suspended: Duration
    ) -> MonotonicTime {
        let completed = MonotonicTime(nanoseconds: min(max(frame.completed, 0), now.nanoseconds))
        let oldest = completed - .seconds(3600)
        for shift in [Duration.zero, suspended] {
            let (nanoseconds, isOver) = frame.timestamp.subtractingReportingOverflow(shift.wholeNanoseconds)
            let time = MonotonicTime(nanoseconds: nanoseconds)
            if !isOver, frame.timestamp > 0, time <= completed, time >= oldest { return time }
        }
        return completed
    }

    private mutating func metadata(_ frame: CompletedFrame) -> FrameMetadata {
        follow(frame.serial)
        let exposure = Duration.microseconds(min(max(frame.exposure, 0), 3_600_000_000))
        // A camera that reports no exposure has applied no settings either.
        let isManual = exposure > .zero && (frame.isManual ?? isNear(exposure))
        if exposure == .zero || carried.exposureTime != nil {
            shownBias = 0
        } else if framesSinceChange >= Self.settlingLimit
            || framesSinceChange >= Self.controlDelay && frame.isSettled != false
        {
            shownBias = carried.exposureBias
        }
        return FrameMetadata(
            exposureTime: exposure, isoSpeed: Self.isoSpeed(frame), exposureBias: isManual ? 0 : shownBias,
            isManualExposure: isManual)
    }

    /// Keeps count of how long the frames have carried the settings that they carry.
    private mutating func follow(_ serial: UInt64) {
        while requests.count > 1, let next = requests.dropFirst().first, next.serial <= serial {
            requests.removeFirst()
        }
        guard let request = requests.first, request.controls != carried else {
            framesSinceChange = min(framesSinceChange + 1, Self.settlingLimit)
            return
        }
        carried = request.controls
        framesSinceChange = 0
    }

    /// Whether an exposure is the one asked for, as near as whole rows allow.
    private func isNear(_ exposure: Duration) -> Bool {
        guard let wanted = carried.exposureTime else { return false }
        let difference = exposure - wanted
        return max(difference, .zero - difference) <= max(wanted / 20, .microseconds(30))
    }

    /// A gain of 1 is ISO 100, as Raspberry Pi's cameras are calibrated; 0 when the camera does not report it.
    static func isoSpeed(_ frame: CompletedFrame) -> Int {
        let gain = Double(frame.analogueGain) * (frame.digitalGain > 0 ? Double(frame.digitalGain) : 1)
        guard gain.isFinite, gain > 0 else { return 0 }
        return Int(min(max(gain * 100, 1), 10_000_000).rounded())
    }
}

import CCameraShim
import Capture
import Imaging
import Platform

/// One camera behind the shim.
///
/// - Ownership: the shim's camera lives as long as this object, which every lease keeps.
final class LibcameraPort: CameraPort {
    /// The address of the shim's camera as a number, so that the class is checked `Sendable`; the shim says which
    /// functions any thread may call, and `CameraPort` asks for the same.
    private let address: UInt

    /// Names a camera, plugged in or not.
    init(identifier: String) throws(SensorError) {
        guard let camera = pinhole_camera_open(identifier) else { throw .refused(Self.lastError) }
        address = UInt(bitPattern: camera)
    }

    deinit { pinhole_camera_close(camera) }

    private var camera: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// libcamera's words for what went wrong last on this thread.
    static var lastError: String { String(cString: pinhole_camera_last_error()) }

    func configure(_ request: StreamConfiguration) throws(SensorError) -> GrantedStream {
        var request = pinhole_camera_request(
            format: request.layout.format == .nv12 ? PINHOLE_CAMERA_NV12 : PINHOLE_CAMERA_YUV420,
            width: UInt32(clamping: request.layout.width), height: UInt32(clamping: request.layout.height),
            buffer_count: UInt32(clamping: min(max(request.bufferCount, 1), 64)),
            wants_raw: request.rawLayout != nil)
        var stream = pinhole_camera_stream()
        try Self.check(pinhole_camera_configure(camera, &request, &stream))
        return GrantedStream(stream)
    }

    func start(_ controls: SensorControls, serial: UInt64) throws(SensorError) {
        var controls = pinhole_camera_controls(controls, serial: serial)
        try Self.check(pinhole_camera_start(camera, &controls))
    }

    func setControls(_ controls: SensorControls, serial: UInt64) {
        var controls = pinhole_camera_controls(controls, serial: serial)
        pinhole_camera_set_controls(camera, &controls)
    }

    func next(until moment: MonotonicTime) -> CameraEvent {
        var frame = pinhole_camera_frame()
        return switch pinhole_camera_next(camera, moment.nanoseconds, &frame) {
        case PINHOLE_CAMERA_FRAME: .frame(CompletedFrame(frame))
        case PINHOLE_CAMERA_TIMEOUT: .timedOut
        case PINHOLE_CAMERA_UNPLUGGED: .unplugged
        default: .interrupted
        }
    }

    func interrupt() { pinhole_camera_interrupt(camera) }

    func recycle(generation: UInt64, slot: UInt32) { pinhole_camera_recycle(camera, generation, slot) }

    func stop() { pinhole_camera_stop(camera) }

    private static func check(_ result: pinhole_camera_result) throws(SensorError) {
        switch result {
        case PINHOLE_CAMERA_OK: return
        case PINHOLE_CAMERA_DISCONNECTED: throw .disconnected
        case PINHOLE_CAMERA_IN_USE: throw .inUse
        case PINHOLE_CAMERA_NO_MEMORY: throw .outOfMemory
        default: throw .refused(lastError)
        }
    }
}

extension pinhole_camera_controls {
    /// The shim's units: microseconds, gain.
    fileprivate init(_ controls: SensorControls, serial: UInt64) {
        let exposure = (controls.exposureTime ?? .zero).wholeNanoseconds / 1000
        self.init(
            // Exposure times are 32 bits wide in libcamera.
            exposure: min(max(exposure, controls.exposureTime == nil ? 0 : 1), Int64(Int32.max)),
            gain: Float(controls.isoSpeed ?? 0) / 100, bias: Float(controls.exposureBias), serial: serial)
    }
}

extension GrantedStream {
    /// What the shim says.
    fileprivate init(_ stream: pinhole_camera_stream) {
        let planes = [stream.planes.0, stream.planes.1, stream.planes.2].prefix(Int(min(stream.plane_count, 3)))
        self.init(
            format: stream.format == PINHOLE_CAMERA_NV12 ? .nv12 : .yuv420, width: stream.width,
            height: stream.height, bufferCount: stream.buffer_count,
            planes: planes.map { Plane(offset: $0.offset, stride: $0.stride, length: $0.length) },
            raw: Raw(stream.raw),
            shortestFrame: stream.shortest_frame > 0
                ? .microseconds(min(stream.shortest_frame, 3_600_000_000)) : nil)
    }
}

extension GrantedStream.Raw {
    /// What the shim says; nil when there is no raw stream.
    init?(_ raw: pinhole_camera_raw) {
        guard raw.width > 0 else { return nil }
        let pattern: RawLayout.Format.Pattern =
            switch raw.pattern {
            case PINHOLE_CAMERA_RGGB: .rggb
            case PINHOLE_CAMERA_GRBG: .grbg
            case PINHOLE_CAMERA_GBRG: .gbrg
            default: .bggr
            }
        self.init(
            format: RawLayout.Format(
                pattern: pattern, bitsPerSample: Int(raw.bits), packing: raw.is_packed ? .csi2 : .words),
            width: raw.width, height: raw.height, stride: raw.stride, length: raw.length)
    }
}

extension CompletedFrame {
    /// What the shim says.
    fileprivate init(_ frame: pinhole_camera_frame) {
        self.init(
            generation: frame.generation, slot: frame.slot, sequence: frame.sequence, timestamp: frame.timestamp,
            completed: frame.completed, exposure: frame.exposure, analogueGain: frame.analogue_gain,
            digitalGain: frame.digital_gain, duration: min(frame.duration, 3_600_000_000),
            isManual: frame.is_manual < 0 ? nil : frame.is_manual == 1,
            isSettled: frame.is_settled < 0 ? nil : frame.is_settled == 1, serial: frame.serial,
            skipped: frame.skipped, address: UInt(bitPattern: frame.base), rawAddress: UInt(bitPattern: frame.raw))
    }
}

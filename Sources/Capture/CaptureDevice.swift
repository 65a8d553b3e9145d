import Synchronization

/// A camera.
///
/// Devices are found by discovery; what exists is registered by the program that knows the hardware.
public final class CaptureDevice: Sendable {
    /// Where a camera looks.
    public enum Position: Int, Sendable {
        /// Not known.
        case unspecified = 0
        /// Away from the person who holds the camera.
        case back = 1
        /// Towards the person who holds the camera.
        case front = 2
    }

    /// How the exposure is found.
    public enum ExposureMode: Int, Sendable {
        /// Kept as it is.
        case locked = 0
        /// Measured all the time.
        case continuousAutoExposure = 2
        /// Set by hand.
        case custom = 3
    }

    private struct State {
        var lockCount = 0
        var controls = SensorControls()
        var exposureMode = ExposureMode.continuousAutoExposure
        var isConnected = true
    }

    let sensor: any Sensor
    private let state = Mutex(State())

    private static let registered = Mutex<[CaptureDevice]>([])

    /// A device over a sensor.
    package init(sensor: any Sensor) {
        self.sensor = sensor
    }

    /// Adds a device to what discovery finds; those that were unplugged are forgotten.
    package static func register(_ device: CaptureDevice) {
        registered.withLock { $0 = $0.filter(\.isConnected) + [device] }
    }

    /// The connected devices, in the order in which they were registered.
    public static var devices: [CaptureDevice] {
        registered.withLock { $0.filter(\.isConnected) }
    }

    /// The first connected camera, or the first that looks where asked; nil when there is none.
    public static func `default`(position: Position = .unspecified) -> CaptureDevice? {
        devices.first { position == .unspecified || $0.position == position }
    }

    /// The same camera has the same identifier after a restart.
    public var uniqueID: String { sensor.model.identifier }
    /// A person's name for the camera.
    public var localizedName: String { sensor.model.name }
    /// Where it looks.
    public var position: Position { sensor.model.position }

    /// False once it was unplugged; it never becomes true again on this instance.
    public var isConnected: Bool { state.withLock { $0.isConnected } }

    func disconnect() {
        state.withLock { $0.isConnected = false }
    }

    /// Allows changes until `unlockForConfiguration`. Locks nest.
    ///
    /// - Throws: `CaptureError.deviceDisconnected`.
    public func lockForConfiguration() throws(CaptureError) {
        guard isConnected else { throw .deviceDisconnected }
        state.withLock { $0.lockCount += 1 }
    }

    /// Ends a `lockForConfiguration`.
    public func unlockForConfiguration() {
        state.withLock { $0.lockCount = max(0, $0.lockCount - 1) }
    }

    /// How the exposure is found now.
    public var exposureMode: ExposureMode { state.withLock { $0.exposureMode } }

    /// Exposure compensation in EV, for automatic exposure.
    public var exposureTargetBias: Double { state.withLock { $0.controls.exposureBias } }

    /// Measures the exposure all the time again.
    ///
    /// - Throws: `CaptureError.invalidUsage` without the lock.
    public func setContinuousAutoExposure() throws(CaptureError) {
        try change { state in
            state.exposureMode = .continuousAutoExposure
            state.controls.exposureTime = nil
            state.controls.isoSpeed = nil
        }
    }

    /// Sets exposure time and ISO speed by hand; they show in the pictures some frames later.
    ///
    /// - Parameters:
    ///   - duration: exposure time.
    ///   - iso: ISO speed.
    /// - Throws: `CaptureError.unsupportedSettings` outside the sensor's range, `.invalidUsage` without the lock.
    public func setExposureModeCustom(duration: Duration, iso: Int) throws(CaptureError) {
        let model = sensor.model
        guard model.exposureTimes.contains(duration), model.isoSpeeds.contains(iso) else {
            throw .unsupportedSettings(
                "this camera exposes for \(model.exposureTimes.lowerBound) to \(model.exposureTimes.upperBound)"
                    + " at ISO \(model.isoSpeeds.lowerBound) to \(model.isoSpeeds.upperBound)")
        }
        try change { state in
            state.exposureMode = .custom
            state.controls.exposureTime = duration
            state.controls.isoSpeed = iso
        }
    }

    /// Makes automatic exposure brighter or darker.
    ///
    /// - Parameter bias: EV, from −8 to 8.
    /// - Throws: `CaptureError.unsupportedSettings` outside that range, `.invalidUsage` without the lock.
    public func setExposureTargetBias(_ bias: Double) throws(CaptureError) {
        guard (-8...8).contains(bias) else {
            throw .unsupportedSettings("exposure compensation goes from -8 to 8 EV")
        }
        try change { $0.controls.exposureBias = bias }
    }

    private func change(_ body: (inout State) -> Void) throws(CaptureError) {
        let controls: SensorControls? = state.withLock { state in
            guard state.lockCount > 0 else { return nil }
            body(&state)
            return state.controls
        }
        guard let controls else { throw .invalidUsage("call lockForConfiguration() before changing a device") }
        sensor.setControls(controls)
    }
}

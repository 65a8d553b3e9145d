import Synchronization

/// A camera.
///
/// Devices are found by discovery; what exists is registered by the program that knows the hardware.
public final class CaptureDevice: Sendable {
    /// Use of a flash.
    public typealias FlashMode = CapturePhotoSettings.FlashMode

    /// Where a camera looks.
    public enum Position: Int, Sendable {
        /// Not known; in a search, any position.
        case unspecified = 0
        /// Away from the person who holds the camera.
        case back = 1
        /// Toward the person who holds the camera.
        case front = 2
    }

    /// How the exposure is found.
    public enum ExposureMode: Int, Sendable {
        /// Kept as it is.
        case locked = 0
        /// Measured all the time.
        case continuousAutoExposure = 2
        /// Set by hand with `setExposureModeCustom(duration:iso:)`.
        case custom = 3
    }

    private struct State {
        var lockCount = 0
        var controls = SensorControls()
        /// The exposure of a bracket, which goes before that of `controls` while it is there.
        var bracketExposure: BracketExposure?
        var isConnected = true
    }

    let sensor: any Sensor
    private let state = Mutex(State())

    private static let registered = Mutex<[CaptureDevice]>([])

    /// A device over a sensor.
    package init(sensor: any Sensor) {
        self.sensor = sensor
    }

    /// Adds a device to what discovery finds. One that was unplugged is forgotten, and so is one with the same identifier:
    /// it is the same camera.
    ///
    /// - Parameter isDefault: true to have it found first.
    package static func register(_ device: CaptureDevice, isDefault: Bool = false) {
        registered.withLock { registered in
            let others = registered.filter { $0.isConnected && $0.uniqueID != device.uniqueID }
            registered = isDefault ? [device] + others : others + [device]
        }
    }

    /// The connected devices, in the order in which they are found.
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
    /// The side that the camera looks toward; `.unspecified` when its sensor does not say.
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

    /// Ends one `lockForConfiguration`; without a lock it does nothing.
    public func unlockForConfiguration() {
        state.withLock { $0.lockCount = max(0, $0.lockCount - 1) }
    }

    /// How the exposure is found now.
    public var exposureMode: ExposureMode {
        state.withLock { $0.controls.exposureTime == nil ? .continuousAutoExposure : .custom }
    }

    /// Exposure compensation in EV, for automatic exposure.
    public var exposureTargetBias: Double { state.withLock { $0.controls.exposureBias } }

    /// Measures the exposure all the time again.
    ///
    /// - Throws: `CaptureError.invalidUsage` without the lock.
    public func setContinuousAutoExposure() throws(CaptureError) {
        try change { controls in
            controls.exposureTime = nil
            controls.isoSpeed = nil
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
            throw .unsupportedSettings(model.exposureSentence)
        }
        try change { controls in
            controls.exposureTime = duration
            controls.isoSpeed = iso
        }
    }

    /// Makes automatic exposure brighter or darker.
    ///
    /// - Parameter bias: EV, from −8 to 8.
    /// - Throws: `CaptureError.unsupportedSettings` outside that range, `.invalidUsage` without the lock.
    public func setExposureTargetBias(_ bias: Double) throws(CaptureError) {
        guard (-8...8).contains(bias) else {
            throw .unsupportedSettings("exposure compensation must be from -8 to 8 EV")
        }
        try change { $0.exposureBias = bias }
    }

    /// Applies the camera's configuration, even while another caller holds the lock.
    package func setControls(_ controls: SensorControls) {
        state.withLock { state in
            state.controls = controls
            send(state)
        }
    }

    /// Asks for the exposure of a bracket, or with nil for the device's own again.
    func setBracketExposure(_ exposure: BracketExposure?) {
        state.withLock { state in
            state.bracketExposure = exposure
            send(state)
        }
    }

    private func change(_ body: (inout SensorControls) -> Void) throws(CaptureError) {
        let isLocked = state.withLock { state in
            guard state.lockCount > 0 else { return false }
            body(&state.controls)
            send(state)
            return true
        }
        guard isLocked else { throw .invalidUsage("call lockForConfiguration() before changing a device") }
    }

    /// Under the lock, so that the sensor receives the newest settings last.
    private func send(_ state: State) {
        sensor.setControls(state.bracketExposure?.applied(to: state.controls) ?? state.controls)
    }
}

extension SensorModel {
    /// What exposures there are, for a person.
    var exposureSentence: String {
        "this camera supports exposure times from \(exposureTimes.lowerBound) to \(exposureTimes.upperBound)"
            + " and ISO \(isoSpeeds.lowerBound) to \(isoSpeeds.upperBound)"
    }
}

/// Connects a camera to a session.
public final class CaptureDeviceInput: Sendable {
    /// The camera that the input was made for.
    public let device: CaptureDevice

    /// An input for a camera.
    ///
    /// - Throws: `CaptureError.deviceDisconnected`.
    public init(device: CaptureDevice) throws(CaptureError) {
        guard device.isConnected else { throw .deviceDisconnected }
        self.device = device
    }
}

/// Joins a camera to a session.
public final class CaptureDeviceInput: Sendable {
    /// The camera.
    public let device: CaptureDevice

    /// An input for a camera.
    ///
    /// - Throws: `CaptureError.deviceDisconnected`.
    public init(device: CaptureDevice) throws(CaptureError) {
        guard device.isConnected else { throw .deviceDisconnected }
        self.device = device
    }
}

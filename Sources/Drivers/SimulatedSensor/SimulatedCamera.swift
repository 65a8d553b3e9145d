import Capture

/// A simulated camera for programs that use the libraries without a camera.
public enum SimulatedCamera {
    /// Plugs a simulated camera in and makes it the default device. Plugging it in again replaces it.
    ///
    /// It has the size of a Raspberry Pi HQ camera, 4056 × 3040 pixels, and gives ten frames a second in real time.
    /// - Parameter pictures: a folder of JPEG photographs to show, the next one every second; nil for a drawn scene. A
    ///   folder that cannot be shown is refused, with a sentence that says why, when a session starts.
    /// - Returns: the camera.
    @discardableResult
    public static func connect(pictures: String? = nil) -> CaptureDevice {
        var options = SimulatedSensorOptions()
        options.photographs = pictures
        let device = CaptureDevice(sensor: SimulatedSensor(options: options))
        CaptureDevice.register(device, isDefault: true)
        return device
    }
}

/// The camera's names and numbers, as computers show them.
package struct DeviceIdentity: Hashable, Sendable {
    /// Who built the camera, by the configuration's `camera.make`.
    package var manufacturer: String
    /// The name of the model.
    package var model: String
    /// The version of the firmware.
    package var version: String
    /// A text that no other camera has and that never changes.
    package var serialNumber: String
    /// The name that the owner gave the camera.
    package var friendlyName: String

    /// The identity that hosts see, the same after each start.
    package init(
        manufacturer: String, model: String, version: String, serialNumber: String, friendlyName: String
    ) {
        (self.manufacturer, self.model, self.version) = (manufacturer, model, version)
        (self.serialNumber, self.friendlyName) = (serialNumber, friendlyName)
    }
}

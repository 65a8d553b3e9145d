/// What the camera is called by those it is connected to.
package struct DeviceIdentity: Hashable, Sendable {
    /// Who makes it.
    package var manufacturer: String
    /// What it is.
    package var model: String
    /// Version of the firmware.
    package var version: String
    /// Tells cameras apart; never changes.
    package var serialNumber: String
    /// What its owner calls it.
    package var friendlyName: String

    /// An identity from its parts.
    package init(
        manufacturer: String, model: String, version: String, serialNumber: String, friendlyName: String
    ) {
        (self.manufacturer, self.model, self.version) = (manufacturer, model, version)
        (self.serialNumber, self.friendlyName) = (serialNumber, friendlyName)
    }
}

/// The USB port, as `usb` tells it.
package struct USBRecord: Codable, Hashable, Sendable {
    /// What a computer there sees.
    package var usb: USBState
    /// What the camera is there, or null while it shows nothing.
    @Nullable package var mode: USBMode?
    /// The same for a person; for an unavailable port what is missing and what to do.
    package var message: String

    /// A port from its parts.
    package init(usb: USBState, mode: USBMode?, message: String) {
        self.usb = usb
        self.mode = mode
        self.message = message
    }
}

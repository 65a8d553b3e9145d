/// What `status` tells.
package struct StatusRecord: Codable, Hashable, Sendable {
    /// The library and the card.
    package struct Library: Codable, Hashable, Sendable {
        /// Photos, without those in the trash.
        package var assets: Int
        /// Bytes of all photos.
        package var bytes: Int64
        /// Bytes free on the card.
        package var freeBytes: Int64
        /// Photos that still fit, estimated.
        package var shotsLeft: Int
        /// Photos in the trash.
        package var trash: Int

        /// Numbers from their parts.
        package init(assets: Int, bytes: Int64, freeBytes: Int64, shotsLeft: Int, trash: Int) {
            self.assets = assets
            self.bytes = bytes
            self.freeBytes = freeBytes
            self.shotsLeft = shotsLeft
            self.trash = trash
        }
    }

    /// The clock in short.
    package struct Clock: Codable, Hashable, Sendable {
        /// RFC 3339 with offset and milliseconds.
        package var now: String
        /// True when the date can be believed.
        package var trusted: Bool

        /// A clock from its parts.
        package init(now: String, trusted: Bool) {
            self.now = now
            self.trusted = trusted
        }
    }

    /// A client of the camera and what it may do.
    package struct Client: Codable, Hashable, Sendable {
        /// `shutter`, `console` …
        package var name: String
        /// `add-only`, `limited`, `full`.
        package var level: String
        /// `authorized`, `denied`, `not_determined`.
        package var status: String

        /// A client from its parts.
        package init(name: String, level: String, status: String) {
            self.name = name
            self.level = level
            self.status = status
        }
    }

    /// What the camera does.
    package var state: CameraState
    /// Name of the sensor, or null while there is none.
    @Nullable package var sensor: String?
    /// Name of the board.
    package var board: String
    /// The light's pattern.
    package var led: String
    /// The library and the card.
    package var library: Library
    /// Presses refused since the start.
    package var pressesRefused: Int
    /// The clock.
    package var clock: Clock
    /// Who may do what.
    package var clients: [Client]
    /// What is at the USB port: a word of `USBState`.
    package var usb: USBState
    /// What the camera is there, or null while it shows nothing: a word of `USBMode`.
    @Nullable package var usbMode: USBMode?
    /// Where PTP/IP is spoken: an address and a port, or null for nowhere.
    @Nullable package var ptpip: String?
    /// Pinhole's version.
    package var version: String

    /// A status from its parts.
    package init(
        state: CameraState, sensor: String?, board: String, led: String, library: Library,
        pressesRefused: Int, clock: Clock, clients: [Client], usb: USBState, usbMode: USBMode?, ptpip: String?,
        version: String
    ) {
        self.state = state
        self.sensor = sensor
        self.board = board
        self.led = led
        self.library = library
        self.pressesRefused = pressesRefused
        self.clock = clock
        self.clients = clients
        self.usb = usb
        self.usbMode = usbMode
        self.ptpip = ptpip
        self.version = version
    }
}

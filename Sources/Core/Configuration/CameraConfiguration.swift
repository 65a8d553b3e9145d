import Platform

/// Everything an owner can set, with its defaults. Its schema says how each is named and what it may be.
package struct CameraConfiguration: Hashable, Sendable {
    /// What photos say about the camera, and how it exposes.
    package struct Camera: Hashable, Sendable {
        /// The camera's maker, written as Exif Make.
        package var make = "Pinhole"
        /// The camera's name, written as Exif Model.
        package var model = "Pinhole Camera"
        /// Exif BodySerialNumber; empty when there is none.
        package var serial = ""
        /// Exif Artist; empty when not given.
        package var artist = ""
        /// Exif Copyright; empty when not given.
        package var copyright = ""
        /// Exif ImageDescription; empty when not given.
        package var description = ""
        /// Exposure time; zero means automatic.
        package var exposureTime = Duration.zero
        /// ISO speed; 0 means automatic.
        package var iso = 0
        /// Exposure compensation in EV.
        package var exposureBias = 0.0
    }

    /// The lens, where it is known.
    package struct Lens: Hashable, Sendable {
        /// Exif LensModel; empty when not known.
        package var model = ""
        /// The lens's f-number, written to Exif; nil when the lens is not described.
        package var fNumber: Double?
        /// Focal length in millimeters.
        package var focalLength: Double?
        /// 35 mm equivalent focal length in millimeters.
        package var focalLengthIn35mm: Int?
    }

    /// Where the camera stands.
    package struct Position: Hashable, Sendable {
        /// Degrees on WGS 84, north positive.
        package var latitude: Double?
        /// Degrees on WGS 84, east positive.
        package var longitude: Double?
        /// Meters above sea level.
        package var altitude: Double?
    }

    /// How photo files are written: the keys `photo.*`.
    package struct Photo: Hashable, Sendable {
        /// JPEG quality from 1 to 100.
        package var quality = 93
        /// Exif orientation from 1 to 8, for a camera that is mounted turned.
        package var orientation = 1
        /// Whether a thumbnail is embedded.
        package var hasThumbnail = true
    }

    /// Memory for frames and encoded photos: the keys `capture.*`.
    package struct Capture: Hashable, Sendable {
        /// Frame buffers; 0 means by the board's memory.
        package var buffers = 0
        /// Bytes of photos that may be encoded but not yet durable, in MiB.
        package var backlogMebibytes = 64

        /// The number of buffers on a board with so much memory: 4 up to 512 MiB, 6 above, unless it is set.
        package func bufferCount(installedMemory bytes: Int64) -> Int {
            if buffers != 0 { return buffers }
            return bytes <= 512 * 1024 * 1024 ? 4 : 6
        }
    }

    /// What is known of the board.
    package struct Board: Hashable, Sendable {
        /// Lines that the firmware's config.txt must have, separated by semicolons; empty for none.
        package var firmwareLines = ""
    }

    /// Wiring and timing of the buttons: the keys `button.*`.
    package struct Button: Hashable, Sendable {
        /// The resistor that holds a line while its button is open.
        package enum Bias: String, CaseIterable, Hashable, Sendable {
            /// As the firmware left it.
            case asIs = "as-is"
            /// The kernel turns the internal resistor off; the circuit needs its own.
            case disabled
            /// A resistor to the supply: the button connects the line to ground.
            case pullUp = "pull-up"
            /// A resistor to ground: the button connects the line to the supply.
            case pullDown = "pull-down"
        }

        /// The shutter's GPIO line, by name or as chip:offset; empty for none.
        package var shutterLine = ""
        /// The half-press's GPIO line; empty for none.
        package var focusLine = ""
        /// Whether pressing pulls the lines to ground.
        package var isActiveLow = true
        /// The resistor that the kernel sets on every button's line.
        package var bias = Bias.pullUp
        /// Inactive level before and after a press.
        package var rest = Duration.milliseconds(50)
        /// An active line for this long proves a press.
        package var confirmation = Duration.milliseconds(10)
        /// How long after the first edge that time may begin.
        package var confirmationWindow = Duration.milliseconds(50)
        /// A hold this long is a burst.
        package var burstHold = Duration.milliseconds(600)
        /// A hold this long allows the request of the current prompt.
        package var consentHold = Duration.seconds(3)
        /// A hold this long shuts the camera down, and no hold is a burst then; zero means never.
        package var shutDownHold = Duration.zero
        /// A line without rest for this long is at fault.
        package var stuckLimit = Duration.seconds(60)
    }

    /// Wiring of the light: the keys `led.*`.
    package struct LED: Hashable, Sendable {
        /// Its GPIO line, by name or as chip:offset; empty for none.
        package var line = ""
        /// Its name in the kernel's LED class; empty for none.
        package var name = ""
        /// Whether the line is low while it shines.
        package var isActiveLow = false
    }

    /// Space, directories and the time that deleted photos stay: the keys `library.*`.
    package struct Library: Hashable, Sendable {
        /// Space kept free, in MiB.
        package var reserveMebibytes = 64
        /// Photos in one directory.
        package var filesPerDirectory = 9999
        /// Days until a deleted photo is removed for good.
        package var trashDays = 30
    }

    /// The time zone of photos: the keys `clock.*`.
    package struct Clock: Hashable, Sendable {
        /// Time zone by its IANA name; empty for the system's.
        package var zone = ""
    }

    /// What the log contains: the keys `log.*`.
    package struct Log: Hashable, Sendable {
        /// Messages below this level are not logged.
        package var level = Platform.Log.Level.info
    }

    /// What photos say about the camera, and how it exposes.
    package var camera = Camera()
    /// The lens, where it is known.
    package var lens = Lens()
    /// Where the camera stands.
    package var position = Position()
    /// How photo files are written.
    package var photo = Photo()
    /// Memory for frames and encoded photos.
    package var capture = Capture()
    /// What is known of the board.
    package var board = Board()
    /// Wiring and timing of the buttons.
    package var button = Button()
    /// Wiring of the light.
    package var led = LED()
    /// Space, directories and the time that deleted photos stay.
    package var library = Library()
    /// The time zone of photos.
    package var clock = Clock()
    /// What the log contains.
    package var log = Log()
    /// Who may ask for the library, besides the shutter and the console. Names are unique.
    package var clients: [ConfiguredClient] = []
    /// The keys that it may have. What is loaded over this configuration has the same ones.
    package let schema: ConfigurationSchema
    /// Values of keys that doors add, by path, where they differ from the default.
    var added: [String: ConfigurationValue] = [:]

    /// The defaults of every key in the schema.
    package init(schema: ConfigurationSchema = .core) {
        self.schema = schema
    }
}

extension CameraConfiguration {
    /// The value of a text, choice, zone or address; empty when it is not set.
    package func text(_ key: ConfigurationKey) -> String {
        if case .text(let text) = key.value(in: self) { text } else { "" }
    }

    /// The value of a flag; false when it is not set.
    package func flag(_ key: ConfigurationKey) -> Bool {
        if case .flag(let flag) = key.value(in: self) { flag } else { false }
    }

    /// The value of a whole number; nil when it is not set.
    package func integer(_ key: ConfigurationKey) -> Int? {
        if case .integer(let integer) = key.value(in: self) { integer } else { nil }
    }

    /// The value of a number; nil when it is not set.
    package func number(_ key: ConfigurationKey) -> Double? {
        if case .number(let number) = key.value(in: self) { number } else { nil }
    }

    /// The same configuration with values that keys of its schema have accepted.
    package func setting(_ values: [String: ConfigurationValue]) -> CameraConfiguration {
        var configuration = self
        for (path, value) in values { schema.key(path)?.put(value, into: &configuration) }
        return configuration
    }
}

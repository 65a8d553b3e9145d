/// The record that `status` sends.
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

        private enum CodingKeys: String, CodingKey {
            case assets, bytes, trash
            case freeBytes = "free_bytes"
            case shotsLeft = "shots_left"
        }

        /// The library in numbers; sizes are in bytes.
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

        /// The clock, with the date as RFC 3339 text.
        package init(now: String, trusted: Bool) {
            self.now = now
            self.trusted = trusted
        }
    }

    /// A client of the camera and what it may do.
    package struct Client: Codable, Hashable, Sendable {
        /// The name of the client, such as `shutter` or `console`.
        package var name: String
        /// The access: `none`, `add-only`, `limited` or `full`.
        package var level: String
        /// The owner's decision: `authorized`, `limited`, `denied`, `restricted` or `not_determined`.
        package var status: String

        /// A client with the words for its level and status, as in `clients`.
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
    /// The name of the light's pattern, as docs/led.md lists it.
    package var led: String
    /// The library and the card.
    package var library: Library
    /// Presses refused since the start.
    package var pressesRefused: Int
    /// The camera's time and whether it is trusted.
    package var clock: Clock
    /// Who may do what.
    package var clients: [Client]
    /// How the doors are: fields with names of their own, which differ from those above.
    package var doors: [String: FieldValue]
    /// The version of the running program.
    package var version: String

    /// The status of a camera; fields of doors are added by name.
    package init(
        state: CameraState, sensor: String?, board: String, led: String, library: Library,
        pressesRefused: Int, clock: Clock, clients: [Client], doors: [String: FieldValue],
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
        self.doors = doors
        self.version = version
    }
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case state, sensor, board, led, library, clock, clients, version
        case pressesRefused = "presses_refused"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = try container.decode(CameraState.self, forKey: .state)
        _sensor = try container.decode(Nullable<String>.self, forKey: .sensor)
        board = try container.decode(String.self, forKey: .board)
        led = try container.decode(String.self, forKey: .led)
        library = try container.decode(Library.self, forKey: .library)
        pressesRefused = try container.decode(Int.self, forKey: .pressesRefused)
        clock = try container.decode(Clock.self, forKey: .clock)
        clients = try container.decode([Client].self, forKey: .clients)
        version = try container.decode(String.self, forKey: .version)
        doors = try [String: FieldValue](fieldsOf: decoder, without: Set(CodingKeys.allCases.map(\.rawValue)))
    }

    package func encode(to encoder: any Encoder) throws {
        try doors.encodeFields(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(_sensor, forKey: .sensor)
        try container.encode(board, forKey: .board)
        try container.encode(led, forKey: .led)
        try container.encode(library, forKey: .library)
        try container.encode(pressesRefused, forKey: .pressesRefused)
        try container.encode(clock, forKey: .clock)
        try container.encode(clients, forKey: .clients)
        try container.encode(version, forKey: .version)
    }
}

/// A row of a door in the text of `status`, made from the door's fields.
package struct StatusRow: Sendable {
    /// The name in the first column of `status`.
    package let label: String
    /// The fields that it says, so that they need no rows of their own.
    package let keys: [String]
    /// What it says; nil when the record has no such fields.
    package let text: @Sendable ([String: FieldValue]) -> String?

    /// A row of the status text; `text` makes it from the fields with these keys, nil omits it.
    package init(_ label: String, keys: [String], text: @escaping @Sendable ([String: FieldValue]) -> String?) {
        self.label = label
        self.keys = keys
        self.text = text
    }
}

/// The values of `state` in `status`.
package enum CameraState: String, Codable, Sendable, CaseIterable {
    /// Opening the library and the sensor.
    case starting
    /// A press is taken at once.
    case ready
    /// A photo is being taken or made durable; more presses are taken.
    case saving
    /// The card is full or read-only: presses are refused.
    case full
    /// Something is wrong that stops photos; the last `fault` event says what.
    case fault
    /// Finishing what is in flight.
    case stopping

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .starting: "opening the library and the sensor"
        case .ready: "a press takes a photo at once"
        case .saving: "a photo is being taken or made durable; more presses are accepted"
        case .full: "the card is full or read-only: presses are refused"
        case .fault: "a fault prevents photos; the last `fault` event describes it"
        case .stopping: "finishing photos and commands in progress"
        }
    }
}

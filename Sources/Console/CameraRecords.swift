/// An accepted edge of a button, as `press` tells it.
package struct PressRecord: Codable, Hashable, Sendable {
    /// `shutter` or `focus`.
    package var button: String
    /// When its edge came: RFC 3339.
    package var pressed: String
    /// The edge on CLOCK_MONOTONIC, in nanoseconds: what sensor timestamps compare with.
    package var edgeNs: Int64

    /// A press from its parts.
    package init(button: String, pressed: String, edgeNs: Int64) {
        self.button = button
        self.pressed = pressed
        self.edgeNs = edgeNs
    }
}

/// A setting, as `get` and `set` tell it.
package struct SettingRecord: Codable, Hashable, Sendable {
    /// Its key: `capture.quality`.
    package var key: String
    /// The value in force.
    package var value: FieldValue
    /// Where it comes from: `default`, `configuration`, `set`.
    package var source: String

    /// A setting from its parts.
    package init(key: String, value: FieldValue, source: String) {
        self.key = key
        self.value = value
        self.source = source
    }
}

/// The clock, as `clock` tells it.
package struct ClockRecord: Codable, Hashable, Sendable {
    /// RFC 3339 with offset and milliseconds.
    package var now: String
    /// True when the date can be believed.
    package var trusted: Bool
    /// The time zone's name, or null for the system's own.
    @Nullable package var zone: String?
    /// What `clock set` changed: `system` (the system clock) or `offset` (one of the camera's own, because the system
    /// clock may not be set); null when nothing was set.
    @Nullable package var changed: String?

    /// A clock from its parts.
    package init(now: String, trusted: Bool, zone: String?, changed: String? = nil) {
        self.now = now
        self.trusted = trusted
        self.zone = zone
        self.changed = changed
    }
}

/// One line of the log.
package struct LogRecord: Codable, Hashable, Sendable {
    /// RFC 3339.
    package var time: String
    /// `debug`, `info`, `warning`, `error`.
    package var level: String
    /// What it says.
    package var message: String

    /// A line from its parts.
    package init(time: String, level: String, message: String) {
        self.time = time
        self.level = level
        self.message = message
    }
}

/// An event: its name, its time, and fields that depend on the name.
package struct EventRecord: Codable, Hashable, Sendable {
    /// Its name. A string, so that a client can pass on names it does not know.
    package var event: String
    /// RFC 3339.
    package var time: String
    /// The other fields.
    package var fields: [String: FieldValue]

    /// An event from its parts.
    package init(_ name: EventName, time: String, fields: [String: FieldValue] = [:]) {
        self.event = name.rawValue
        self.time = time
        self.fields = fields
    }

    /// The event that a photo is durable, with the photo's fields.
    package static func saved(_ photo: PhotoRecord, time: String) -> EventRecord {
        EventRecord(
            .saved, time: time,
            fields: [
                "id": .string(photo.id), "number": .string(photo.number), "name": .string(photo.name),
                "path": .string(photo.path), "bytes": .integer(photo.bytes), "width": .integer(Int64(photo.width)),
                "height": .integer(Int64(photo.height)), "captured": .string(photo.captured),
                "clock_trusted": .bool(photo.clockTrusted), "burst": photo.burst.map { .string($0) } ?? .null,
                "lag_us": photo.lagUs.map { .integer($0) } ?? .null,
                "durable_ms": photo.durableMs.map { .number($0) } ?? .null,
            ])
    }

    /// The event that tells of a failure: `refused`, `failed` or `fault`.
    package static func failure(_ name: EventName, _ failure: CommandFailure, time: String) -> EventRecord {
        EventRecord(name, time: time, fields: ["code": .string(failure.code), "message": .string(failure.message)])
    }

    /// The name, when this version knows it.
    package var name: EventName? { EventName(rawValue: event) }

    /// A field that is text.
    package func text(_ key: String) -> String? {
        if case .string(let text) = fields[key] { text } else { nil }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        event = try container.decode(String.self, forKey: Key(stringValue: "event"))
        time = try container.decode(String.self, forKey: Key(stringValue: "time"))
        fields = [:]
        for key in container.allKeys where key.stringValue != "event" && key.stringValue != "time" {
            fields[key.stringValue] = try container.decode(FieldValue.self, forKey: key)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // First the fields, so that none can replace the name or the time.
        for (key, value) in fields { try container.encode(value, forKey: Key(stringValue: key)) }
        try container.encode(event, forKey: Key(stringValue: "event"))
        try container.encode(time, forKey: Key(stringValue: "time"))
    }
}

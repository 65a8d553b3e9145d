/// An event: its name, its time, and fields that depend on the name.
package struct EventRecord: Codable, Hashable, Sendable {
    /// Its name. A string, so that a client can pass on names it does not know.
    package var event: String
    /// When it happened, in RFC 3339.
    package var time: String
    /// The fields besides `event` and `time`; docs/console.md lists those of each event.
    package var fields: [String: FieldValue]

    /// An event with its date as RFC 3339 text and the fields that belong to its name.
    package init(_ name: EventName, time: String, fields: [String: FieldValue] = [:]) {
        self.event = name.rawValue
        self.time = time
        self.fields = fields
    }

    /// The event that a photo is durable, with the photo's fields.
    package static func saved(_ photo: PhotoRecord, time: String) -> EventRecord {
        EventRecord(.saved, photo, time: time)
    }

    /// An event about a photo, with the photo's fields.
    package init(_ name: EventName, _ photo: PhotoRecord, time: String) {
        self.init(
            name, time: time,
            fields: [
                "favorite": .bool(photo.favorite),
                "id": .string(photo.id), "number": .string(photo.number), "name": .string(photo.name),
                "path": .string(photo.path), "bytes": .integer(photo.bytes), "width": .integer(Int64(photo.width)),
                "height": .integer(Int64(photo.height)), "captured": .string(photo.captured),
                "clock_trusted": .bool(photo.clockTrusted), "burst": photo.burst.map { .string($0) } ?? .null,
                "lag_us": photo.lagUs.map { .integer($0) } ?? .null,
                "durable_ms": photo.durableMs.map { .number($0) } ?? .null,
            ])
    }

    /// The event of a failure: `refused`, `failed` or `fault`.
    package static func failure(_ name: EventName, _ failure: CommandFailure, time: String) -> EventRecord {
        EventRecord(name, time: time, fields: ["code": .string(failure.code), "message": .string(failure.message)])
    }

    /// The event that a client asks for access: `add-only` or `read-write`.
    package static func prompt(
        client: String, level: String, purpose: String, seconds: Int, holdMilliseconds: Int, time: String
    ) -> EventRecord {
        EventRecord(
            .prompt, time: time,
            fields: [
                "client": .string(client), "level": .string(level), "purpose": .string(purpose),
                "seconds": .integer(Int64(seconds)), "hold_ms": .integer(Int64(holdMilliseconds)),
            ])
    }

    /// The event that a client asks to delete so many photos.
    package static func prompt(
        client: String, deleting count: Int, purpose: String, seconds: Int, holdMilliseconds: Int, time: String
    ) -> EventRecord {
        EventRecord(
            .prompt, time: time,
            fields: [
                "client": .string(client), "count": .integer(Int64(count)), "purpose": .string(purpose),
                "seconds": .integer(Int64(seconds)), "hold_ms": .integer(Int64(holdMilliseconds)),
            ])
    }

    /// The event that a prompt has ended; the answer is one of the words that `EventName.promptEnded` lists.
    package static func promptEnded(client: String, answer: String, time: String) -> EventRecord {
        EventRecord(.promptEnded, time: time, fields: ["client": .string(client), "answer": .string(answer)])
    }

    /// The event that what a client may do has changed.
    package static func access(client: String, level: String, status: String, time: String) -> EventRecord {
        EventRecord(
            .access, time: time,
            fields: ["client": .string(client), "level": .string(level), "status": .string(status)])
    }

    /// The name, when this version knows it.
    package var name: EventName? { EventName(rawValue: event) }

    /// A field that is text.
    package func text(_ key: String) -> String? {
        if case .string(let text) = fields[key] { text } else { nil }
    }

    private enum CodingKeys: String, CodingKey { case event, time }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        event = try container.decode(String.self, forKey: .event)
        time = try container.decode(String.self, forKey: .time)
        fields = try [String: FieldValue](fieldsOf: decoder, without: ["event", "time"])
    }

    package func encode(to encoder: any Encoder) throws {
        // First the fields, so that none can replace the name or the time.
        try fields.encodeFields(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encode(time, forKey: .time)
    }
}

/// The names of events.
package enum EventName: String, Codable, Sendable, CaseIterable {
    /// The camera takes presses.
    case ready
    /// A press was accepted.
    case pressed
    /// A press was refused.
    case refused
    /// A frame was taken for a photo.
    case captured
    /// A photo is durable.
    case saved
    /// A photo could not be taken or saved.
    case failed
    /// A photo went to the trash.
    case deleted
    /// A photo came back from the trash.
    case restored
    /// The trash was emptied.
    case emptied
    /// A photo's mark or burst changed.
    case changed
    /// A setting changed: `key` and `value`.
    case setting
    /// The configuration was read again.
    case configuration
    /// The clock was set or became trusted.
    case clock
    /// A client asks for access, or to delete photos.
    case prompt
    /// That question was answered, or ended without an answer.
    case promptEnded = "prompt_ended"
    /// What a client may do has changed.
    case access
    /// A computer came: its cable was plugged in, or it connected over the network.
    case connected
    /// A computer disconnected: `client`.
    case disconnected
    /// A fault began: `code` and `message`.
    case fault
    /// A fault ended: `code` or `message` says which one.
    case recovered
    /// The reader was too slow and missed events.
    case dropped
    /// The camera is stopping and takes no more photos.
    case stopping

    /// What it means, for the documentation.
    package var meaning: String {
        switch self {
        case .ready: "the camera accepts presses"
        case .pressed: "a press was accepted"
        case .refused: "a press was refused; `code` and `message` give the reason"
        case .captured: "a frame was captured for a photo"
        case .saved: "a photo is durable; the fields of a photo follow"
        case .failed:
            "a photo could not be taken or saved; `id` is that of its `pressed` event, `code` and `message` give the reason"
        case .deleted: "a photo was moved to the trash"
        case .restored: "a photo was moved back from the trash"
        case .emptied: "the trash was emptied"
        case .changed: "a photo's favorite mark or burst changed; the fields of a photo follow"
        case .setting: "a setting changed; `key` and `value`"
        case .configuration: "the configuration was reloaded; `message` gives the result"
        case .clock: "the clock was set or became trusted"
        case .prompt:
            "a client asks for access or deletion: `client`, `level` (`add-only`, `read-write`) or `count` of photos to delete, `purpose`, `seconds` to answer, `hold_ms` of the button"
        case .promptEnded:
            "a prompt ended: `client`, `answer` (`allowed`, `add-only`, `limited`, `full`, `denied`, `unanswered`, `withdrawn`)"
        case .access: "a client's access changed: `client`, `level`, `status`"
        case .connected:
            "a computer connected by USB or network; `client` is its name in the library"
        case .disconnected: "a computer disconnected; `client`"
        case .fault: "a fault began; `code` identifies it, `message` says what to do"
        case .recovered: "a fault ended; `code`"
        case .dropped: "this client was too slow and missed `count` events"
        case .stopping: "the camera is stopping"
        }
    }

    /// True for what a console shows without being asked.
    package var isAnnounced: Bool {
        switch self {
        case .saved, .refused, .failed, .prompt, .promptEnded, .access, .connected, .disconnected, .fault, .recovered,
            .configuration:
            true
        default: false
        }
    }
}

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

    /// The event that tells of a failure: `refused`, `failed` or `fault`.
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

/// The record of a client and its access: `clients`, `allow`, `deny`, `revoke` and `select` send it.
package struct ClientRecord: Codable, Hashable, Sendable {
    /// `shutter`, `console`, `usb` …
    package var name: String
    /// What it may do now: `none`, `add-only`, `limited`, `full`.
    package var level: String
    /// Whether that was decided: `authorized`, `limited`, `denied`, `restricted`, `not_determined`.
    package var status: String
    /// Why it asks; null for the camera's own clients.
    @Nullable package var purpose: String?
    /// The status of adding photos.
    package var addOnly: String
    /// The status of seeing and changing photos.
    package var readWrite: String
    /// How many photos are selected for it; null unless it is limited.
    @Nullable package var selected: Int?

    /// A client; the number of selected photos is nil unless its access is limited.
    package init(
        name: String, level: String, status: String, purpose: String?, addOnly: String, readWrite: String,
        selected: Int? = nil
    ) {
        self.name = name
        self.level = level
        self.status = status
        self.purpose = purpose
        self.addOnly = addOnly
        self.readWrite = readWrite
        self.selected = selected
    }
}

/// What a door's command answers: fields with names of the door's own, and a sentence.
///
/// No field may have the name that identifies another kind of record.
package struct DoorRecord: Codable, Hashable, Sendable {
    /// The fields. The one named like the command is the word that stands before the sentence in text.
    package var fields: [String: FieldValue]
    /// A sentence for a person.
    package var message: String

    /// A record of a door: its fields for programs, and a sentence for people.
    package init(_ fields: [String: FieldValue], message: String) {
        self.fields = fields
        self.message = message
    }

    private enum CodingKeys: String, CodingKey { case message }

    package init(from decoder: any Decoder) throws {
        message = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .message)
        fields = try [String: FieldValue](fieldsOf: decoder, without: ["message"])
    }

    package func encode(to encoder: any Encoder) throws {
        try fields.encodeFields(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(message, forKey: .message)
    }
}

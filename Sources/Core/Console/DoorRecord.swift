/// What a door's command answers: fields with names of the door's own, and a sentence.
///
/// No field may have the name that tells one of the other kinds of record from all others.
package struct DoorRecord: Codable, Hashable, Sendable {
    /// The fields. The one named like the command is the word that stands before the sentence in text.
    package var fields: [String: FieldValue]
    /// A sentence for a person.
    package var message: String

    /// A record from its parts.
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

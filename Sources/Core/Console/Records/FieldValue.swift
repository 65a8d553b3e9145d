/// A value of a setting or of an event's field.
package enum FieldValue: Hashable, Sendable, Codable, CustomStringConvertible {
    /// JSON null: the value is unknown or does not apply.
    case null
    /// A JSON Boolean, shown as `true` or `false`.
    case bool(Bool)
    /// A JSON number without a fraction.
    case integer(Int64)
    /// A decimal number; it must be finite.
    case number(Double)
    /// A JSON string, shown without quotes.
    case string(String)
    /// A JSON array, shown with commas between its values.
    case list([FieldValue])
    /// A JSON object, shown as `key=value` pairs in the order of the keys.
    case fields([String: FieldValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([FieldValue].self) {
            self = .list(value)
        } else {
            self = .fields(try container.decode([String: FieldValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .fields(let value): try container.encode(value)
        }
    }

    /// The value as people read it. Text is not escaped here.
    package var description: String {
        switch self {
        case .null: "-"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .string(let value): value
        case .list(let values): values.map { $0.description }.joined(separator: ", ")
        case .fields(let values):
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
    }
}

/// A key whose name is data.
struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension [String: FieldValue] {
    /// The fields of an object, without those that a record reads itself.
    init(fieldsOf decoder: any Decoder, without known: Set<String>) throws {
        self = [:]
        let container = try decoder.container(keyedBy: FieldKey.self)
        for key in container.allKeys where !known.contains(key.stringValue) {
            self[key.stringValue] = try container.decode(FieldValue.self, forKey: key)
        }
    }

    /// Writes the fields into an object. What the record writes after them replaces a field of the same name.
    func encodeFields(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        for (name, value) in self { try container.encode(value, forKey: FieldKey(stringValue: name)) }
    }
}

/// An optional field of a record whose key is always written: `null` when there is no value.
///
/// Readers accept a missing key, so that a record from an older camera can be read.
@propertyWrapper
package struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The value, if any.
    package var wrappedValue: Value?

    /// A field with a value or without.
    package init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension KeyedDecodingContainer {
    /// Chosen by the compiler for every `Nullable` field: a missing key is no value.
    package func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
    }
}

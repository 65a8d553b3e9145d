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

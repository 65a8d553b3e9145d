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

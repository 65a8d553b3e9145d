/// A client and what it may do, as `clients`, `allow`, `deny`, `revoke` and `select` tell it.
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

    /// A record from its parts.
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

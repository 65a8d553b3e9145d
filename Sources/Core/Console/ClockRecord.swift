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

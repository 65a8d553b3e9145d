/// What `verify` found.
package struct VerifyRecord: Codable, Hashable, Sendable {
    /// Photos in the catalogue.
    package var assets: Int
    /// Photos that are whole.
    package var ok: Int
    /// Photos whose content changed.
    package var damaged: Int
    /// Photos whose file is gone.
    package var missing: Int
    /// Files taken into the catalogue.
    package var adopted: Int
    /// Files set aside.
    package var quarantined: Int

    /// Counts from their parts.
    package init(assets: Int, ok: Int, damaged: Int, missing: Int, adopted: Int, quarantined: Int) {
        self.assets = assets
        self.ok = ok
        self.damaged = damaged
        self.missing = missing
        self.adopted = adopted
        self.quarantined = quarantined
    }

    /// The status `verify` ends with.
    package var exit: ExitStatus { damaged > 0 || missing > 0 ? .badData : .done }
}

/// A photo in the trash, as `delete` and `trash` tell it.
package struct TrashRecord: Codable, Hashable, Sendable {
    /// The asset's identifier.
    package var id: String
    /// DCF number, kept for its return.
    package var number: String
    /// Size of all resources in bytes.
    package var bytes: Int64
    /// When it was deleted: RFC 3339.
    package var deleted: String

    /// A record from its parts.
    package init(id: String, number: String, bytes: Int64, deleted: String) {
        self.id = id
        self.number = number
        self.bytes = bytes
        self.deleted = deleted
    }
}

/// The end of `trash --empty`: what was removed for good.
package struct EmptiedRecord: Codable, Hashable, Sendable {
    /// Photos removed.
    package var emptied: Int
    /// Bytes freed.
    package var bytes: Int64

    /// A record from its parts.
    package init(emptied: Int, bytes: Int64) {
        self.emptied = emptied
        self.bytes = bytes
    }
}

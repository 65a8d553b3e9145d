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

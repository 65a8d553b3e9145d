/// What a limited client sees.
extension Catalogue {
    /// The condition on rows of `asset` that leaves what a client may see. Every query on a client's behalf has it.
    static func condition(_ visibility: Rights.Visibility, _ values: inout [SQLiteValue]) -> String {
        switch visibility {
        case .nothing: return "0"
        case .everything: return "1"
        case .selection(let selection):
            values.append(.bytes(selection.bytes))
            // IN, so that a small selection in a large library is found from the selection's side.
            return "asset.number IN (SELECT selection.number FROM selection WHERE selection.selection = ?)"
        }
    }
}

import Platform

/// What a limited client sees: the rows of `selection` that bear its grant's number, each with a position of its own.
///
/// Positions count up and never come again; they are the numbers the client sees.
///
/// - Isolation: confined to one thread, like its catalog.
struct SelectionTable {
    private let connection: SQLiteConnection
    private let history: HistoryTable

    init(_ connection: SQLiteConnection, history: HistoryTable) {
        self.connection = connection
        self.history = history
    }

    /// The number on the card of what a client calls by a number.
    func number(_ shown: DCFNumber, _ visibility: Rights.Visibility) throws(SQLiteError) -> DCFNumber? {
        guard case .selection(let selection) = visibility else { return shown }
        let position = try connection.integer(
            "SELECT number FROM selection WHERE selection = ? AND position = ?",
            [.bytes(selection.bytes), .integer(shown.selectionPosition)])
        return position.flatMap { DCFNumber(position: $0) }
    }

    /// The number by which a client knows an asset it sees.
    func shownNumber(
        _ number: DCFNumber, _ visibility: Rights.Visibility
    ) throws(SQLiteError) -> DCFNumber? {
        guard case .selection(let selection) = visibility else { return number }
        let position = try connection.integer(
            "SELECT position FROM selection WHERE selection = ? AND number = ?",
            [.bytes(selection.bytes), .integer(number.position)])
        return position.flatMap { DCFNumber(selectionPosition: $0) }
    }

    /// The last position that was given out in a selection; 0 before the first.
    func mark(_ selection: AssetIdentifier) throws(SQLiteError) -> Int64 {
        let mark = try connection.integer(
            "SELECT position FROM selection_mark WHERE selection = ?", [.bytes(selection.bytes)])
        return try DCFNumber.clamped(max(mark ?? 0, connection.fact(Self.floor)))
    }

    /// What positions of every selection are above, once a catalog was lost.
    private static let floor = "selection_floor"

    /// Lets all selections go on in a directory of which the lost catalog, as far as can be told, showed nothing.
    func raiseFloor() throws(SQLiteError) {
        let highest = try connection.integer("SELECT max(position) FROM selection_mark") ?? 0
        let directories = try DCFNumber.clamped(max(highest, connection.fact(Self.floor))) / DCFNumber.filesInDirectory
        try connection.setFact(Self.floor, (directories + 1) * DCFNumber.filesInDirectory)
    }

    /// Puts an asset into a selection, at its next position; one that is in it stays where it is.
    func select(_ number: DCFNumber, in selection: AssetIdentifier) throws(SQLiteError) {
        guard try shownNumber(number, .selection(selection)) == nil else { return }
        let position = try mark(selection) + 1
        try connection.run(
            "INSERT OR REPLACE INTO selection_mark VALUES (?, ?)", [.bytes(selection.bytes), .integer(position)])
        try connection.run(
            "INSERT INTO selection (selection, number, position) VALUES (?, ?, ?)",
            [.bytes(selection.bytes), .integer(number.position), .integer(position)])
        try note(.joined, number, selection)
    }

    /// Takes an asset out of a selection. Its position does not come again.
    func deselect(_ number: DCFNumber, in selection: AssetIdentifier) throws(SQLiteError) {
        guard try shownNumber(number, .selection(selection)) != nil else { return }
        try connection.run(
            "DELETE FROM selection WHERE selection = ? AND number = ?",
            [.bytes(selection.bytes), .integer(number.position)])
        try note(.left, number, selection)
    }

    /// Tells the history who came or went.
    private func note(
        _ kind: HistoryRow.Kind, _ number: DCFNumber, _ selection: AssetIdentifier
    ) throws(SQLiteError) {
        let asset = try connection.statement(
            "SELECT identifier FROM asset WHERE number = ?", [.integer(number.position)])
        defer { asset.reset() }
        guard try asset.step(), let identifier = AssetIdentifier(bytes: asset.bytes(0)) else { return }
        try history.record(kind, [identifier], selection: selection)
    }

    /// Forgets a selection. No change is reported, because its client has lost its access.
    func forget(_ selection: AssetIdentifier) throws(SQLiteError) {
        try connection.run("DELETE FROM selection WHERE selection = ?", [.bytes(selection.bytes)])
        try connection.run("DELETE FROM selection_mark WHERE selection = ?", [.bytes(selection.bytes)])
    }
}

extension DCFNumber {
    fileprivate static let filesInDirectory: Int64 = 9999
    private static let lastSelectionPosition = 900 * filesInDirectory

    /// A position from a catalog, which may be damaged: at most the last valid one.
    fileprivate static func clamped(_ position: Int64) -> Int64 { max(0, min(position, lastSelectionPosition)) }

    /// The number shown for a position of a selection: 1 is 100-0001; nil beyond 999-9999.
    init?(selectionPosition position: Int64) {
        guard position > 0, position <= Self.lastSelectionPosition else { return nil }
        let (directory, file) = (position - 1).quotientAndRemainder(dividingBy: Self.filesInDirectory)
        self.init(directory: 100 + Int(directory), file: 1 + Int(file))
    }

    /// The position in a selection that is shown as this number.
    var selectionPosition: Int64 { Int64(directory - 100) * Self.filesInDirectory + Int64(file) }
}

import Platform

extension LibraryEngine {
    /// Files with one number that the catalog does not know.
    struct Stranger: Hashable, Sendable {
        let number: DCFNumber
        let extensions: [String]
    }

    /// A comparison of files and catalog, in steps so small that a photo need not wait for it.
    struct Comparison: Sendable {
        fileprivate var directories: [Int]
        /// What Recently Deleted held at the beginning, by number.
        fileprivate let trashed: [DCFNumber: [TrashName]]
        fileprivate var strangers: [Stranger] = []
        /// Nil until the directories are done.
        fileprivate var trash: [TrashedFiles]?
        /// Which opening of the catalog it compares with.
        fileprivate let opening: Int
    }

    /// Begins a comparison: the directories that the catalog has assets in and those on the card, the newest first.
    ///
    /// They are made durable: what a killed process had not synced must not be told as saved.
    func beginComparison() throws(PhotosError) -> Comparison {
        let inCatalog = try read { catalog throws(SQLiteError) in try catalog.directories() }
        let trashed: [TrashName]
        do throws(SystemError) {
            trashed = try files.list(layout.trash).compactMap(TrashName.init)
            for name in try files.list(layout.photos) {
                guard let number = DCFNumber.directoryNumber(name), name == DCFNumber.directoryName(number) else {
                    continue
                }
                directories.insert(number)
                try files.syncDirectory(layout.directory(number))
            }
        } catch {
            throw failed(error)
        }
        return Comparison(
            directories: directories.union(inCatalog).sorted(by: >),
            trashed: Dictionary(grouping: trashed, by: \.number), opening: openings)
    }

    /// Takes one step of a comparison.
    ///
    /// - Returns: what was found; nil when the comparison is complete.
    func advance(_ comparison: inout Comparison) throws(PhotosError) -> [VerifyReport.Problem]? {
        if !comparison.strangers.isEmpty {
            let batch = Array(comparison.strangers.prefix(8))
            comparison.strangers.removeFirst(batch.count)
            return try adopt(batch, beside: comparison.trashed)
        }
        if let directory = comparison.directories.first {
            comparison.directories.removeFirst()
            comparison.strangers = try compare(directory)
            return []
        }
        guard var trash = comparison.trash else {
            comparison.trash = try strangersInTrash()
            return []
        }
        if !trash.isEmpty {
            let batch = Array(trash.prefix(8))
            trash.removeFirst(batch.count)
            comparison.trash = trash
            try adoptTrash(batch)
            return []
        }
        if comparison.opening == openings { needsComparison = false }
        return nil
    }

    /// Compares one directory with the catalog: marks what is missing, lists again what came back.
    ///
    /// - Returns: what the catalog does not know.
    func compare(_ directory: Int) throws(PhotosError) -> [Stranger] {
        let names: Set<String>
        do throws(SystemError) {
            let path = layout.directory(directory)
            names = try files.metadata(path) == nil ? [] : Set(try files.list(path))
        } catch {
            throw failed(error)
        }
        let entries = try read { catalog throws(SQLiteError) in try catalog.entries(inDirectory: directory) }
        var lost: [DirectoryEntry] = []
        var found: [DirectoryEntry] = []
        var known: Set<Int> = []
        for entry in entries {
            known.insert(entry.number.file)
            guard entry.isSettled || settled.contains(entry.number) else { continue }
            let isThere = entry.extensions.allSatisfy { names.contains(LibraryLayout.fileName(entry.number, $0)) }
            switch entry.status {
            case .listed: if !isThere { lost.append(entry) }
            case .missing: if isThere { found.append(entry) }
            case .trashed, .purging: if isThere, try !isInTrash(entry.number) { found.append(entry) }
            }
        }
        if !lost.isEmpty || !found.isEmpty {
            try commit { [lost, found] catalog throws(SQLiteError) in
                for entry in lost { try catalog.setStatus(entry.number, .missing, isSettled: true) }
                for entry in found { try catalog.setStatus(entry.number, .listed, isSettled: true) }
                try catalog.record(.assetDeleted, lost.map(\.identifier))
                try catalog.record(.assetInserted, found.map(\.identifier))
            }
        }
        for entry in lost + found {
            let record = try read { catalog throws(SQLiteError) in try catalog.asset(entry.number) }
            guard let record else { continue }
            let asset = snapshot(record)
            report(
                record.status == .missing
                    ? .missing(identifier: asset.localIdentifier, name: asset.name) : .adopted(asset))
        }
        return strangers(names, in: directory, known: known)
    }

    private func strangers(_ names: Set<String>, in directory: Int, known: Set<Int>) -> [Stranger] {
        var extensions: [DCFNumber: [String]] = [:]
        for name in names {
            guard let file = DCFNumber.fileNumber(name), !known.contains(file),
                let number = DCFNumber(directory: directory, file: file), name.hasPrefix(number.stem + ".")
            else { continue }
            let fileExtension = String(name.dropFirst(number.stem.count + 1))
            if FileExtension.isValid(fileExtension) { extensions[number, default: []].append(fileExtension) }
        }
        return extensions.map { Stranger(number: $0, extensions: $1.sorted()) }.sorted { $0.number < $1.number }
    }

    private func isInTrash(_ number: DCFNumber) throws(PhotosError) -> Bool {
        guard let record = try read({ catalog throws(SQLiteError) in try catalog.asset(number) }) else {
            return false
        }
        do throws(SystemError) {
            for resource in record.resources {
                let path = layout.trashPath(number, record.identifier, resource.fileExtension)
                if try files.metadata(path) != nil { return true }
            }
        } catch {
            throw failed(error)
        }
        return false
    }
}

/// What the comparison of a directory needs of each asset.
struct DirectoryEntry {
    let number: DCFNumber
    let identifier: AssetIdentifier
    let status: AssetRecord.Status
    let isSettled: Bool
    var extensions: [String]
}

extension Catalog {
    /// Directories that have assets.
    func directories() throws(SQLiteError) -> [Int] {
        var found: [Int] = []
        var after: Int64 = 0
        // One look into the key for each directory instead of a walk over all assets. What is no number is passed over.
        while let next = try connection.integer(
            "SELECT min(number) FROM asset WHERE number BETWEEN ? AND ?",
            [.integer(after), .integer(DCFNumber.last.position)])
        {
            found.append(Int(clamping: next / 10000))
            after = (next / 10000 + 1) * 10000
        }
        return found
    }

    /// The assets of one directory, as far as a comparison needs them.
    func entries(inDirectory directory: Int) throws(SQLiteError) -> [DirectoryEntry] {
        let first = Int64(directory) * 10000
        let statement = try connection.statement(
            """
            SELECT asset.number, asset.status, asset.settled, resource.extension, asset.identifier
            FROM asset JOIN resource ON resource.number = asset.number
            WHERE asset.number BETWEEN ? AND ? ORDER BY asset.number, resource.position
            """, [.integer(first), .integer(first + 9999)])
        defer { statement.reset() }
        var found: [DirectoryEntry] = []
        while try statement.step() {
            guard let number = DCFNumber(position: statement.integer(0)),
                let status = AssetRecord.Status(rawValue: statement.integer(1)), let text = statement.text(3),
                let identifier = AssetIdentifier(bytes: statement.bytes(4))
            else { continue }
            if found.last?.number == number {
                found[found.count - 1].extensions.append(text)
            } else {
                found.append(
                    DirectoryEntry(
                        number: number, identifier: identifier, status: status, isSettled: statement.integer(2) != 0,
                        extensions: [text]))
            }
        }
        return found
    }
}

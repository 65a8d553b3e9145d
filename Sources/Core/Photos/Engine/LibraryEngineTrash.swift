import Platform

/// Recently Deleted, compared with the catalog as directories are: a rebuilt catalog knows little of it.
extension LibraryEngine {
    /// Deleted assets that the catalog does not know as deleted.
    func strangersInTrash() throws(PhotosError) -> [TrashedFiles] {
        let names: [String]
        do throws(SystemError) {
            try files.syncDirectory(layout.trash)
            names = try files.list(layout.trash)
        } catch {
            throw failed(error)
        }
        let groups = Dictionary(grouping: names.compactMap(TrashName.init)) {
            TrashedFiles(number: $0.number, identifier: $0.identifier, extensions: [])
        }
        var found: [TrashedFiles] = []
        for (var asset, parts) in groups {
            let known = try read { catalog throws(SQLiteError) in try catalog.asset(asset.number) }
            if let known, known.status == .trashed || known.status == .purging { continue }
            asset.extensions = parts.map(\.fileExtension).sorted()
            found.append(asset)
        }
        return found.sorted { $0.number < $1.number }
    }

    /// Takes deleted assets into the catalog, as deleted. One commit for all.
    func adoptTrash(_ strangers: [TrashedFiles]) throws(PhotosError) {
        var deleted: [DCFNumber] = []
        var adopted: [AssetRecord] = []
        let now = time.wallTime(at: time.now)
        for stranger in strangers {
            let known = try read { catalog throws(SQLiteError) in try catalog.asset(stranger.number) }
            if let known {
                guard known.identifier == stranger.identifier, known.isSettled || settled.contains(known.number) else {
                    continue
                }
                switch known.status {
                case .listed: try dropOldNames(of: known)
                case .missing: deleted.append(known.number)
                case .trashed, .purging: break
                }
                continue
            }
            let isElsewhere = try read { catalog throws(SQLiteError) in
                try catalog.asset(stranger.identifier) != nil
            }
            // Names can claim anything; what is not listed for that stays where it is.
            let isTaken = adopted.contains {
                $0.number == stranger.number || $0.identifier == stranger.identifier
            }
            let paths = stranger.extensions.map {
                ($0, layout.trashPath(stranger.number, stranger.identifier, $0))
            }
            guard !isElsewhere, !isTaken, case .whole(var record) = try inspect(stranger.number, paths) else {
                continue
            }
            record.identifier = stranger.identifier
            record.status = .trashed
            record.trashed = now.unixNanoseconds
            record.counted = now.isTrusted ? now.unixNanoseconds : nil
            adopted.append(record)
        }
        guard !deleted.isEmpty || !adopted.isEmpty else { return }
        try commit { [deleted, adopted] catalog throws(SQLiteError) in
            for number in deleted { try catalog.setTrashed(number, now, isSettled: true) }
            for record in adopted { try catalog.insert(record) }
        }
    }

    /// Removes names that a power cut brought back of an asset that had been restored.
    private func dropOldNames(of record: AssetRecord) throws(PhotosError) {
        do throws(SystemError) {
            for resource in record.resources {
                try moveIfThere(
                    resource, from: layout.trashPath(record.number, record.identifier, resource.fileExtension),
                    to: layout.path(record.number, resource.fileExtension))
            }
        } catch {
            throw failed(error)
        }
    }
}

/// One asset in Recently Deleted, as its files' names tell.
struct TrashedFiles: Hashable, Sendable {
    let number: DCFNumber
    let identifier: AssetIdentifier
    var extensions: [String]
}

/// The name of a file in Recently Deleted.
struct TrashName {
    let number: DCFNumber
    let identifier: AssetIdentifier
    let fileExtension: String

    /// Reads `100-0001.<identifier>.JPG`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = DCFNumber(String(parts[0])),
            let identifier = AssetIdentifier(String(parts[1])), FileExtension.isValid(String(parts[2]))
        else { return nil }
        self.number = number
        self.identifier = identifier
        fileExtension = String(parts[2])
    }
}

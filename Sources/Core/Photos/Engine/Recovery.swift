import Glibc
import Platform

/// What a start does: opens the catalog or makes up for a lost one, and brings files, numbers and catalog together.
///
/// - Isolation: the library's thread.
/// - Blocking: every call.
final class Recovery {
    private let context: LibraryContext
    private let folders: LibraryFolders
    private let storage: StorageHealth
    private let numbering: Numbering
    private let placement: Placement
    private let comparison: LibraryComparison
    /// Assets of commits that were reported as failed. Whether the log has them all the same shows when the catalog is
    /// opened again.
    private var unconfirmed: Set<AssetIdentifier> = []

    private var layout: LibraryLayout { context.layout }
    private var files: any FileOperations { context.files }

    init(
        _ context: LibraryContext, folders: LibraryFolders, storage: StorageHealth, numbering: Numbering,
        placement: Placement, comparison: LibraryComparison
    ) {
        self.context = context
        self.folders = folders
        self.storage = storage
        self.numbering = numbering
        self.placement = placement
        self.comparison = comparison
    }

    /// Notes assets whose commit was reported as failed.
    func noteUnconfirmed(_ identifiers: some Sequence<AssetIdentifier>) {
        unconfirmed.formUnion(identifiers)
    }

    // MARK: Opening

    /// Opens the catalog of a library whose folders are prepared, and recovers. The library is ready afterwards.
    func open() throws(LibraryError) {
        try openOrRebuild()
        try recoverOrRebuild()
    }

    /// Opens a library again that had gone away.
    func reopen() throws(LibraryError) {
        storage.closeCatalog()
        guard try context.metadata(layout.own)?.kind == .directory else { throw .missing(layout.library) }
        try folders.relock()
        placement.forgetDirectories()
        let isInDoubt = storage.isCorrupt
        try openOrRebuild()
        // Checked again on a new connection, because a rebuild loses what only the catalog knows.
        if isInDoubt, storage.isCatalogDamaged { try rebuild(reason: "the catalog is damaged") }
        try recoverOrRebuild()
    }

    /// Damage deep in the catalog shows only when it is read. The backup copy may be damaged as well.
    private func recoverOrRebuild() throws(LibraryError) {
        for _ in 0..<2 {
            do throws(LibraryError) {
                return try recover()
            } catch {
                guard storage.isCorrupt else { throw error }
                try rebuild(reason: "the catalog is damaged")
            }
        }
        try recover()
    }

    /// Opens the catalog, or makes up for one that is lost or damaged.
    private func openOrRebuild() throws(LibraryError) {
        switch try header() {
        case .foreign: throw .foreignCatalog(layout.catalog)
        case .ours(let version) where version > Catalog.migrations.count:
            throw .newerCatalog(path: layout.catalog, version: version)
        case .damaged: try rebuild(reason: "the catalog is damaged")
        case .empty where try isLost(): try rebuild(reason: "the catalog is lost")
        case .empty, .ours:
            let catalog: Catalog
            do throws(SQLiteError) {
                catalog = try Catalog(writing: layout.catalog, files: files)
            } catch {
                guard error.condition == .corrupt else { throw LibraryError(error, layout.catalog) }
                return try rebuild(reason: "the catalog is damaged (\(error))")
            }
            try use(catalog)
        }
    }

    private func use(_ catalog: Catalog) throws(LibraryError) {
        storage.setCatalog(catalog)
        try forgetTokensAfterRestoring(catalog)
        storage.publishCatalog()
    }

    private func header() throws(LibraryError) -> Catalog.Header {
        guard let there = try context.metadata(layout.catalog), there.kind == .file else { return .empty }
        do throws(SystemError) {
            return Catalog.Header(try files.readPrefix(layout.catalog, count: 100))
        } catch {
            throw LibraryError(error)
        }
    }

    /// True when there is no catalog where there must have been one.
    private func isLost() throws(LibraryError) -> Bool {
        // A new catalog is in its log first. A log by itself is what a start left that was setting a catalog aside.
        if try context.metadata(layout.catalog) != nil, try context.metadata(layout.catalog + "-wal") != nil {
            return false
        }
        if try context.metadata(layout.backup) != nil { return true }
        do throws(SystemError) {
            let trash = try files.list(layout.trash)
            let photos = try files.list(layout.photos)
            return !trash.isEmpty || photos.contains { $0.hasSuffix(DCFNumber.directoryLetters) }
        } catch {
            throw LibraryError(error)
        }
    }

    // MARK: Before ready

    /// Brings files, numbers and catalog together. Its time does not grow with the library: it looks at what was under
    /// way, at the names of directories and into the newest of them.
    private func recover() throws(LibraryError) {
        do throws(PhotosError) {
            try placement.settleAll()
            try recoverStaging()
            try recoverNumbers()
            if let newest = placement.newestDirectory { try comparison.compare(newest) }
            try forgetUnconfirmed()
        } catch {
            throw LibraryError.catalog(error.message)
        }
        storage.noteWorking()
        storage.measure()
    }

    /// Forgets assets whose commit was reported as failed and whose files have been taken away again.
    private func forgetUnconfirmed() throws(PhotosError) {
        guard !unconfirmed.isEmpty else { return }
        var missing: [DCFNumber] = []
        for identifier in unconfirmed {
            let record = try storage.read { catalog throws(SQLiteError) in try catalog.assets.find(identifier) }
            if let record, record.status == .missing { missing.append(record.number) }
        }
        if !missing.isEmpty {
            try storage.commit { [missing] catalog throws(SQLiteError) in
                for number in missing { try catalog.assets.delete(number) }
            }
        }
        unconfirmed = []
    }

    /// Finishes blocks whose first file had arrived in `DCIM`, and drops the others, which were never reported as saved.
    private func recoverStaging() throws(PhotosError) {
        do throws(SystemError) {
            var blocks: [DCFNumber: [StagingName]] = [:]
            for name in try files.list(layout.staging) {
                if let staged = StagingName(name) {
                    blocks[staged.first, default: []].append(staged)
                } else if try files.metadata(layout.staging + "/" + name)?.kind == .file {
                    try files.remove(layout.staging + "/" + name)
                }
            }
            for (first, staged) in blocks where !isWaiting(first) {
                let numbers = run(from: first, count: staged.map(\.count).max() ?? 1)
                let isToFinish = try hasArrived(numbers) && !isInCatalog(numbers)
                if isToFinish { for name in staged { try placement.finish(name) } }
                // Also names that came or went before. A power cut from here on must not leave a part of an asset in
                // DCIM.
                for directory in Set(numbers.map(\.directory)).sorted()
                where try files.metadata(layout.directory(directory)) != nil {
                    try files.syncDirectory(layout.directory(directory))
                }
                if !isToFinish { for name in staged { try files.remove(layout.staging + "/" + name.text) } }
            }
        } catch {
            throw storage.failed(error)
        }
    }

    /// True when the catalog has an asset whose files could not be moved into place yet.
    private func isWaiting(_ number: DCFNumber) -> Bool {
        guard !storage.isNotedSettled(number), let found = known(number) else { return false }
        return found.status == .listed && !found.isSettled
    }

    private func isInCatalog(_ numbers: [DCFNumber]) -> Bool {
        numbers.contains { known($0) != nil }
    }

    private func known(_ number: DCFNumber) -> AssetRecord? {
        (try? storage.withCatalog { catalog throws(SQLiteError) in try catalog.assets.find(number) }) ?? nil
    }

    private func hasArrived(_ numbers: [DCFNumber]) throws(SystemError) -> Bool {
        for directory in Set(numbers.map(\.directory)) {
            let stems = Set(numbers.filter { $0.directory == directory }.map(\.stem))
            guard try files.metadata(layout.directory(directory)) != nil else { continue }
            if try files.list(layout.directory(directory)).contains(where: { stems.contains(String($0.prefix(8))) }) {
                return true
            }
        }
        return false
    }

    private func run(from first: DCFNumber, count: Int) -> [DCFNumber] {
        var numbers = [first]
        while numbers.count < count,
            let next = numbers.last?.successor(filesPerDirectory: context.settings.filesPerDirectory)
        {
            numbers.append(next)
        }
        return numbers
    }

    /// Finds out where numbering continues, and which directories there are.
    private func recoverNumbers() throws(PhotosError) {
        var evidence = NumberAllocator.Evidence()
        do throws(SystemError) {
            evidence.directories = try files.list(layout.photos)
            if let newest = evidence.newestDirectory, newest.isOurs {
                evidence.newestFiles = try files.list(layout.directory(newest.number))
            }
        } catch {
            throw storage.failed(error)
        }
        let highest = try storage.read { catalog throws(SQLiteError) in try catalog.fact("highest_number") }
        evidence.marks = [DCFNumber(position: highest)].compactMap { $0 }
        numbering.restart(after: evidence)
        placement.setDirectories(named: evidence.directories)
    }

    // MARK: A lost catalog

    /// Starts from the backup copy, or from an empty catalog; a comparison with the files adds the rest.
    private func rebuild(reason: String) throws(LibraryError) {
        storage.closeCatalog()
        var copied: WallTime?
        do throws(SystemError) {
            try setCatalogAside()
            if let copy = try files.metadata(layout.backup) {
                copied = WallTime(unixNanoseconds: copy.modifiedUnixNanoseconds, offsetSeconds: 0, isTrusted: false)
                if try files.metadata(layout.restoring) == nil { try files.writeNew(layout.restoring, []) }
                // Before the copy has the catalog's name: a start must not take it for the catalog it is a copy of.
                try files.syncDirectory(layout.own)
                try files.renameReplacing(layout.backup, to: layout.catalog)
                try files.syncDirectory(layout.own)
            }
        } catch {
            throw LibraryError(error)
        }
        let catalog: Catalog
        do throws(SQLiteError) {
            catalog = try Catalog(writing: layout.catalog, files: files)
        } catch {
            guard error.condition == .corrupt else { throw LibraryError(error, layout.catalog) }
            // The copy is damaged as well.
            copied = nil
            catalog = try emptyCatalog()
        }
        try use(catalog)
        // The copy may be older than the numbers that limited clients have seen.
        try? catalog.transaction { () throws(SQLiteError) in try catalog.selections.raiseFloor() }
        comparison.require()
        context.report(.rebuilding(reason: reason, copied: copied))
    }

    private func emptyCatalog() throws(LibraryError) -> Catalog {
        do throws(SystemError) { try setCatalogAside() } catch { throw LibraryError(error) }
        do throws(SQLiteError) {
            return try Catalog(writing: layout.catalog, files: files)
        } catch {
            throw LibraryError(error, layout.catalog)
        }
    }

    /// Makes tokens of before expire: a copy continues the history from where it was made, and clients have already seen
    /// it continue differently.
    private func forgetTokensAfterRestoring(_ catalog: Catalog) throws(LibraryError) {
        guard try context.metadata(layout.restoring) != nil else { return }
        do throws(SQLiteError) {
            try catalog.transaction { () throws(SQLiteError) in try catalog.history.forgetTokens() }
        } catch {
            throw LibraryError(error, layout.catalog)
        }
        do throws(SystemError) { try files.remove(layout.restoring) } catch { throw LibraryError(error) }
    }

    private func setCatalogAside() throws(SystemError) {
        // The logs first: a log without its database is harmless, a log beside another database is not.
        let suffixes = ["-wal", "-shm", ""]
        // A power cut may have left a log in the quarantine folder without its database.
        let taken = try files.list(layout.quarantine)
        var index = 1
        while suffixes.contains(where: { taken.contains("catalog-\(index).sqlite" + $0) }) { index += 1 }
        for suffix in suffixes where try files.metadata(layout.catalog + suffix) != nil {
            try files.renameNew(
                layout.catalog + suffix, to: layout.quarantine + "/catalog-\(index).sqlite" + suffix)
        }
        try files.syncDirectory(layout.quarantine)
        try files.syncDirectory(layout.own)
    }
}

extension LibraryError {
    /// The error of a failed call on the catalog at `path`.
    init(_ error: SQLiteError, _ path: String) {
        self = error.condition == .readOnly ? .readOnly(path) : .catalog(error.description)
    }
}

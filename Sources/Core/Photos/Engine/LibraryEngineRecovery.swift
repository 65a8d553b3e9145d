import Glibc
import Platform

extension LibraryEngine {
    // MARK: Before ready

    /// Brings files, numbers and catalog together. Its time does not grow with the library: it looks at what was under
    /// way, at the names of directories and into the newest of them.
    func recover() throws(LibraryError) {
        do throws(PhotosError) {
            let unsettled = try read { catalog throws(SQLiteError) in try catalog.unsettledAssets() }
            for status in [AssetRecord.Status.listed, .missing, .trashed, .purging] {
                settle(unsettled.filter { $0.status == status }, as: status)
            }
            try forgetPurged()
            try recoverStaging()
            try recoverNumbers()
            if let newest = directories.max() { _ = try compare(newest) }
            try forgetDoubtful()
        } catch {
            throw LibraryError.catalog(error.message)
        }
        needsProbe = false
        measure()
    }

    /// Forgets assets whose commit was reported as failed and whose files have been taken away again.
    private func forgetDoubtful() throws(PhotosError) {
        guard !doubtful.isEmpty else { return }
        var ghosts: [DCFNumber] = []
        for identifier in doubtful {
            let record = try read { catalog throws(SQLiteError) in try catalog.asset(identifier) }
            if let record, record.status == .missing { ghosts.append(record.number) }
        }
        if !ghosts.isEmpty {
            try commit { [ghosts] catalog throws(SQLiteError) in
                for number in ghosts { try catalog.delete(number) }
            }
        }
        doubtful = []
    }

    /// Finishes changes whose first file had arrived in `DCIM`; drops the others, which nobody was told of.
    private func recoverStaging() throws(PhotosError) {
        do throws(SystemError) {
            var changes: [DCFNumber: [StagingName]] = [:]
            for name in try files.list(layout.staging) {
                if let staged = StagingName(name) {
                    changes[staged.first, default: []].append(staged)
                } else if try files.metadata(layout.staging + "/" + name)?.kind == .file {
                    try files.remove(layout.staging + "/" + name)
                }
            }
            for (first, staged) in changes where !isWaiting(first) {
                let numbers = Self.run(from: first, count: staged.map(\.count).max() ?? 1, settings.filesPerDirectory)
                let isToFinish = try hasArrived(numbers) && !isInCatalog(numbers)
                if isToFinish { for name in staged { try finish(name) } }
                // Names that came or went before, too. A cut from here on must not find a part of an asset in DCIM.
                for directory in Set(numbers.map(\.directory)).sorted()
                where try files.metadata(layout.directory(directory)) != nil {
                    try files.syncDirectory(layout.directory(directory))
                }
                if !isToFinish { for name in staged { try files.remove(layout.staging + "/" + name.text) } }
            }
        } catch {
            throw failed(error)
        }
    }

    /// True when the catalog has an asset whose files could not be moved into place yet.
    private func isWaiting(_ number: DCFNumber) -> Bool {
        guard !settled.contains(number), let found = try? catalog?.asset(number) else { return false }
        return found.status == .listed && !found.isSettled
    }

    private func finish(_ name: StagingName) throws(SystemError) {
        let staging = layout.staging + "/" + name.text
        do throws(SystemError) {
            try makeDirectory(name.number.directory)
            try files.renameNew(staging, to: layout.path(name.number, name.fileExtension))
        } catch {
            // It has arrived, and only its old name came back after the power cut.
            guard error.code == EEXIST else { throw error }
            try files.remove(staging)
        }
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

    private func isInCatalog(_ numbers: [DCFNumber]) -> Bool {
        guard let catalog else { return false }
        return numbers.contains { number in
            let record = try? catalog.asset(number)
            return record.flatMap { $0 } != nil
        }
    }

    private static func run(from first: DCFNumber, count: Int, _ filesPerDirectory: Int) -> [DCFNumber] {
        var numbers = [first]
        while numbers.count < count, let next = numbers.last?.successor(filesPerDirectory: filesPerDirectory) {
            numbers.append(next)
        }
        return numbers
    }

    /// Finds out where numbering goes on.
    private func recoverNumbers() throws(PhotosError) {
        var evidence = NumberAllocator.Evidence()
        do throws(SystemError) {
            evidence.directories = try files.list(layout.photos)
            if let newest = evidence.newestDirectory, newest.isOurs {
                evidence.newestFiles = try files.list(layout.directory(newest.number))
            }
        } catch {
            throw failed(error)
        }
        let highest = try read { catalog throws(SQLiteError) in try catalog.fact("highest_number") }
        evidence.marks = [readMark(layout.cardMark), readMark(layout.cameraMark), DCFNumber(position: highest)]
            .compactMap { $0 }
        numbers = NumberAllocator(filesPerDirectory: settings.filesPerDirectory, evidence: evidence)
        directories = Set(
            evidence.directories.compactMap { name in
                DCFNumber.directoryNumber(name).flatMap { DCFNumber.directoryName($0) == name ? $0 : nil }
            })
    }

    // MARK: Moving files

    /// Puts the files of assets where their status says, as far as they are not there yet.
    ///
    /// What cannot be moved now stays noted in the catalog and is tried again.
    func settle(_ records: [AssetRecord], as status: AssetRecord.Status) {
        guard !records.isEmpty else { return }
        var moved: [DCFNumber] = []
        var touched: Set<Int> = []
        do throws(SystemError) {
            for record in records {
                try settle(record, as: status)
                moved.append(record.number)
                touched.insert(record.number.directory)
            }
            // Where the files are now first, then where they were.
            if status == .trashed { try files.syncDirectory(layout.trash) }
            for directory in touched where try files.metadata(layout.directory(directory)) != nil {
                try files.syncDirectory(layout.directory(directory))
            }
            if status != .trashed { try files.syncDirectory(layout.trash) }
            settled.formUnion(moved)
        } catch {
            needsSettling = true
            _ = failed(error)
        }
    }

    private func settle(_ record: AssetRecord, as status: AssetRecord.Status) throws(SystemError) {
        for resource in record.resources {
            let photo = layout.path(record.number, resource.fileExtension)
            let trash = layout.trashPath(record.number, record.identifier, resource.fileExtension)
            switch status {
            case .listed, .missing:
                try makeDirectory(record.number.directory)
                try moveIfThere(resource, from: trash, to: photo)
                // Of a block whose commit came first.
                try moveIfThere(resource, from: stagingPath(record, resource), to: photo)
            case .trashed:
                try moveIfThere(resource, from: photo, to: trash)
                // Of a block whose files had not come to their place when they were deleted.
                try moveIfThere(resource, from: stagingPath(record, resource), to: trash)
            case .purging:
                for path in [trash, stagingPath(record, resource)] where try files.metadata(path) != nil {
                    try files.remove(path)
                }
                // A power cut may have left the old name. Another's file under that name is left alone.
                if try files.metadata(photo)?.size == resource.bytes, (try? checksum(photo)) == resource.checksum {
                    try files.remove(photo)
                }
            }
        }
    }

    func moveIfThere(_ resource: AssetRecord.Resource, from: String, to: String) throws(SystemError) {
        if try files.metadata(from) != nil { try move(resource, from: from, to: to) }
    }

    /// Moves a file, also when it has been moved before.
    func move(_ resource: AssetRecord.Resource, from: String, to: String) throws(SystemError) {
        do throws(SystemError) {
            try files.renameNew(from, to: to)
        } catch {
            if error.code == ENOENT, try files.metadata(to) != nil { return }
            // After a power cut both names may be there. Only what is proven to be a copy is removed; another's file
            // under our old name is left alone.
            guard error.code == EEXIST, try checksum(to) == resource.checksum else { throw error }
            if try checksum(from) == resource.checksum { try files.remove(from) }
        }
    }

    func checksum(_ path: String) throws(SystemError) -> UInt64 {
        var sum = Checksum()
        try files.readPieces(path) { sum.add($0) }
        return sum.value
    }

    // MARK: A lost catalog

    /// Starts from the backup copy, or from nothing; the files tell the rest.
    func rebuild(reason: String) throws(LibraryError) {
        closeCatalog()
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
        do throws(SQLiteError) {
            catalog = try Catalog(writing: layout.catalog, files: files)
        } catch {
            guard error.condition == .corrupt else { throw LibraryError(error, layout.catalog) }
            // The copy is no better.
            copied = nil
            do throws(SystemError) { try setCatalogAside() } catch { throw LibraryError(error) }
            do throws(SQLiteError) {
                catalog = try Catalog(writing: layout.catalog, files: files)
            } catch {
                throw LibraryError(error, layout.catalog)
            }
        }
        try didOpenCatalog()
        // The copy may be older than the numbers that limited clients have seen.
        if let catalog {
            try? catalog.transaction { () throws(SQLiteError) in try catalog.raiseSelectionFloor() }
        }
        needsComparison = true
        comparison = nil
        report(.rebuilding(reason: reason, copied: copied))
    }

    /// A copy counts its history on from where it was made, which others have already seen go on differently.
    func forgetTokensAfterRestoring() throws(LibraryError) {
        guard let catalog, try metadata(layout.restoring) != nil else { return }
        do throws(SQLiteError) {
            try catalog.transaction { () throws(SQLiteError) in try catalog.forgetTokens() }
        } catch {
            throw LibraryError(error, layout.catalog)
        }
        do throws(SystemError) { try files.remove(layout.restoring) } catch { throw LibraryError(error) }
    }

    /// Lets every thread know how far the history goes.
    func publishChangeToken() {
        guard let token = try? catalog?.changeToken() else { return }
        shared.setChangeToken(token)
    }

    private func setCatalogAside() throws(SystemError) {
        // The logs first: a log without its database is harmless, a log beside another database is not.
        let suffixes = ["-wal", "-shm", ""]
        // A cut may have left a log there without its database.
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

import Glibc
import Platform

/// One library: plans change blocks, commits them and reports what happened.
///
/// The work is done by owners that keep their state to themselves: the folders and locks, the storage's health with the
/// catalog, numbering, the placement of files, the comparison of files and catalog, recovery, maintenance and the file of
/// grants.
///
/// - Isolation: made and used on the library's thread only.
/// - Blocking: every call.
final class LibraryEngine {
    let context: LibraryContext
    let authority: Authority
    let storage: StorageHealth
    let numbering: Numbering
    let placement: Placement
    let comparison: LibraryComparison
    let recovery: Recovery
    let maintenance: Maintenance
    let grantFile: GrantFile
    private let folders: LibraryFolders
    let examiner: FileExaminer

    /// An engine for a library that is not open yet.
    init(
        layout: LibraryLayout, files: any FileOperations, time: any TimeSource, settings: LibrarySettings,
        reader: any PhotoFileReader, shared: SharedLibraryState, authority: Authority,
        report: @escaping @Sendable (LibraryEvent) -> Void
    ) {
        let context = LibraryContext(
            layout: layout, files: files, time: time, settings: settings, shared: shared, report: report)
        self.context = context
        self.authority = authority
        examiner = FileExaminer(layout: layout, files: files, reader: reader)
        folders = LibraryFolders(context)
        grantFile = GrantFile(context)
        numbering = Numbering(context)
        storage = StorageHealth(context, numbering: numbering)
        placement = Placement(context, storage: storage)
        comparison = LibraryComparison(context, storage: storage, placement: placement, examiner: examiner)
        recovery = Recovery(
            context, folders: folders, storage: storage, numbering: numbering, placement: placement,
            comparison: comparison)
        maintenance = Maintenance(
            context, storage: storage, numbering: numbering, placement: placement, comparison: comparison)
        storage.setReopen { [weak recovery] () throws(LibraryError) in try recovery?.reopen() }
    }

    // MARK: Opening and closing

    /// Makes the folders, takes the locks, opens the catalog and recovers. The library is ready afterwards.
    func open() throws(LibraryError) {
        let isNew = try folders.prepare()
        try recovery.open()
        if let grants = grantFile.load() { authority.setRemembered(grants) }
        if isNew { context.report(.initialized(library: context.layout.library)) }
    }

    /// Does what the first photo would otherwise wait for: numbers, its directory, the log's header.
    func prepareForFirstPhoto() {
        do throws(PhotosError) {
            do throws(SystemError) {
                try numbering.reserve(1)
                if let next = numbering.next, try !placement.makeDirectory(of: next) { skip(next.directory) }
            } catch {
                throw storage.failed(error)
            }
            try storage.read { catalog throws(SQLiteError) in try catalog.checkpoint() }
        } catch {
            // The state says it; the photo tries again.
        }
    }

    /// Does one bounded piece of maintenance; true when there is more.
    func tend() -> Bool {
        maintenance.tend()
    }

    /// Finishes maintenance and closes the library.
    func close() {
        maintenance.finish()
        letGo()
    }

    /// Closes the catalog and releases the locks.
    func letGo() {
        storage.closeCatalog()
        folders.release()
    }

    // MARK: Change blocks

    /// Carries out one change block: all of it durably, or nothing.
    ///
    /// - Returns: the assets that it has deleted, as they are in Recently Deleted.
    @discardableResult
    func apply(_ set: ChangeSet, for client: Client) throws(PhotosError) -> [Asset] {
        if let error = set.usageError { throw error }
        guard !set.changes.isEmpty else { return [] }
        var plan = try plan(set, for: client)
        var sources: [String: FileMetadata] = [:]
        let written =
            plan.creations.isEmpty
            ? [] : try write(plan.creations, staysStaged: plan.saysMoreThanFiles, moving: &sources)
        let now = context.now
        for index in plan.edits.indices { plan.edits[index].modified = now.unixNanoseconds }
        do throws(PhotosError) {
            try storage.commit { [plan] catalog throws(SQLiteError) in try catalog.apply(plan, written, now) }
        } catch {
            recovery.noteUnconfirmed(written.map(\.identifier))
            if plan.saysMoreThanFiles {
                placement.removeStaged(written)
            } else if let first = written.first?.number {
                placement.unpublish(written, first: first)
            }
            throw error
        }
        if plan.saysMoreThanFiles { placement.settle(written, as: .listed) }
        finish(plan, written)
        placement.removeSources(sources)
        return plan.deletions.map { record in
            var record = record
            record.status = .trashed
            record.trashed = now.unixNanoseconds
            return context.snapshot(record)
        }
    }

    /// Reports a block that is durable, and moves the files of what it deleted.
    private func finish(_ plan: ChangePlan, _ written: [AssetRecord]) {
        let durable = context.time.now
        for (record, asset) in zip(written, plan.creations) {
            if let moment = asset.moment {
                let milliseconds = (durable - moment).wholeNanoseconds / 1_000_000
                context.shared.setDuration(record.number, milliseconds: milliseconds)
            }
            context.report(.added(context.snapshot(record)))
        }
        for record in plan.edits where !plan.deletions.contains(where: { $0.number == record.number }) {
            context.report(.changed(context.snapshot(record)))
        }
        if !plan.deletions.isEmpty {
            context.report(.removed(identifiers: plan.deletions.map { $0.identifier.description }))
            // The commit has decided. A move that fails now is made up for later.
            placement.settle(plan.deletions, as: .trashed)
        }
        if !written.isEmpty { storage.noteWorking() }
        storage.measure()
    }

    // MARK: New assets

    /// Writes new assets: staged, synced, then renamed into `DCIM` and the directory synced. Nothing is left after a
    /// failure.
    ///
    /// - Parameters:
    ///   - staysStaged: leaves the files durable in the staging folder, to be moved once the catalog has the assets: a
    ///     power cut before that leaves nothing, and one after it everything, with the rest of the block.
    ///   - sources: receives the files to remove when the assets are durable.
    private func write(
        _ creations: [NewAsset], staysStaged: Bool, moving sources: inout [String: FileMetadata]
    ) throws(PhotosError) -> [AssetRecord] {
        try check(creations)
        let examined = try examiner.examine(creations)
        try storage.requireRoom(for: examined.reduce(0) { $0 &+ $1.bytesToCopy(in: context.layout) })
        // Only other programs take names, so a few tries are enough.
        for _ in 0..<100 {
            do throws(SystemError) { try numbering.reserve(examined.count) } catch { throw storage.failed(error) }
            guard let taken = numbering.take(examined.count), let first = taken.first else {
                throw storage.numbersExhausted()
            }
            var records = zip(examined, taken).map { record($0, $1) }
            do throws(SystemError) {
                switch try placement.prepare(records) {
                case .taken: continue
                case .foreignDirectory(let directory):
                    skip(directory)
                    continue
                case .free: break
                }
                try placement.stage(records, examined, first: staysStaged ? nil : first, moving: &sources)
                if staysStaged {
                    for index in records.indices { records[index].isSettled = false }
                    return records
                }
                do throws(SystemError) {
                    try placement.publish(records, first: first)
                } catch {
                    if error.code == EEXIST { continue }
                    throw error
                }
                return records
            } catch {
                if let path = error.path, examined.contains(where: { $0.isMade(from: path) }) {
                    throw PhotosError(source: path, error)
                }
                throw storage.failed(error)
            }
        }
        throw PhotosError(.storageFailed, "Other programs keep creating files with the photo's name; stop them.")
    }

    /// Refuses what cannot become assets.
    private func check(_ creations: [NewAsset]) throws(PhotosError) {
        var seen: Set<AssetIdentifier> = []
        for asset in creations {
            let isKnown = try storage.read { catalog throws(SQLiteError) in
                try catalog.assets.find(asset.identifier) != nil
            }
            guard !isKnown, seen.insert(asset.identifier).inserted else {
                throw PhotosError(.changeNotSupported, "There is already a photo \(asset.identifier).")
            }
            let photos = asset.resources.filter { $0.type == .photo }.count
            guard photos == 1 else {
                throw PhotosError(
                    photos == 0 ? .missingResource : .invalidResource, "An asset needs exactly one photo.")
            }
        }
    }

    private func record(_ examined: ExaminedAsset, _ number: DCFNumber) -> AssetRecord {
        let (asset, info) = (examined.asset, examined.info)
        let isSizeGiven = asset.width > 0 && asset.height > 0
        return AssetRecord(
            number: number, identifier: asset.identifier,
            captured: asset.captured ?? info.captureTime ?? context.now,
            width: isSizeGiven ? asset.width : info.width, height: isSizeGiven ? asset.height : info.height,
            isFavorite: asset.isFavorite, burst: asset.burst, lag: asset.lag, orientation: info.orientation,
            media: info.kind == .unknown ? .unknown : .image,
            isRaw: info.kind == .dng || examined.resources.contains { $0.record.fileExtension == "DNG" },
            resources: examined.resources.map(\.record))
    }

    /// Skips the numbers of a directory that another camera has made.
    private func skip(_ directory: Int) {
        if let end = DCFNumber(directory: directory, file: 9999) { numbering.skip(to: end) }
    }

    // MARK: Recently Deleted

    /// Brings assets back from Recently Deleted.
    func restore(_ names: [String], for client: Client) throws(PhotosError) -> [Asset] {
        guard authority.rights(of: client).seesEverything else { throw .denied(client.name, "restore photos") }
        var records: [AssetRecord] = []
        for name in names {
            guard let record = try find(name), record.status == .trashed else { throw .noSuchPhoto(name) }
            if !records.contains(where: { $0.number == record.number }) { records.append(record) }
        }
        guard !records.isEmpty else { return [] }
        // Until the second commit the assets count as deleted: a start in between moves the files back to the trash.
        try storage.commit { catalog throws(SQLiteError) in
            for record in records { try catalog.assets.setSettled(record.number, false) }
        }
        do throws(SystemError) {
            try placement.restore(records)
        } catch {
            let failure = cannotRestore(error)
            placement.settle(records, as: .trashed)
            throw failure
        }
        try storage.commit { catalog throws(SQLiteError) in
            for record in records { try catalog.assets.setStatus(record.number, .listed, isSettled: true) }
            try catalog.history.record(.assetInserted, records.map(\.identifier))
        }
        let assets = records.map { record in
            var record = record
            record.status = .listed
            record.trashed = nil
            return context.snapshot(record)
        }
        for asset in assets { context.report(.restored(asset)) }
        return assets
    }

    private func cannotRestore(_ error: SystemError) -> PhotosError {
        switch error.code {
        case EEXIST:
            return PhotosError(
                .storageFailed, "Another file has the photo's name; move \(error.path ?? "it") away.")
        case ENOENT where (try? context.files.metadata(context.layout.trash)) != nil:
            // The storage is there, and only the file is not.
            return PhotosError(
                .missingResource, "A file is missing from the trash (\(error)); the photo cannot be restored.")
        default: return storage.failed(error)
        }
    }

    /// Removes everything in Recently Deleted for good.
    ///
    /// - Returns: the number of assets that are gone.
    func emptyTrash(for client: Client) throws(PhotosError) -> Int {
        guard authority.rights(of: client).seesEverything else {
            throw .denied(client.name, "empty the trash")
        }
        var gone = 0
        while true {
            let batch = try storage.read { catalog throws(SQLiteError) in
                try catalog.assets.all(.trashed, after: nil, limit: 500)
            }
            guard !batch.isEmpty else { break }
            try storage.commit { catalog throws(SQLiteError) in
                for record in batch { try catalog.assets.setStatus(record.number, .purging, isSettled: false) }
            }
            placement.settle(batch, as: .purging)
            gone += batch.count
            context.report(.purged(identifiers: batch.map { $0.identifier.description }))
        }
        try placement.forgetPurged()
        storage.measure()
        return gone
    }

    // MARK: Looking up

    /// The asset with an identifier or a number, whatever its status.
    func find(_ name: String) throws(PhotosError) -> AssetRecord? {
        try storage.read { catalog throws(SQLiteError) in try catalog.find(name) }
    }

    /// The number of assets that a check reads.
    func assetsToCheck() throws(PhotosError) -> Int {
        try storage.read { catalog throws(SQLiteError) in
            try catalog.assets.total(.listed).assets + catalog.assets.total(.missing).assets
                + catalog.assets.total(.trashed).assets
        }
    }

    /// Checks the next asset of one status after a number; nil when there is none.
    func checkNext(
        _ status: AssetRecord.Status, after: DCFNumber?
    ) throws(PhotosError) -> (DCFNumber, FileCheck.Verdict?)? {
        let next = try storage.read { catalog throws(SQLiteError) in
            try catalog.assets.all(status, after: after, limit: 1)
        }
        guard let record = next.first else { return nil }
        do throws(SystemError) {
            return (record.number, try FileCheck(layout: context.layout, files: context.files).check(record))
        } catch {
            throw storage.failed(error)
        }
    }
}

extension ExaminedAsset {
    /// True when one of its files comes from a path.
    fileprivate func isMade(from path: String) -> Bool {
        resources.contains { resource in
            if case .file(path, _) = resource.content { true } else { false }
        }
    }

    /// Bytes that have to be written; files in the staging folder are only moved.
    fileprivate func bytesToCopy(in layout: LibraryLayout) -> Int64 {
        resources.reduce(0) { sum, resource in
            if case .file(let path, true) = resource.content, layout.isIncoming(path) { return sum }
            return sum &+ resource.record.bytes
        }
    }
}

extension Catalog {
    /// Stores a change block whose files are written.
    fileprivate func apply(_ plan: ChangePlan, _ written: [AssetRecord], _ now: WallTime) throws(SQLiteError) {
        for record in written {
            try assets.insert(record)
            if let selection = plan.selection { try selections.select(record.number, in: selection) }
        }
        try history.record(.assetInserted, written.map(\.identifier))
        for record in plan.edits { try assets.update(record) }
        try history.record(.assetUpdated, plan.edits.map(\.identifier))
        for record in plan.deletions { try assets.setTrashed(record.number, now, isSettled: false) }
        try history.record(.assetDeleted, plan.deletions.map(\.identifier))
        for album in plan.albums { try albums.store(album) }
    }

    /// The asset with an identifier or a number, whatever its status.
    func find(_ name: String) throws(SQLiteError) -> AssetRecord? {
        if let identifier = AssetIdentifier(name) { return try assets.find(identifier) }
        if let number = DCFNumber(name) { return try assets.find(number) }
        return nil
    }
}

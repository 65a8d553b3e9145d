import Glibc
import Platform

extension LibraryEngine {
    /// Carries out one change block: all of it durably, or nothing.
    func apply(_ set: ChangeSet, for client: Client) throws(PhotosError) {
        if let error = set.usageError { throw error }
        guard !set.changes.isEmpty else { return }
        var plan = try plan(set, for: client)
        var sources: [String: FileMetadata] = [:]
        let written =
            plan.creations.isEmpty
            ? [] : try write(plan.creations, staysStaged: plan.saysMoreThanFiles, moving: &sources)
        let now = time.wallTime(at: time.now)
        for index in plan.edits.indices { plan.edits[index].modified = now.unixNanoseconds }
        do throws(PhotosError) {
            try commit { [plan] catalog throws(SQLiteError) in
                for record in written {
                    try catalog.insert(record)
                    if let selection = plan.selection { try catalog.select(record.number, in: selection) }
                }
                try catalog.record(.assetInserted, written.map(\.identifier))
                for record in plan.edits { try catalog.update(record) }
                try catalog.record(.assetUpdated, plan.edits.map(\.identifier))
                for record in plan.deletions {
                    try catalog.setTrashed(record.number, now, isSettled: false)
                }
                try catalog.record(.assetDeleted, plan.deletions.map(\.identifier))
                for album in plan.albums { try catalog.store(album) }
            }
        } catch {
            doubtful.formUnion(written.map(\.identifier))
            if plan.saysMoreThanFiles { dropStaged(written) } else { undo(written, first: written.first?.number) }
            throw error
        }
        if plan.saysMoreThanFiles { settle(written, as: .listed) }
        finish(plan, written)
        remove(sources)
    }

    /// Tells of a block that is durable, and moves the files of what it deleted.
    private func finish(_ plan: ChangePlan, _ written: [AssetRecord]) {
        let durable = time.now
        for (record, asset) in zip(written, plan.creations) {
            if let moment = asset.moment {
                let milliseconds = (durable - moment).wholeNanoseconds / 1_000_000
                shared.setDuration(record.number, milliseconds: milliseconds)
            }
            report(.added(snapshot(record)))
        }
        for record in plan.edits where !plan.deletions.contains(where: { $0.number == record.number }) {
            report(.changed(snapshot(record)))
        }
        if !plan.deletions.isEmpty {
            report(.removed(identifiers: plan.deletions.map { $0.identifier.description }))
            // The catalog has decided. A move that fails now is made up for later.
            settle(plan.deletions, as: .trashed)
        }
        if !written.isEmpty { needsProbe = false }
        measure()
    }

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
        try commit { catalog throws(SQLiteError) in
            for record in records { try catalog.setSettled(record.number, false) }
        }
        do throws(SystemError) {
            for record in records {
                try makeDirectory(record.number.directory)
                for resource in record.resources {
                    try move(
                        resource, from: layout.trashPath(record.number, record.identifier, resource.fileExtension),
                        to: layout.path(record.number, resource.fileExtension))
                }
            }
            for directory in Set(records.map { $0.number.directory }) {
                try files.syncDirectory(layout.directory(directory))
            }
            try files.syncDirectory(layout.trash)
        } catch {
            let failure: PhotosError
            switch error.code {
            case EEXIST:
                failure = PhotosError(
                    .storageFailed, "Another file has the photo's name; move \(error.path ?? "it") away.")
            case ENOENT where (try? files.metadata(layout.trash)) != nil:
                // Says nothing of the storage: it is there, and the file is not.
                failure = PhotosError(
                    .missingResource, "A file is gone from Recently Deleted (\(error)); the photo cannot be restored.")
            default: failure = failed(error)
            }
            settle(records, as: .trashed)
            throw failure
        }
        try commit { catalog throws(SQLiteError) in
            for record in records { try catalog.setStatus(record.number, .listed, isSettled: true) }
            try catalog.record(.assetInserted, records.map(\.identifier))
        }
        let assets = records.map { record in
            var record = record
            record.status = .listed
            record.trashed = nil
            return snapshot(record)
        }
        for asset in assets { report(.restored(asset)) }
        return assets
    }

    /// Removes everything in Recently Deleted for good.
    ///
    /// - Returns: how many assets are gone.
    func emptyTrash(for client: Client) throws(PhotosError) -> Int {
        guard authority.rights(of: client).seesEverything else {
            throw .denied(client.name, "empty Recently Deleted")
        }
        var gone = 0
        while true {
            let batch = try read { catalog throws(SQLiteError) in
                try catalog.assets(.trashed, after: nil, limit: 500)
            }
            guard !batch.isEmpty else { break }
            try commit { catalog throws(SQLiteError) in
                for record in batch { try catalog.setStatus(record.number, .purging, isSettled: false) }
            }
            settle(batch, as: .purging)
            gone += batch.count
            report(.purged(identifiers: batch.map { $0.identifier.description }))
        }
        try forgetPurged()
        measure()
        return gone
    }

    /// Forgets assets whose files have been removed.
    func forgetPurged() throws(PhotosError) {
        let purged = try read { catalog throws(SQLiteError) in try catalog.assets("status = 2", []) }
            .filter { settled.contains($0.number) }
        guard !purged.isEmpty else { return }
        try commit { catalog throws(SQLiteError) in
            for record in purged { try catalog.delete(record.number) }
        }
    }

    // MARK: Looking up

    /// The asset with an identifier or a number, wherever it stands.
    func find(_ name: String) throws(PhotosError) -> AssetRecord? {
        try read { catalog throws(SQLiteError) in try catalog.find(name) }
    }

    func snapshot(_ record: AssetRecord) -> Asset {
        Asset(record, durable: shared.durations[record.number], layout: layout)
    }
}

extension Catalog {
    /// The asset with an identifier or a number, wherever it stands.
    func find(_ name: String) throws(SQLiteError) -> AssetRecord? {
        if let identifier = AssetIdentifier(name) { return try asset(identifier) }
        if let number = DCFNumber(name) { return try asset(number) }
        return nil
    }
}

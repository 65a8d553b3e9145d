import FoundationEssentials
import Glibc
import Platform

extension LibraryEngine {
    // MARK: Change blocks

    /// Carries out one change block: all of it durably, or nothing.
    func apply(_ set: ChangeSet, for client: Client) throws(PhotosError) {
        if let error = set.usageError { throw error }
        var creations: [NewAsset] = []
        var favorites: [(AssetRecord, Bool)] = []
        var deletions: [AssetRecord] = []
        for change in set.changes {
            switch change {
            case .create(let asset):
                guard client.mayAdd else { throw .denied(client.name, "add photos") }
                creations.append(asset)
            case .setFavorite(let identifier, let isFavorite):
                guard client.mayChange else { throw .denied(client.name, "change photos") }
                favorites.append((try listedAsset(identifier), isFavorite))
            case .delete(let identifier):
                guard client.mayChange else { throw .denied(client.name, "delete photos") }
                let record = try listedAsset(identifier)
                if !deletions.contains(where: { $0.number == record.number }) { deletions.append(record) }
            }
        }
        guard !set.changes.isEmpty else { return }
        if !creations.isEmpty {
            try checkIdentifiers(creations)
            try checkRoom(creations)
        }
        let written = creations.isEmpty ? [] : try write(creations)
        let now = time.wallTime(at: time.now).unixNanoseconds
        do throws(PhotosError) {
            try commit { catalogue throws(SQLiteError) in
                for record in written { try catalogue.insert(record) }
                for (record, isFavorite) in favorites { try catalogue.setFavorite(record.number, isFavorite) }
                for record in deletions {
                    try catalogue.setStatus(record.number, .trashed, isSettled: false, trashed: now)
                }
            }
        } catch {
            doubtful.formUnion(written.map(\.identifier))
            undo(written, first: written.first?.number)
            throw error
        }
        let durable = time.now
        for (record, asset) in zip(written, creations) {
            if let moment = asset.moment {
                let milliseconds = (durable - moment).wholeNanoseconds / 1_000_000
                shared.setDuration(record.number, milliseconds: milliseconds)
            }
            report(.added(snapshot(record)))
        }
        for (record, isFavorite) in favorites where !deletions.contains(where: { $0.number == record.number }) {
            var changed = record
            changed.isFavorite = isFavorite
            report(.changed(snapshot(changed)))
        }
        if !deletions.isEmpty {
            report(.removed(identifiers: deletions.map { $0.identifier.description }))
            // The catalogue has decided. A move that fails now is made up for later.
            settle(deletions, as: .trashed)
        }
        if !written.isEmpty { needsProbe = false }
        measure()
    }

    /// Brings assets back from Recently Deleted.
    func restore(_ names: [String], for client: Client) throws(PhotosError) -> [Asset] {
        guard client.mayChange else { throw .denied(client.name, "restore photos") }
        var records: [AssetRecord] = []
        for name in names {
            guard let record = try find(name), record.status == .trashed else { throw .noSuchPhoto(name) }
            if !records.contains(where: { $0.number == record.number }) { records.append(record) }
        }
        guard !records.isEmpty else { return [] }
        // Until the second commit the assets count as deleted: a start in between moves the files back to the trash.
        try commit { catalogue throws(SQLiteError) in
            for record in records { try catalogue.setSettled(record.number, false) }
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
            let failure =
                error.code == EEXIST
                ? PhotosError(.storageFailed, "Another file has the photo's name; move \(error.path ?? "it") away.")
                : failed(error)
            settle(records, as: .trashed)
            throw failure
        }
        try commit { catalogue throws(SQLiteError) in
            for record in records { try catalogue.setStatus(record.number, .listed, isSettled: true) }
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
        guard client.mayChange else { throw .denied(client.name, "empty Recently Deleted") }
        var gone = 0
        while true {
            let batch = try read { catalogue throws(SQLiteError) in
                try catalogue.assets(.trashed, after: nil, limit: 500)
            }
            guard !batch.isEmpty else { break }
            try commit { catalogue throws(SQLiteError) in
                for record in batch { try catalogue.setStatus(record.number, .purging, isSettled: false) }
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
        let purged = try read { catalogue throws(SQLiteError) in try catalogue.assets("status = 2", []) }
            .filter { settled.contains($0.number) }
        guard !purged.isEmpty else { return }
        try commit { catalogue throws(SQLiteError) in
            for record in purged { try catalogue.delete(record.number) }
        }
    }

    // MARK: Looking up

    /// The asset with an identifier or a number, wherever it stands.
    func find(_ name: String) throws(PhotosError) -> AssetRecord? {
        try read { catalogue throws(SQLiteError) in try catalogue.find(name) }
    }

    private func listedAsset(_ name: String) throws(PhotosError) -> AssetRecord {
        guard let record = try find(name), record.status == .listed else { throw .noSuchPhoto(name) }
        return record
    }

    func snapshot(_ record: AssetRecord) -> Asset {
        Asset(record, durable: shared.durations[record.number], layout: layout)
    }

    // MARK: Writing

    private func checkIdentifiers(_ creations: [NewAsset]) throws(PhotosError) {
        var seen: Set<AssetIdentifier> = []
        for asset in creations {
            let isKnown = try read { catalogue throws(SQLiteError) in try catalogue.asset(asset.identifier) != nil }
            guard !isKnown, seen.insert(asset.identifier).inserted else {
                throw PhotosError(.changeNotSupported, "There is already a photo \(asset.identifier).")
            }
            guard asset.resources.filter({ $0.type == .photo }).count == 1 else {
                throw PhotosError(.missingResource, "An asset needs exactly one photo.")
            }
            let extensions = asset.resources.map(Self.fileExtension)
            guard Set(extensions).count == extensions.count else {
                throw PhotosError(.invalidResource, "Two files of one asset would have the same name.")
            }
            guard asset.resources.allSatisfy({ !$0.data.isEmpty }) else {
                throw PhotosError(.invalidResource, "A file of an asset is empty.")
            }
        }
    }

    /// Keeps the reserve.
    private func checkRoom(_ creations: [NewAsset]) throws(PhotosError) {
        let bytes = creations.reduce(Int64(0)) { $1.resources.reduce($0) { $0 + Int64($1.data.count) } }
        let space: FileSystemSpace
        do throws(SystemError) { space = try files.space(layout.library) } catch { throw failed(error) }
        guard !space.isReadOnly else {
            setState(.readOnly)
            throw .readOnly
        }
        guard space.free - settings.reservedBytes >= bytes else {
            setState(.full)
            throw .full
        }
    }

    private static func fileExtension(_ resource: NewAsset.Resource) -> String {
        FileExtension.choose(for: resource.type, originalFilename: resource.originalFilename)
    }

    /// Writes new assets into `DCIM`: staged, synced, renamed, directory synced. Nothing is left after a failure.
    private func write(_ creations: [NewAsset]) throws(PhotosError) -> [AssetRecord] {
        // A name can only be taken by somebody else's doing, so a few tries are plenty.
        for _ in 0..<100 {
            try reserve(creations.count)
            guard let taken = numbers.take(creations.count), let first = taken.first else {
                setState(.numberingExhausted)
                throw .exhausted
            }
            let records = zip(creations, taken).map { record($0, $1) }
            do throws(SystemError) {
                guard try prepare(records) else { continue }
                try stage(records, creations, first: first)
                do throws(SystemError) {
                    try publish(records, first: first)
                } catch {
                    undo(records, first: first)
                    if error.code == EEXIST { continue }
                    throw error
                }
                return records
            } catch {
                throw failed(error)
            }
        }
        throw PhotosError(.storageFailed, "Other files keep taking the photo's name; keep other programs off the card.")
    }

    private func record(_ asset: NewAsset, _ number: DCFNumber) -> AssetRecord {
        // Companions first, the photo last.
        let ordered = asset.resources.filter { $0.type != .photo } + asset.resources.filter { $0.type == .photo }
        return AssetRecord(
            number: number, identifier: asset.identifier, captured: asset.captured ?? time.wallTime(at: time.now),
            width: asset.width, height: asset.height, isFavorite: asset.isFavorite, burst: asset.burst, lag: asset.lag,
            resources: ordered.map { resource in
                AssetRecord.Resource(
                    type: resource.type, fileExtension: Self.fileExtension(resource),
                    originalFilename: resource.originalFilename,
                    uniformTypeIdentifier: resource.uniformTypeIdentifier, bytes: Int64(resource.data.count),
                    checksum: resource.data.withUnsafeBytes { Checksum.of($0) })
            })
    }

    /// Makes the directories and looks whether the names are free; false asks for other numbers.
    private func prepare(_ records: [AssetRecord]) throws(SystemError) -> Bool {
        for record in records {
            guard try prepareDirectory(of: record.number) else { return false }
            for resource in record.resources {
                if try files.metadata(layout.path(record.number, resource.fileExtension)) != nil { return false }
            }
        }
        return true
    }

    /// Makes a number's directory; false when another camera has one of that number, which is then passed over.
    func prepareDirectory(of number: DCFNumber) throws(SystemError) -> Bool {
        guard !directories.contains(number.directory) else { return true }
        let isForeign = try files.list(layout.photos).contains {
            DCFNumber.directoryNumber($0) == number.directory && $0 != number.directoryName
        }
        if isForeign {
            if let end = DCFNumber(directory: number.directory, file: 9999) { numbers.skip(to: end) }
            return false
        }
        try makeDirectory(number.directory)
        return true
    }

    func makeDirectory(_ directory: Int) throws(SystemError) {
        guard !directories.contains(directory) else { return }
        if try files.metadata(layout.directory(directory)) == nil {
            try files.createDirectory(layout.directory(directory))
        }
        try files.syncDirectory(layout.photos)
        directories.insert(directory)
    }

    private func stage(_ records: [AssetRecord], _ creations: [NewAsset], first: DCFNumber) throws(SystemError) {
        var staged: [String] = []
        do throws(SystemError) {
            for (record, asset) in zip(records, creations) {
                for resource in record.resources {
                    guard
                        let data = asset.resources.first(where: { Self.fileExtension($0) == resource.fileExtension })?
                            .data
                    else { continue }
                    let path = stagingPath(record, resource, first: first, count: records.count)
                    staged.append(path)
                    let result: Result<Void, SystemError> = data.withUnsafeBytes { bytes in
                        do throws(SystemError) {
                            return .success(try files.writeNew(path, bytes))
                        } catch {
                            return .failure(error)
                        }
                    }
                    try result.get()
                }
            }
            // One file alone needs no entry in the staging folder that lasts. Several do: when the first has arrived
            // in DCIM, the others must be there to follow it.
            if staged.count > 1 { try files.syncDirectory(layout.staging) }
        } catch {
            for path in staged { try? files.remove(path) }
            throw error
        }
    }

    private func publish(_ records: [AssetRecord], first: DCFNumber) throws(SystemError) {
        for record in records {
            for resource in record.resources {
                try files.renameNew(
                    stagingPath(record, resource, first: first, count: records.count),
                    to: layout.path(record.number, resource.fileExtension))
            }
        }
        for directory in Set(records.map { $0.number.directory }).sorted() {
            try files.syncDirectory(layout.directory(directory))
        }
    }

    /// Takes new files out of `DCIM` again: all back to staging first, so that a start in between finishes what it finds
    /// half done, then away.
    private func undo(_ records: [AssetRecord], first: DCFNumber?) {
        guard let first else { return }
        var back: [String] = []
        for record in records.reversed() {
            for resource in record.resources.reversed() {
                let staging = stagingPath(record, resource, first: first, count: records.count)
                let there = try? files.metadata(staging)
                if there.flatMap({ $0 }) == nil {
                    do throws(SystemError) {
                        try files.renameNew(layout.path(record.number, resource.fileExtension), to: staging)
                    } catch {
                        return
                    }
                }
                back.append(staging)
            }
        }
        for path in back { try? files.remove(path) }
        for directory in Set(records.map { $0.number.directory }) {
            try? files.syncDirectory(layout.directory(directory))
        }
    }

    private func stagingPath(
        _ record: AssetRecord, _ resource: AssetRecord.Resource, first: DCFNumber, count: Int
    ) -> String {
        layout.staging + "/"
            + StagingName(
                first: first, count: count, number: record.number, identifier: record.identifier,
                fileExtension: resource.fileExtension
            ).text
    }

    // MARK: Numbers

    /// Makes sure that `count` numbers can be given out.
    func reserve(_ count: Int, ahead: Int = 0) throws(PhotosError) {
        guard let mark = numbers.missingReservation(for: count, ahead: ahead) else { return }
        do throws(SystemError) { try writeMarks(mark) } catch { throw failed(error) }
        numbers.didReserve(mark)
    }

    /// Makes both marks durable.
    func writeMarks(_ mark: DCFNumber) throws(SystemError) {
        try writeMark(mark, layout.cameraMark, in: layout.state)
        try writeMark(mark, layout.cardMark, in: layout.own)
    }

    private func writeMark(_ mark: DCFNumber, _ path: String, in folder: String) throws(SystemError) {
        let new = path + ".new"
        if try files.metadata(new) != nil { try files.remove(new) }
        try files.writeNew(new, Array("\(mark)\n".utf8))
        try files.renameReplacing(new, to: path)
        try files.syncDirectory(folder)
    }

    func readMark(_ path: String) -> DCFNumber? {
        guard let bytes = try? files.read(path, limit: 64) else { return nil }
        return DCFNumber(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension Catalogue {
    /// The asset with an identifier or a number, wherever it stands.
    func find(_ name: String) throws(SQLiteError) -> AssetRecord? {
        if let identifier = AssetIdentifier(name) { return try asset(identifier) }
        if let number = DCFNumber(name) { return try asset(number) }
        return nil
    }
}

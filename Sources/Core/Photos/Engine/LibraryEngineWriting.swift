import FoundationEssentials
import Glibc
import Platform

extension LibraryEngine {
    /// Refuses what cannot become assets.
    func checkCreations(_ creations: [NewAsset]) throws(PhotosError) {
        var seen: Set<AssetIdentifier> = []
        for asset in creations {
            let isKnown = try read { catalog throws(SQLiteError) in try catalog.asset(asset.identifier) != nil }
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

    /// Keeps the reserve.
    private func checkRoom(_ creations: [ExaminedAsset]) throws(PhotosError) {
        let bytes = creations.reduce(Int64(0)) { sum, asset in
            asset.resources.reduce(sum) { isIncoming($1) ? $0 : $0 &+ $1.record.bytes }
        }
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

    /// Writes new assets into `DCIM`: staged, synced, renamed, directory synced. Nothing is left after a failure.
    ///
    /// - Parameters:
    ///   - staysStaged: leaves the files durable in the staging folder, to be moved once the catalog has the assets: a
    ///     cut before that leaves nothing, and one after it everything, with what else the block says of them.
    ///   - sources: gets the files that are to be removed when the assets are durable.
    func write(
        _ creations: [NewAsset], staysStaged: Bool, moving sources: inout [String: FileMetadata]
    ) throws(PhotosError) -> [AssetRecord] {
        try checkCreations(creations)
        let examined = try examine(creations)
        try checkRoom(examined)
        // A name can only be taken by somebody else's doing, so a few tries are plenty.
        for _ in 0..<100 {
            try reserve(examined.count)
            guard let taken = numbers.take(examined.count), let first = taken.first else {
                setState(.numberingExhausted)
                throw .exhausted
            }
            var records = zip(examined, taken).map { record($0, $1) }
            do throws(SystemError) {
                guard try prepare(records) else { continue }
                try stage(records, examined, first: staysStaged ? nil : first, moving: &sources)
                if staysStaged {
                    for index in records.indices { records[index].isSettled = false }
                    return records
                }
                do throws(SystemError) {
                    try publish(records, first: first)
                } catch {
                    undo(records, first: first)
                    if error.code == EEXIST { continue }
                    throw error
                }
                return records
            } catch {
                if let path = error.path, examined.contains(where: { $0.isMade(from: path) }) {
                    throw PhotosError(source: path, error)
                }
                throw failed(error)
            }
        }
        throw PhotosError(.storageFailed, "Other files keep taking the photo's name; keep other programs off the card.")
    }

    /// Removes files that have been moved into the library, once the assets are durable.
    ///
    /// One that stays is no failure. Whoever has put something else there meanwhile keeps it.
    func remove(_ sources: [String: FileMetadata]) {
        for (path, copied) in sources {
            let there = try? files.metadata(path)
            if there.flatMap({ $0 }) == copied { try? files.remove(path) }
        }
    }

    private func record(_ examined: ExaminedAsset, _ number: DCFNumber) -> AssetRecord {
        let (asset, info) = (examined.asset, examined.info)
        let isSizeTold = asset.width > 0 && asset.height > 0
        return AssetRecord(
            number: number, identifier: asset.identifier,
            captured: asset.captured ?? info.captureTime ?? time.wallTime(at: time.now),
            width: isSizeTold ? asset.width : info.width, height: isSizeTold ? asset.height : info.height,
            isFavorite: asset.isFavorite, burst: asset.burst, lag: asset.lag, orientation: info.orientation,
            media: info.kind == .unknown ? .unknown : .image,
            isRaw: info.kind == .dng || examined.resources.contains { $0.record.fileExtension == "DNG" },
            resources: examined.resources.map(\.record))
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

    private func stage(
        _ records: [AssetRecord], _ creations: [ExaminedAsset], first: DCFNumber?,
        moving sources: inout [String: FileMetadata]
    ) throws(SystemError) {
        var staged: [String] = []
        do throws(SystemError) {
            for (record, asset) in zip(records, creations) {
                for resource in asset.resources {
                    let path = stagingPath(record, resource.record, first: first, count: records.count)
                    staged.append(path)
                    try stage(resource, at: path, moving: &sources)
                }
            }
            // One file alone needs no entry in the staging folder that lasts. Several do: when the first has arrived
            // in DCIM, or the catalog has them, the others must be there to follow.
            if staged.count > 1 || first == nil { try files.syncDirectory(layout.staging) }
        } catch {
            for path in staged { try? files.remove(path) }
            throw error
        }
    }

    private func stage(
        _ resource: ExaminedResource, at path: String, moving sources: inout [String: FileMetadata]
    ) throws(SystemError) {
        switch resource.content {
        case .data(let data):
            try data.withBytes { (bytes) throws(SystemError) in try files.writeNew(path, bytes) }
        case .file(let source, _) where isIncoming(resource):
            // It is durable, and nobody else's: nothing is to be copied.
            try files.renameNew(source, to: path)
        case .file(let source, let isMoved):
            var sum = Checksum()
            let copied = try files.copyNew(source, to: path) { sum.add($0) }
            // What was looked at and what was copied must be one and the same.
            guard sum.value == resource.record.checksum else {
                throw SystemError(code: EBUSY, operation: "copy", path: source)
            }
            if isMoved { sources[source] = copied }
        }
    }

    /// True for a file to be moved that lies in the staging folder already.
    private func isIncoming(_ resource: ExaminedResource) -> Bool {
        if case .file(let path, true) = resource.content { layout.isIncoming(path) } else { false }
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
    func undo(_ records: [AssetRecord], first: DCFNumber?) {
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
        // All are back before the first goes: what a cut leaves in DCIM must not be a part of an asset.
        do throws(SystemError) {
            try files.syncDirectory(layout.staging)
            for directory in Set(records.map { $0.number.directory }) {
                try files.syncDirectory(layout.directory(directory))
            }
            for path in back { try files.remove(path) }
        } catch {
            return
        }
    }

    /// Removes what was staged to be moved after a commit that has failed.
    func dropStaged(_ records: [AssetRecord]) {
        for record in records {
            for resource in record.resources { try? files.remove(stagingPath(record, resource)) }
        }
    }

    /// - Parameters:
    ///   - first: the first number of a change whose files go into `DCIM` before the commit and together; nil when the
    ///     catalog comes first and each asset can be moved by itself.
    func stagingPath(
        _ record: AssetRecord, _ resource: AssetRecord.Resource, first: DCFNumber? = nil, count: Int = 1
    ) -> String {
        layout.staging + "/"
            + StagingName(
                first: first ?? record.number, count: first == nil ? 1 : count, number: record.number,
                identifier: record.identifier,
                fileExtension: resource.fileExtension
            ).text
    }

    // MARK: Numbers

    /// Makes sure that `count` numbers can be given out.
    func reserve(_ count: Int, ahead: Int = 0) throws(PhotosError) {
        guard let mark = numbers.missingReservation(for: count, ahead: ahead) else { return }
        do throws(SystemError) { try setMarks(mark) } catch { throw failed(error) }
        numbers.didReserve(mark)
    }

    /// Makes both marks durable; nil when no number was ever given out, which leaves none.
    func setMarks(_ mark: DCFNumber?) throws(SystemError) {
        try setMark(mark, layout.cameraMark, in: layout.state)
        try setMark(mark, layout.cardMark, in: layout.own)
    }

    private func setMark(_ mark: DCFNumber?, _ path: String, in folder: String) throws(SystemError) {
        guard let mark else {
            if try files.metadata(path) != nil { try files.remove(path) }
            return try files.syncDirectory(folder)
        }
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

extension ExaminedAsset {
    /// True when one of its files comes from a path.
    fileprivate func isMade(from path: String) -> Bool {
        resources.contains { resource in
            if case .file(path, _) = resource.content { true } else { false }
        }
    }
}

import Glibc
import Imaging
import Platform

/// Files that the catalog does not know become assets, or are set aside.
extension LibraryEngine {
    /// What a look at the files of one asset found.
    enum Inspection {
        /// An asset, with an identity of its own when the file has one.
        case whole(AssetRecord)
        /// Not an asset, and why.
        case incomplete(String)
        /// Files that cannot be read now.
        case unreadable
    }

    /// Takes unknown files into the catalog, or sets them aside when they are not whole. One commit for all.
    ///
    /// - Parameter trashed: what is in Recently Deleted, by number.
    func adopt(
        _ strangers: [Stranger], beside trashed: [DCFNumber: [TrashName]]
    ) throws(PhotosError) -> [VerifyReport.Problem] {
        var adopted: [AssetRecord] = []
        var replaced: [(old: DCFNumber, new: DCFNumber)] = []
        var aside: [(name: String, reason: String)] = []
        var unreadable: [VerifyReport.Problem] = []
        for stranger in strangers {
            let isKnown = try read { catalog throws(SQLiteError) in try catalog.asset(stranger.number) != nil }
            if isKnown { continue }
            if let names = trashed[stranger.number], try joinTrash(stranger, names) { continue }
            let paths = stranger.extensions.map { ($0, layout.path(stranger.number, $0)) }
            switch try inspect(stranger.number, paths) {
            case .whole(var record):
                let other = try read { catalog throws(SQLiteError) in try catalog.asset(record.identifier) }
                let isTaken = adopted.contains { $0.identifier == record.identifier }
                if let other, other.status == .missing, !isTaken {
                    // The same photo, found elsewhere: it keeps what a person has done with it.
                    replaced.append((other.number, record.number))
                    record.isFavorite = other.isFavorite
                    record.captured = other.captured
                    record.burst = other.burst
                    record.timelapse = other.timelapse
                    record.modified = other.modified
                    record.lag = other.lag
                    record.durable = other.durable
                } else if other != nil || isTaken {
                    record.identifier = AssetIdentifier()
                }
                adopted.append(record)
            case .incomplete(let reason):
                for fileExtension in stranger.extensions {
                    aside.append((try setAside(stranger.number, fileExtension), reason))
                }
            case .unreadable:
                let name = layout.name(stranger.number, stranger.extensions.first ?? "")
                unreadable.append(.init(kind: .damaged, name: name, reason: "it cannot be read"))
            }
        }
        guard !adopted.isEmpty || !aside.isEmpty else { return unreadable }
        try commit { [adopted, replaced, aside] catalog throws(SQLiteError) in
            for number in replaced {
                try catalog.moveMemberships(from: number.old, to: number.new)
                try catalog.delete(number.old)
            }
            for record in adopted { try catalog.insert(record) }
            try catalog.record(.assetInserted, adopted.map(\.identifier))
            for (name, reason) in aside { try catalog.insertQuarantined(name, reason: reason) }
        }
        for record in adopted { report(.adopted(snapshot(record))) }
        for (name, reason) in aside { report(.quarantined(name: name, reason: reason)) }
        return adopted.map { .init(kind: .adopted, name: snapshot($0).name, reason: "was not in the catalog") }
            + aside.map { .init(kind: .quarantined, name: $0.name, reason: $0.reason) } + unreadable
    }

    /// Looks at files that should be one asset.
    ///
    /// Which of them is the photo, nobody remembers: the JPEG, else what can be read, else the largest.
    func inspect(_ number: DCFNumber, _ paths: [(fileExtension: String, path: String)]) throws(PhotosError)
        -> Inspection
    {
        let hasJPEG = paths.contains { $0.fileExtension == "JPG" }
        var found: [(fileExtension: String, facts: FileFacts, modified: Int64)] = []
        do throws(SystemError) {
            for (fileExtension, path) in paths {
                guard let there = try files.metadata(path), there.kind == .file else {
                    return .incomplete("it is not a file")
                }
                if there.size == 0 { return .incomplete("it is empty") }
                let facts = try facts(at: path, isRead: !hasJPEG || fileExtension == "JPG")
                found.append((fileExtension, facts, there.modifiedUnixNanoseconds))
            }
        } catch {
            // One bad place, or one file that is another user's, must not keep everything else from being found.
            if [EIO, EACCES, EPERM].contains(error.code) { return .unreadable }
            throw failed(error)
        }
        let photo =
            found.first { $0.fileExtension == "JPG" }
            ?? found.max { ($0.facts.rank, $0.facts.bytes) < ($1.facts.rank, $1.facts.bytes) }
        guard let photo else { return .incomplete("its photo is not there") }
        let info: PhotoFileInfo
        do throws(ImagingError) { info = try photo.facts.info.get() } catch { return .incomplete(error.description) }
        if info.kind == .unknown, FileExtension.claims.contains(photo.fileExtension) {
            return .incomplete("it is not a photo")
        }
        let companions = found.filter { $0.fileExtension != photo.fileExtension }
        let resources = (companions + [photo]).map { file in
            AssetRecord.Resource(
                type: file.fileExtension == photo.fileExtension
                    ? .photo : file.fileExtension == "DNG" ? .alternatePhoto : AssetResourceType(rawValue: 0),
                fileExtension: file.fileExtension, bytes: file.facts.bytes, checksum: file.facts.checksum,
                thumbnail: file.facts.thumbnail)
        }
        let nothing = AssetIdentifier(bytes: [UInt8](repeating: 0, count: 16))
        let own = info.imageUniqueID.flatMap { AssetIdentifier($0) }
        let captured = info.captureTime ?? WallTime(unixNanoseconds: photo.modified, offsetSeconds: 0, isTrusted: false)
        return .whole(
            AssetRecord(
                number: number, identifier: own == nothing ? AssetIdentifier() : own ?? AssetIdentifier(),
                captured: captured, width: info.width, height: info.height, orientation: info.orientation,
                media: info.kind == .unknown ? .unknown : .image,
                isRaw: info.kind == .dng || found.contains { $0.fileExtension == "DNG" }, resources: resources))
    }

    /// Puts files that a cut left in `DCIM` while their asset was on its way to or from Recently Deleted beside the rest
    /// of it there. A single file of an asset must not become an asset of its own.
    ///
    /// - Returns: false when they are another's files, which only have the same number.
    private func joinTrash(_ stranger: Stranger, _ names: [TrashName]) throws(PhotosError) -> Bool {
        guard let identifier = names.first?.identifier else { return false }
        let moves = stranger.extensions.map {
            (layout.path(stranger.number, $0), layout.trashPath(stranger.number, identifier, $0))
        }
        do throws(SystemError) {
            for (photo, trash) in moves where try files.metadata(trash) != nil {
                guard try files.metadata(photo)?.kind == .file, try checksum(photo) == checksum(trash) else {
                    return false
                }
            }
            var copies: [String] = []
            for (photo, trash) in moves {
                if try files.metadata(trash) == nil {
                    try files.renameNew(photo, to: trash)
                } else {
                    copies.append(photo)
                }
            }
            try files.syncDirectory(layout.trash)
            for copy in copies { try files.remove(copy) }
            try files.syncDirectory(layout.directory(stranger.number.directory))
        } catch {
            throw failed(error)
        }
        return true
    }

    /// Moves a file out of `DCIM`; nothing is ever thrown away.
    private func setAside(_ number: DCFNumber, _ fileExtension: String) throws(PhotosError) -> String {
        do throws(SystemError) {
            var name = "\(number).\(fileExtension)"
            var copy = 1
            while try files.metadata(layout.quarantine + "/" + name) != nil {
                copy += 1
                name = "\(number)-\(copy).\(fileExtension)"
            }
            try files.renameNew(layout.path(number, fileExtension), to: layout.quarantine + "/" + name)
            try files.syncDirectory(layout.quarantine)
            try files.syncDirectory(layout.directory(number.directory))
            return name
        } catch {
            throw failed(error)
        }
    }
}

extension FileFacts {
    /// The higher, the likelier it is the photo among the files of an asset.
    fileprivate var rank: Int {
        switch kind {
        case .jpeg: 3
        case .tiff, nil: 2
        case .dng: 1
        case .unknown: 0
        }
    }
}

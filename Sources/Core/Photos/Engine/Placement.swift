import FoundationEssentials
import Glibc
import Platform

/// Writes and moves the files of assets: into `DCIM`, to Recently Deleted and back, and away for good.
///
/// - Isolation: the library's thread.
/// - Blocking: every call but the properties.
final class Placement {
    /// Whether new assets can have the names of their numbers.
    enum Readiness {
        case free
        case taken
        /// Another camera has a directory of this number.
        case foreignDirectory(Int)
    }

    private let layout: LibraryLayout
    private let files: any FileOperations
    private let storage: StorageHealth
    /// Numbers of our directories in `DCIM` whose names are durable.
    private var directories: Set<Int> = []
    /// Some files could not be moved where the catalog wants them.
    private var needsSettling = false

    init(_ context: LibraryContext, storage: StorageHealth) {
        layout = context.layout
        files = context.files
        self.storage = storage
    }

    // MARK: Directories

    /// The highest directory of ours.
    var newestDirectory: Int? { directories.max() }

    /// Forgets which directories there are: the card may be another.
    func forgetDirectories() {
        directories = []
    }

    /// Takes the names that a start found in `DCIM`.
    func setDirectories(named names: [String]) {
        directories = Set(names.compactMap(Self.ownDirectory))
    }

    /// Makes the entries of every directory of ours durable.
    ///
    /// - Returns: all directories of ours.
    func syncDirectories() throws(SystemError) -> Set<Int> {
        for name in try files.list(layout.photos) {
            guard let number = Self.ownDirectory(name) else { continue }
            directories.insert(number)
            try files.syncDirectory(layout.directory(number))
        }
        return directories
    }

    /// Makes a directory of ours, durably, unless it is there.
    func makeDirectory(_ directory: Int) throws(SystemError) {
        guard !directories.contains(directory) else { return }
        if try files.metadata(layout.directory(directory)) == nil {
            try files.createDirectory(layout.directory(directory))
        }
        try files.syncDirectory(layout.photos)
        directories.insert(directory)
    }

    /// Makes the directory of a number; false when another camera has one of that number.
    func makeDirectory(of number: DCFNumber) throws(SystemError) -> Bool {
        guard !directories.contains(number.directory) else { return true }
        let isForeign = try files.list(layout.photos).contains {
            DCFNumber.directoryNumber($0) == number.directory && $0 != number.directoryName
        }
        if !isForeign { try makeDirectory(number.directory) }
        return !isForeign
    }

    private static func ownDirectory(_ name: String) -> Int? {
        DCFNumber.directoryNumber(name).flatMap { DCFNumber.directoryName($0) == name ? $0 : nil }
    }

    // MARK: New files

    /// Makes the directories of new assets and checks that their names are free.
    func prepare(_ records: [AssetRecord]) throws(SystemError) -> Readiness {
        for record in records {
            guard try makeDirectory(of: record.number) else { return .foreignDirectory(record.number.directory) }
            for resource in record.resources {
                if try files.metadata(layout.path(record.number, resource.fileExtension)) != nil { return .taken }
            }
        }
        return .free
    }

    /// Writes the files of new assets durably into the staging folder. Nothing is left after a failure.
    ///
    /// - Parameters:
    ///   - first: the first number of a block whose files go into `DCIM` together and before the commit; nil when the
    ///     commit comes first and each asset can be moved by itself.
    ///   - sources: receives the files to remove when the assets are durable.
    func stage(
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
            // The entry of a single file in the staging folder need not last. Those of several must: when the first
            // has arrived in DCIM, or the catalog has the assets, the others must be there to follow.
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
        case .file(let source, true) where layout.isIncoming(source):
            // It is durable and the library's own, so moving it is enough.
            try files.renameNew(source, to: path)
        case .file(let source, let isMoved):
            var sum = Checksum()
            let copied = try files.copyNew(source, to: path) { sum.add($0) }
            // The file may have changed since it was examined.
            guard sum.value == resource.record.checksum else {
                throw SystemError(code: EBUSY, operation: "copy", path: source)
            }
            if isMoved { sources[source] = copied }
        }
    }

    /// Moves staged files into `DCIM` and makes their names durable. Nothing stays in `DCIM` after a failure.
    func publish(_ records: [AssetRecord], first: DCFNumber) throws(SystemError) {
        do throws(SystemError) {
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
        } catch {
            unpublish(records, first: first)
            throw error
        }
    }

    /// Takes new files out of `DCIM` again. All go back to staging before the first is removed, so that a start in between
    /// finishes what it finds half done.
    func unpublish(_ records: [AssetRecord], first: DCFNumber) {
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
        // A power cut must not leave a part of an asset in DCIM.
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

    /// Removes files that were staged for a commit that has failed.
    func removeStaged(_ records: [AssetRecord]) {
        for record in records {
            for resource in record.resources { try? files.remove(stagingPath(record, resource)) }
        }
    }

    /// Removes files that have been moved into the library, once the assets are durable.
    ///
    /// A file that stays is no failure, and a file that has changed meanwhile belongs to another program and stays.
    func removeSources(_ sources: [String: FileMetadata]) {
        for (path, copied) in sources {
            let there = try? files.metadata(path)
            if there.flatMap({ $0 }) == copied { try? files.remove(path) }
        }
    }

    /// Moves one staged file of a block that a power cut interrupted into `DCIM`.
    func finish(_ name: StagingName) throws(SystemError) {
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

    private func stagingPath(
        _ record: AssetRecord, _ resource: AssetRecord.Resource, first: DCFNumber? = nil, count: Int = 1
    ) -> String {
        layout.staging + "/"
            + StagingName(
                first: first ?? record.number, count: first == nil ? 1 : count, number: record.number,
                identifier: record.identifier, fileExtension: resource.fileExtension
            ).text
    }

    // MARK: Files of known assets

    /// Moves the files of assets where their status wants them, unless they are there already.
    ///
    /// After a failure the catalog still says what is to be moved, and `settleAgain` tries again.
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
            // The folders where the files are now come first, then those where they were.
            if status == .trashed { try files.syncDirectory(layout.trash) }
            for directory in touched where try files.metadata(layout.directory(directory)) != nil {
                try files.syncDirectory(layout.directory(directory))
            }
            if status != .trashed { try files.syncDirectory(layout.trash) }
            storage.noteSettled(moved)
        } catch {
            needsSettling = true
            _ = storage.failed(error)
        }
    }

    /// Settles every asset that the catalog knows as unsettled, for a start.
    func settleAll() throws(PhotosError) {
        try settle(storage.read { catalog throws(SQLiteError) in try catalog.assets.unsettled() })
    }

    /// Settles what could not be settled before, if anything.
    func settleAgain() throws(PhotosError) {
        guard needsSettling else { return }
        needsSettling = false
        let waiting = try storage.read { catalog throws(SQLiteError) in try catalog.assets.unsettled() }
        try settle(waiting.filter { !storage.isNotedSettled($0.number) })
    }

    private func settle(_ records: [AssetRecord]) throws(PhotosError) {
        for status in [AssetRecord.Status.listed, .missing, .trashed, .purging] {
            settle(records.filter { $0.status == status }, as: status)
        }
        try forgetPurged()
    }

    private func settle(_ record: AssetRecord, as status: AssetRecord.Status) throws(SystemError) {
        for resource in record.resources {
            let photo = layout.path(record.number, resource.fileExtension)
            let trash = layout.trashPath(record.number, record.identifier, resource.fileExtension)
            switch status {
            case .listed, .missing:
                try makeDirectory(record.number.directory)
                try moveIfThere(resource, from: trash, to: photo)
                // From a block whose commit came before its files moved.
                try moveIfThere(resource, from: stagingPath(record, resource), to: photo)
            case .trashed:
                try moveIfThere(resource, from: photo, to: trash)
                // From a block whose files had not arrived when they were deleted.
                try moveIfThere(resource, from: stagingPath(record, resource), to: trash)
            case .purging:
                for path in [trash, stagingPath(record, resource)] where try files.metadata(path) != nil {
                    try files.remove(path)
                }
                // A power cut may have left the old name. Another's file under that name stays.
                if try files.metadata(photo)?.size == resource.bytes,
                    (try? files.checksum(photo)) == resource.checksum
                {
                    try files.remove(photo)
                }
            }
        }
    }

    /// Removes assets from the catalog whose files have been removed for good.
    func forgetPurged() throws(PhotosError) {
        let purged = try storage.read { catalog throws(SQLiteError) in try catalog.assets.all(where: "status = 2", []) }
            .filter { storage.isNotedSettled($0.number) }
        guard !purged.isEmpty else { return }
        try storage.commit { catalog throws(SQLiteError) in
            for record in purged { try catalog.assets.delete(record.number) }
        }
    }

    /// Moves the files of assets from Recently Deleted to where they were, durably.
    func restore(_ records: [AssetRecord]) throws(SystemError) {
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
    }

    /// Removes names in Recently Deleted that a power cut brought back of an asset that had been restored.
    func removeTrashNames(of record: AssetRecord) throws(PhotosError) {
        do throws(SystemError) {
            for resource in record.resources {
                try moveIfThere(
                    resource, from: layout.trashPath(record.number, record.identifier, resource.fileExtension),
                    to: layout.path(record.number, resource.fileExtension))
            }
        } catch {
            throw storage.failed(error)
        }
    }

    private func moveIfThere(_ resource: AssetRecord.Resource, from: String, to: String) throws(SystemError) {
        if try files.metadata(from) != nil { try move(resource, from: from, to: to) }
    }

    /// Moves a file, and succeeds when it has been moved before.
    private func move(_ resource: AssetRecord.Resource, from: String, to: String) throws(SystemError) {
        do throws(SystemError) {
            try files.renameNew(from, to: to)
        } catch {
            if error.code == ENOENT, try files.metadata(to) != nil { return }
            // After a power cut both names may be there. Only a proven copy is removed; another's file under our old
            // name stays.
            guard error.code == EEXIST, try files.checksum(to) == resource.checksum else { throw error }
            if try files.checksum(from) == resource.checksum { try files.remove(from) }
        }
    }
}

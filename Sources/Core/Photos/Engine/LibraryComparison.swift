import Glibc
import Platform

/// Compares the files on the card with the catalog: marks what is missing, lists again what came back, and makes assets of
/// untracked files or sets them aside.
///
/// - Isolation: the library's thread.
/// - Blocking: every call but the properties.
final class LibraryComparison {
    /// Files with one number that the catalog does not know.
    struct UntrackedFiles: Hashable, Sendable {
        let number: DCFNumber
        let extensions: [String]
    }

    /// How far one comparison has come. Each step is so small that a photo need not wait for it.
    struct Progress: Sendable {
        fileprivate var directories: [Int]
        /// What Recently Deleted held at the beginning, by number.
        fileprivate let trashed: [DCFNumber: [TrashName]]
        fileprivate var untracked: [UntrackedFiles] = []
        /// Nil until the directories are done.
        fileprivate var trash: [TrashedFiles]?
        /// Which opening of the catalog it compares with.
        fileprivate let opening: Int
    }

    private let context: LibraryContext
    private let storage: StorageHealth
    private let placement: Placement
    private let examiner: FileExaminer
    /// The catalog was rebuilt, and no comparison has been completed since.
    private(set) var isNeeded = false
    /// The comparison that makes up for that in idle time.
    private var pending: Progress?

    private var layout: LibraryLayout { context.layout }
    private var files: any FileOperations { context.files }

    init(_ context: LibraryContext, storage: StorageHealth, placement: Placement, examiner: FileExaminer) {
        self.context = context
        self.storage = storage
        self.placement = placement
        self.examiner = examiner
    }

    // MARK: Steps

    /// The catalog was rebuilt: it has to be compared from the start.
    func require() {
        isNeeded = true
        pending = nil
    }

    /// Takes one step of the comparison that a rebuilt catalog needs.
    func catchUp() throws(PhotosError) {
        guard isNeeded else { return }
        var progress: Progress
        if let pending { progress = pending } else { progress = try begin() }
        pending = nil
        if try advance(&progress) != nil { pending = progress }
    }

    /// Begins a comparison of every directory that the catalog has assets in or that is on the card, the newest first.
    ///
    /// The directories are made durable: what a killed process had not synced must not be reported as saved.
    func begin() throws(PhotosError) -> Progress {
        let inCatalog = try storage.read { catalog throws(SQLiteError) in try catalog.assets.directories() }
        let trashed: [TrashName]
        let onCard: Set<Int>
        do throws(SystemError) {
            trashed = try files.list(layout.trash).compactMap(TrashName.init)
            onCard = try placement.syncDirectories()
        } catch {
            throw storage.failed(error)
        }
        return Progress(
            directories: onCard.union(inCatalog).sorted(by: >), trashed: Dictionary(grouping: trashed, by: \.number),
            opening: storage.openings)
    }

    /// Takes one step of a comparison.
    ///
    /// - Returns: what was found; nil when the comparison is complete.
    func advance(_ progress: inout Progress) throws(PhotosError) -> [VerifyReport.Problem]? {
        if !progress.untracked.isEmpty {
            let batch = Array(progress.untracked.prefix(8))
            progress.untracked.removeFirst(batch.count)
            return try adopt(batch, beside: progress.trashed)
        }
        if let directory = progress.directories.first {
            progress.directories.removeFirst()
            progress.untracked = try compare(directory)
            return []
        }
        guard var trash = progress.trash else {
            progress.trash = try untrackedTrash()
            return []
        }
        if !trash.isEmpty {
            let batch = Array(trash.prefix(8))
            trash.removeFirst(batch.count)
            progress.trash = trash
            try adoptTrash(batch)
            return []
        }
        if progress.opening == storage.openings { isNeeded = false }
        return nil
    }

    // MARK: Directories

    /// Compares one directory with the catalog: marks what is missing, lists again what came back.
    ///
    /// - Returns: the files that the catalog does not know.
    @discardableResult
    func compare(_ directory: Int) throws(PhotosError) -> [UntrackedFiles] {
        let names: Set<String>
        do throws(SystemError) {
            let path = layout.directory(directory)
            names = try files.metadata(path) == nil ? [] : Set(try files.list(path))
        } catch {
            throw storage.failed(error)
        }
        let entries = try storage.read { catalog throws(SQLiteError) in
            try catalog.assets.entries(inDirectory: directory)
        }
        var lost: [DirectoryEntry] = []
        var found: [DirectoryEntry] = []
        var known: Set<Int> = []
        for entry in entries {
            known.insert(entry.number.file)
            guard entry.isSettled || storage.isNotedSettled(entry.number) else { continue }
            let isThere = entry.extensions.allSatisfy { names.contains(LibraryLayout.fileName(entry.number, $0)) }
            switch entry.status {
            case .listed: if !isThere { lost.append(entry) }
            case .missing: if isThere { found.append(entry) }
            case .trashed, .purging: if isThere, try !isInTrash(entry.number) { found.append(entry) }
            }
        }
        if !lost.isEmpty || !found.isEmpty {
            try storage.commit { [lost, found] catalog throws(SQLiteError) in
                for entry in lost { try catalog.assets.setStatus(entry.number, .missing, isSettled: true) }
                for entry in found { try catalog.assets.setStatus(entry.number, .listed, isSettled: true) }
                try catalog.history.record(.assetDeleted, lost.map(\.identifier))
                try catalog.history.record(.assetInserted, found.map(\.identifier))
            }
        }
        for entry in lost + found {
            guard let record = try asset(entry.number) else { continue }
            let asset = context.snapshot(record)
            context.report(
                record.status == .missing
                    ? .missing(identifier: asset.localIdentifier, name: asset.name) : .adopted(asset))
        }
        return untracked(names, in: directory, known: known)
    }

    private func untracked(_ names: Set<String>, in directory: Int, known: Set<Int>) -> [UntrackedFiles] {
        var extensions: [DCFNumber: [String]] = [:]
        for name in names {
            guard let file = DCFNumber.fileNumber(name), !known.contains(file),
                let number = DCFNumber(directory: directory, file: file), name.hasPrefix(number.stem + ".")
            else { continue }
            let fileExtension = String(name.dropFirst(number.stem.count + 1))
            if FileExtension.isValid(fileExtension) { extensions[number, default: []].append(fileExtension) }
        }
        return extensions.map { UntrackedFiles(number: $0, extensions: $1.sorted()) }
            .sorted { $0.number < $1.number }
    }

    private func isInTrash(_ number: DCFNumber) throws(PhotosError) -> Bool {
        guard let record = try asset(number) else { return false }
        do throws(SystemError) {
            for resource in record.resources {
                let path = layout.trashPath(number, record.identifier, resource.fileExtension)
                if try files.metadata(path) != nil { return true }
            }
        } catch {
            throw storage.failed(error)
        }
        return false
    }

    private func asset(_ number: DCFNumber) throws(PhotosError) -> AssetRecord? {
        try storage.read { catalog throws(SQLiteError) in try catalog.assets.find(number) }
    }

    private func asset(_ identifier: AssetIdentifier) throws(PhotosError) -> AssetRecord? {
        try storage.read { catalog throws(SQLiteError) in try catalog.assets.find(identifier) }
    }

    // MARK: Untracked files

    /// Makes assets of untracked files, or sets them aside when they are not whole, with one commit for all.
    ///
    /// - Parameter trashed: what is in Recently Deleted, by number.
    private func adopt(
        _ untracked: [UntrackedFiles], beside trashed: [DCFNumber: [TrashName]]
    ) throws(PhotosError) -> [VerifyReport.Problem] {
        var adopted: [AssetRecord] = []
        var replaced: [(old: DCFNumber, new: DCFNumber)] = []
        var aside: [(name: String, reason: String)] = []
        var unreadable: [VerifyReport.Problem] = []
        for found in untracked {
            if try asset(found.number) != nil { continue }
            if let names = trashed[found.number], try joinTrash(found, names) { continue }
            let paths = found.extensions.map { ($0, layout.path(found.number, $0)) }
            switch try inspect(found.number, paths) {
            case .whole(var record):
                let other = try asset(record.identifier)
                let isTaken = adopted.contains { $0.identifier == record.identifier }
                if let other, other.status == .missing, !isTaken {
                    // The same photo under another number: it keeps what a person has done with it.
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
                for fileExtension in found.extensions {
                    aside.append((try setAside(found.number, fileExtension), reason))
                }
            case .unreadable:
                let name = layout.name(found.number, found.extensions.first ?? "")
                unreadable.append(.init(kind: .damaged, name: name, reason: "it cannot be read"))
            }
        }
        guard !adopted.isEmpty || !aside.isEmpty else { return unreadable }
        try storage.commit { [adopted, replaced, aside] catalog throws(SQLiteError) in
            for number in replaced {
                try catalog.moveMemberships(from: number.old, to: number.new)
                try catalog.assets.delete(number.old)
            }
            for record in adopted { try catalog.assets.insert(record) }
            try catalog.history.record(.assetInserted, adopted.map(\.identifier))
            for (name, reason) in aside { try catalog.insertQuarantined(name, reason: reason) }
        }
        for record in adopted { context.report(.adopted(context.snapshot(record))) }
        for (name, reason) in aside { context.report(.quarantined(name: name, reason: reason)) }
        return adopted.map { .init(kind: .adopted, name: context.snapshot($0).name, reason: "was not in the catalog") }
            + aside.map { .init(kind: .quarantined, name: $0.name, reason: $0.reason) } + unreadable
    }

    private func inspect(
        _ number: DCFNumber, _ paths: [(fileExtension: String, path: String)]
    ) throws(PhotosError) -> Inspection {
        do throws(SystemError) { return try examiner.inspect(number, paths) } catch { throw storage.failed(error) }
    }

    /// Moves files into Recently Deleted that a power cut left in `DCIM` while their asset was on its way there or back. A
    /// single file of an asset must not become an asset of its own.
    ///
    /// - Returns: false when they are another's files, which only have the same number.
    private func joinTrash(_ found: UntrackedFiles, _ names: [TrashName]) throws(PhotosError) -> Bool {
        guard let identifier = names.first?.identifier else { return false }
        let moves = found.extensions.map {
            (layout.path(found.number, $0), layout.trashPath(found.number, identifier, $0))
        }
        do throws(SystemError) {
            for (photo, trash) in moves where try files.metadata(trash) != nil {
                guard try files.metadata(photo)?.kind == .file,
                    try files.checksum(photo) == files.checksum(trash)
                else { return false }
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
            try files.syncDirectory(layout.directory(found.number.directory))
        } catch {
            throw storage.failed(error)
        }
        return true
    }

    /// Moves a file from `DCIM` to the quarantine folder; no file is ever thrown away.
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
            throw storage.failed(error)
        }
    }

    // MARK: Recently Deleted

    /// Deleted assets that the catalog does not know as deleted; a rebuilt catalog knows few of them.
    private func untrackedTrash() throws(PhotosError) -> [TrashedFiles] {
        let names: [String]
        do throws(SystemError) {
            try files.syncDirectory(layout.trash)
            names = try files.list(layout.trash)
        } catch {
            throw storage.failed(error)
        }
        let groups = Dictionary(grouping: names.compactMap(TrashName.init)) {
            TrashedFiles(number: $0.number, identifier: $0.identifier, extensions: [])
        }
        var found: [TrashedFiles] = []
        for (var trashed, parts) in groups {
            if let known = try asset(trashed.number), known.status == .trashed || known.status == .purging { continue }
            trashed.extensions = parts.map(\.fileExtension).sorted()
            found.append(trashed)
        }
        return found.sorted { $0.number < $1.number }
    }

    /// Takes deleted assets into the catalog, as deleted, with one commit for all.
    private func adoptTrash(_ untracked: [TrashedFiles]) throws(PhotosError) {
        var deleted: [DCFNumber] = []
        var adopted: [AssetRecord] = []
        let now = context.now
        for found in untracked {
            if let known = try asset(found.number) {
                guard known.identifier == found.identifier,
                    known.isSettled || storage.isNotedSettled(known.number)
                else { continue }
                switch known.status {
                case .listed: try placement.removeTrashNames(of: known)
                case .missing: deleted.append(known.number)
                case .trashed, .purging: break
                }
                continue
            }
            let isElsewhere = try asset(found.identifier) != nil
            // Names can claim anything; files with a name that is taken stay where they are.
            let isTaken = adopted.contains { $0.number == found.number || $0.identifier == found.identifier }
            let paths = found.extensions.map {
                ($0, layout.trashPath(found.number, found.identifier, $0))
            }
            guard !isElsewhere, !isTaken, case .whole(var record) = try inspect(found.number, paths) else { continue }
            record.identifier = found.identifier
            record.status = .trashed
            record.trashed = now.unixNanoseconds
            record.counted = now.isTrusted ? now.unixNanoseconds : nil
            adopted.append(record)
        }
        guard !deleted.isEmpty || !adopted.isEmpty else { return }
        try storage.commit { [deleted, adopted] catalog throws(SQLiteError) in
            for number in deleted { try catalog.assets.setTrashed(number, now, isSettled: true) }
            for record in adopted { try catalog.assets.insert(record) }
        }
    }
}

/// One asset in Recently Deleted, as the names of its files say.
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

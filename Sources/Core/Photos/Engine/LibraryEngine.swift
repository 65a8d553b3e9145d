import Glibc
import Platform

/// The library's own work: files, numbers and catalog.
///
/// - Isolation: made and used on the library's thread only.
/// - Blocking: every call.
final class LibraryEngine {
    let layout: LibraryLayout
    let files: any FileOperations
    let time: any TimeSource
    let settings: LibrarySettings
    let reader: any PhotoFileReader
    let shared: SharedLibraryState
    let authority: Authority
    let report: @Sendable (LibraryEvent) -> Void

    /// Nil while the library is offline.
    var catalog: Catalog?
    /// The catalog failed in a way after which only opening it anew tells what it holds.
    var isCatalogSuspect = false
    /// The catalog is damaged; only a rebuild helps.
    var isCatalogCorrupt = false
    /// Assets of commits that failed. Whether the log has them all the same shows when the catalog is opened again.
    var doubtful: Set<AssetIdentifier> = []
    /// The storage failed; only a write that succeeds proves that it is back.
    var needsProbe = false
    var numbers = NumberAllocator(filesPerDirectory: 9999, evidence: NumberAllocator.Evidence())
    /// Directories of ours that are there and durable.
    var directories: Set<Int> = []
    /// Assets whose files have arrived; the catalog learns it with the next commit.
    var settled: Set<DCFNumber> = []
    /// Some files could not be moved where the catalog wants them.
    var needsSettling = false
    /// The catalog was rebuilt and has not been compared with the files since.
    var needsComparison = false
    /// The comparison that makes up for that when nothing else does.
    var comparison: Comparison?
    /// Changes that the backup copy does not have.
    var changesSinceBackup = 0
    /// When Recently Deleted was last looked through under a trusted clock, in this run.
    var lastPurgeLook: MonotonicTime?
    /// More is to be removed from Recently Deleted.
    var isPurging = false
    var backup: CatalogBackup?
    var backupDue: MonotonicTime

    private var stateLock: FileLock?
    private var libraryLock: FileLock?
    /// How often the catalog was opened.
    private(set) var openings = 0

    /// An engine for a library that is not open yet.
    init(
        layout: LibraryLayout, files: any FileOperations, time: any TimeSource, settings: LibrarySettings,
        reader: any PhotoFileReader, shared: SharedLibraryState, authority: Authority,
        report: @escaping @Sendable (LibraryEvent) -> Void
    ) {
        self.layout = layout
        self.files = files
        self.time = time
        self.settings = settings
        self.reader = reader
        self.shared = shared
        self.authority = authority
        self.report = report
        backupDue = time.now
    }

    // MARK: Opening

    /// Makes the folders, takes the locks, opens the catalog and recovers. The library is ready afterwards.
    func open() throws(LibraryError) {
        try makeFolder(layout.state, needsParent: true)
        stateLock = try lock(layout.stateLock, of: layout.state)
        try makeFolder(layout.library, needsParent: false)
        let isNew = try metadata(layout.own) == nil
        try makeFolder(layout.own, needsParent: false)
        libraryLock = try lock(layout.libraryLock, of: layout.library)
        try makeFolder(layout.photos, needsParent: false)
        for folder in [layout.staging, layout.trash, layout.quarantine] {
            // Files are removed from these: a link would lead to somebody else's.
            if let there = try metadata(folder), there.kind != .directory { throw .notADirectory(folder) }
            try makeFolder(folder, needsParent: false)
        }
        try syncFolders()
        try openOrRebuild()
        try recoverOrRebuild()
        loadGrants()
        if isNew { report(.initialised(library: layout.library)) }
    }

    /// Opens a library again that had gone away.
    func reopen() throws(LibraryError) {
        closeCatalog()
        guard try metadata(layout.own)?.kind == .directory else { throw .missing(layout.library) }
        libraryLock = nil
        libraryLock = try lock(layout.libraryLock, of: layout.library)
        directories = []
        let isInDoubt = isCatalogCorrupt
        try openOrRebuild()
        // A second look, on a connection of its own: a rebuild costs what only the catalog knows.
        if isInDoubt, let catalog, !catalog.isWhole { try rebuild(reason: "the catalog is damaged") }
        try recoverOrRebuild()
    }

    /// Damage deep in the catalog shows only when it is read; damage in the copy too.
    private func recoverOrRebuild() throws(LibraryError) {
        for _ in 0..<2 {
            do throws(LibraryError) {
                return try recover()
            } catch {
                guard isCatalogCorrupt else { throw error }
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
        case .empty, .ours: try openCatalog()
        }
    }

    private func openCatalog() throws(LibraryError) {
        do throws(SQLiteError) {
            catalog = try Catalog(writing: layout.catalog, files: files)
        } catch {
            guard error.condition == .corrupt else { throw LibraryError(error, layout.catalog) }
            try rebuild(reason: "the catalog is damaged (\(error))")
            return
        }
        try didOpenCatalog()
    }

    func didOpenCatalog() throws(LibraryError) {
        isCatalogSuspect = false
        isCatalogCorrupt = false
        try forgetTokensAfterRestoring()
        openings += 1
        shared.setGeneration(openings)
        publishChangeToken()
    }

    func closeCatalog() {
        shared.setGeneration(0)
        backup = nil
        catalog = nil
    }

    /// Forgets everything and lets the locks go.
    func letGo() {
        closeCatalog()
        libraryLock = nil
        stateLock = nil
    }

    private func makeFolder(_ path: String, needsParent: Bool) throws(LibraryError) {
        if let there = try metadata(path) {
            // A symbolic link to a folder is a folder: look behind it.
            if there.kind == .directory || (there.kind == .other && (try? files.list(path)) != nil) { return }
            throw .notADirectory(path)
        }
        let parent = Self.parent(of: path)
        if needsParent, try metadata(parent) == nil { throw .missingParent(parent) }
        do throws(SystemError) {
            try files.createDirectory(path)
        } catch {
            if error.condition == .readOnly { throw .readOnly(parent) }
            throw LibraryError(error)
        }
    }

    /// Makes the folders durable, those too that a process made which was killed before it could sync them.
    private func syncFolders() throws(LibraryError) {
        do throws(SystemError) {
            for folder in [layout.library, layout.own, layout.photos] { try files.syncDirectory(folder) }
        } catch {
            if error.condition == .readOnly { throw .readOnly(layout.library) }
            throw LibraryError(error)
        }
        // The folders around ours need not be ours to open.
        for folder in [layout.state, layout.library] { try? files.syncDirectory(Self.parent(of: folder)) }
    }

    private func lock(_ path: String, of folder: String) throws(LibraryError) -> FileLock {
        do throws(SystemError) {
            return try FileLock(path: path)
        } catch {
            if error.isAlreadyLocked { throw .locked(folder) }
            if error.condition == .readOnly { throw .readOnly(folder) }
            throw LibraryError(error)
        }
    }

    private func header() throws(LibraryError) -> Catalog.Header {
        guard let there = try metadata(layout.catalog), there.kind == .file else { return .empty }
        do throws(SystemError) {
            return Catalog.Header(try files.readPrefix(layout.catalog, count: 100))
        } catch {
            throw LibraryError(error)
        }
    }

    /// True when there is no catalog where there must have been one.
    private func isLost() throws(LibraryError) -> Bool {
        // A new catalog is in its log first. A log by itself is what a start left that was setting a catalog aside.
        if try metadata(layout.catalog) != nil, try metadata(layout.catalog + "-wal") != nil { return false }
        if try metadata(layout.backup) != nil { return true }
        do throws(SystemError) {
            let trash = try files.list(layout.trash)
            let photos = try files.list(layout.photos)
            return !trash.isEmpty || photos.contains { $0.hasSuffix(DCFNumber.directoryLetters) }
        } catch {
            throw LibraryError(error)
        }
    }

    func metadata(_ path: String) throws(LibraryError) -> FileMetadata? {
        do throws(SystemError) { return try files.metadata(path) } catch { throw LibraryError(error) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Failures

    /// What a failed file operation means to a client; notes what it says about the storage.
    func failed(_ error: SystemError) -> PhotosError {
        switch error.condition {
        case .full: enter(.full)
        case .readOnly: enter(.readOnly)
        case .offline: enter(.offline)
        case .other: break
        }
        return PhotosError(error)
    }

    /// What a failed catalog call means to a client; notes what it says about the storage.
    func failed(_ error: SQLiteError) -> PhotosError {
        isCatalogSuspect = true
        if error.condition == .corrupt { isCatalogCorrupt = true }
        switch error.condition {
        case .full:
            enter(.full)
            return .full
        case .readOnly:
            enter(.readOnly)
            return .readOnly
        case .storage, .corrupt, .busy, .other:
            enter(.offline)
            return PhotosError(.libraryVolumeOffline, "The catalog failed (\(error)); it is being opened again.")
        }
    }

    private func enter(_ state: LibraryState) {
        needsProbe = true
        setState(state)
    }

    func setState(_ state: LibraryState) {
        if shared.setState(state) { report(.stateChanged(state)) }
    }

    /// The catalog, or why there is none.
    func requireCatalog() throws(PhotosError) -> Catalog {
        if isCatalogSuspect { revive() }
        guard let catalog, !isCatalogSuspect else {
            throw LibraryState.offline.refusal ?? .closed
        }
        return catalog
    }

    /// Reads from the catalog.
    func read<T>(_ body: (Catalog) throws(SQLiteError) -> T) throws(PhotosError) -> T {
        let catalog = try requireCatalog()
        do throws(SQLiteError) { return try body(catalog) } catch { throw failed(error) }
    }

    /// Commits changes, and with them what was waiting for a commit.
    func commit(_ body: (Catalog) throws(SQLiteError) -> Void) throws(PhotosError) {
        let catalog = try requireCatalog()
        let durations = shared.durations
        let settled = settled
        do throws(SQLiteError) {
            try catalog.transaction { () throws(SQLiteError) in
                for (number, milliseconds) in durations {
                    try catalog.setDurable(number, milliseconds: milliseconds)
                }
                for number in settled { try catalog.setSettled(number, true) }
                try body(catalog)
            }
        } catch {
            throw failed(error)
        }
        if catalog.historyBlock != nil { publishChangeToken() }
        shared.removeDurations(durations.keys)
        self.settled.subtract(settled)
        changesSinceBackup += 1
    }

    // MARK: Space

    /// Measures the storage and says what it can do.
    func measure() {
        guard catalog != nil, !isCatalogSuspect, !needsProbe else { return }
        let space: FileSystemSpace
        do throws(SystemError) { space = try files.space(layout.library) } catch {
            _ = failed(error)
            return
        }
        let free = max(0, space.free - settings.reservedBytes)
        shared.setFreeBytes(free)
        if space.isReadOnly {
            setState(.readOnly)
        } else if numbers.next == nil {
            setState(.numberingExhausted)
        } else if free < settings.largestPhotoBytes {
            setState(.full)
        } else {
            setState(free < settings.largestPhotoBytes * settings.nearlyFullPhotos ? .nearlyFull : .ready)
        }
    }

    /// Tries to come back from a fault.
    func revive() {
        if isCatalogSuspect || catalog == nil {
            do throws(LibraryError) { try reopen() } catch {
                setState(.offline)
                return
            }
        }
        if needsProbe {
            let probe = layout.staging + "/probe"
            do throws(SystemError) {
                let space = try files.space(layout.library)
                guard space.isReadOnly || space.free - settings.reservedBytes >= settings.largestPhotoBytes else {
                    setState(.full)
                    return
                }
                if try files.metadata(probe) != nil { try files.remove(probe) }
                try files.writeNew(probe, [UInt8](repeating: 0, count: 4096))
                try files.remove(probe)
            } catch {
                _ = failed(error)
                return
            }
            needsProbe = false
        }
        measure()
    }
}

extension LibraryError {
    /// The error of a failed call on the catalog at `path`.
    init(_ error: SQLiteError, _ path: String) {
        self = error.condition == .readOnly ? .readOnly(path) : .catalog(error.description)
    }
}

extension SystemError {
    /// True when a lock is held by another.
    var isAlreadyLocked: Bool { code == EWOULDBLOCK }
}

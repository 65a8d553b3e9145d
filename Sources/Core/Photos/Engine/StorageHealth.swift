import Platform

/// Knows what the storage and the catalog on it can do, and gives access to the catalog.
///
/// Every failed file operation and every failed catalog call is reported here; what it says about the storage decides the
/// library's state, and what must succeed before the library is used again.
///
/// - Isolation: the library's thread.
/// - Blocking: every call but the properties.
final class StorageHealth {
    private let context: LibraryContext
    private let numbering: Numbering
    /// Opens a lost library again; the engine sets it.
    private var reopen: () throws(LibraryError) -> Void = {}

    /// Nil while the library is offline.
    private var catalog: Catalog?
    /// The catalog failed; only opening it again shows what it holds.
    private var isSuspect = false
    /// The catalog is damaged; only a rebuild helps.
    private(set) var isCorrupt = false
    /// The storage failed; only a write that succeeds proves that it is back.
    private var needsProbe = false
    /// Assets whose files have arrived; the catalog gets it with the next commit.
    private var settled: Set<DCFNumber> = []
    /// How often a catalog was opened.
    private(set) var openings = 0
    /// How many transactions were committed.
    private(set) var commits = 0

    init(_ context: LibraryContext, numbering: Numbering) {
        self.context = context
        self.numbering = numbering
    }

    /// - Parameter reopen: opens a lost library again.
    func setReopen(_ reopen: @escaping () throws(LibraryError) -> Void) {
        self.reopen = reopen
    }

    // MARK: The catalog

    /// True while the catalog can be trusted.
    var hasCatalog: Bool { catalog != nil && !isSuspect }

    /// True when an open catalog turns out to be damaged. Reads all of it.
    var isCatalogDamaged: Bool { catalog.map { !$0.isWhole } ?? false }

    /// True while the catalog can be trusted and the storage has not failed.
    var isUsable: Bool { hasCatalog && !needsProbe }

    /// Takes a catalog that was just opened.
    func setCatalog(_ catalog: Catalog) {
        self.catalog = catalog
        isSuspect = false
        isCorrupt = false
    }

    /// Lets other threads read the catalog that was just opened.
    func publishCatalog() {
        openings += 1
        context.shared.setGeneration(openings)
        publishChangeToken()
    }

    /// Lets go of the catalog; no thread reads it afterwards.
    func closeCatalog() {
        context.shared.setGeneration(0)
        catalog = nil
    }

    /// Uses the open catalog without drawing conclusions from a failure; nil when none is open.
    func withCatalog<T>(_ body: (Catalog) throws(SQLiteError) -> T) throws(SQLiteError) -> T? {
        guard let catalog else { return nil }
        return try body(catalog)
    }

    /// Reads from the catalog, after opening it again when that is due.
    func read<T>(_ body: (Catalog) throws(SQLiteError) -> T) throws(PhotosError) -> T {
        let catalog = try requireCatalog()
        do throws(SQLiteError) { return try body(catalog) } catch { throw failed(error) }
    }

    /// Commits changes, together with the notes that were waiting for a commit.
    func commit(_ body: (Catalog) throws(SQLiteError) -> Void) throws(PhotosError) {
        let catalog = try requireCatalog()
        let durations = context.shared.durations
        let settled = settled
        do throws(SQLiteError) {
            try catalog.transaction { () throws(SQLiteError) in
                for (number, milliseconds) in durations {
                    try catalog.assets.setDurable(number, milliseconds: milliseconds)
                }
                for number in settled { try catalog.assets.setSettled(number, true) }
                try body(catalog)
            }
        } catch {
            throw failed(error)
        }
        if catalog.history.hasRowsOfTransaction { publishChangeToken() }
        context.shared.removeDurations(durations.keys)
        self.settled.subtract(settled)
        commits += 1
    }

    /// Commits the notes that wait for a commit, if there are any.
    func commitNotes() throws(PhotosError) {
        if !context.shared.durations.isEmpty || !settled.isEmpty { try commit { _ in } }
    }

    /// Notes for the next commit that the files of assets have arrived where their status says.
    func noteSettled(_ numbers: [DCFNumber]) {
        settled.formUnion(numbers)
    }

    /// True when the arrival of an asset's files waits for the next commit.
    func isNotedSettled(_ number: DCFNumber) -> Bool {
        settled.contains(number)
    }

    private func requireCatalog() throws(PhotosError) -> Catalog {
        if isSuspect { revive() }
        guard let catalog, !isSuspect else { throw LibraryState.offline.refusal ?? .closed }
        return catalog
    }

    private func publishChangeToken() {
        guard let token = try? catalog?.history.changeToken() else { return }
        context.shared.setChangeToken(token)
    }

    // MARK: Failures

    /// Notes what a failed file operation says about the storage, and gives the error for the client.
    func failed(_ error: SystemError) -> PhotosError {
        switch error.condition {
        case .full: enter(.full)
        case .readOnly: enter(.readOnly)
        case .offline: enter(.offline)
        case .other: break
        }
        return PhotosError(error)
    }

    /// Notes what a failed catalog call says about the storage, and gives the error for the client.
    func failed(_ error: SQLiteError) -> PhotosError {
        isSuspect = true
        if error.condition == .corrupt { isCorrupt = true }
        switch error.condition {
        case .full:
            enter(.full)
            return .full
        case .readOnly:
            enter(.readOnly)
            return .readOnly
        case .storage, .corrupt, .busy, .other:
            enter(.offline)
            return PhotosError(.libraryVolumeOffline, "The catalog failed (\(error)); it is being reopened.")
        }
    }

    /// A write has succeeded, which proves that the storage works.
    func noteWorking() {
        needsProbe = false
    }

    private func enter(_ state: LibraryState) {
        needsProbe = true
        setState(state)
    }

    private func setState(_ state: LibraryState) {
        if context.shared.setState(state) { context.report(.stateChanged(state)) }
    }

    // MARK: Space

    /// Measures the storage and sets the library's state.
    func measure() {
        guard isUsable else { return }
        let settings = context.settings
        let space: FileSystemSpace
        do throws(SystemError) { space = try context.files.space(context.layout.library) } catch {
            _ = failed(error)
            return
        }
        let free = max(0, space.free - settings.reservedBytes)
        context.shared.setFreeBytes(free)
        if space.isReadOnly {
            setState(.readOnly)
        } else if numbering.next == nil {
            setState(.numberingExhausted)
        } else if free < settings.largestPhotoBytes {
            setState(.full)
        } else {
            setState(free < settings.largestPhotoBytes * settings.nearlyFullPhotos ? .nearlyFull : .ready)
        }
    }

    /// Refuses to write so many bytes when they do not fit beside the reserve.
    func requireRoom(for bytes: Int64) throws(PhotosError) {
        let space: FileSystemSpace
        do throws(SystemError) { space = try context.files.space(context.layout.library) } catch {
            throw failed(error)
        }
        guard !space.isReadOnly else {
            setState(.readOnly)
            throw .readOnly
        }
        guard space.free - context.settings.reservedBytes >= bytes else {
            setState(.full)
            throw .full
        }
    }

    /// No number is left: sets the state and gives the error for the client.
    func numbersExhausted() -> PhotosError {
        setState(.numberingExhausted)
        return .exhausted
    }

    /// Tries to come back from a fault: opens a catalog that was lost, and writes where writing failed.
    func revive() {
        if !hasCatalog {
            do throws(LibraryError) { try reopen() } catch {
                setState(.offline)
                return
            }
        }
        if needsProbe {
            do throws(SystemError) {
                guard try probe() else {
                    setState(.full)
                    return
                }
            } catch {
                _ = failed(error)
                return
            }
            needsProbe = false
        }
        measure()
    }

    /// Writes and removes a small file; false when there is no room for a photo anyway.
    private func probe() throws(SystemError) -> Bool {
        let (files, settings) = (context.files, context.settings)
        let path = context.layout.staging + "/probe"
        let space = try files.space(context.layout.library)
        guard space.isReadOnly || space.free - settings.reservedBytes >= settings.largestPhotoBytes else {
            return false
        }
        if try files.metadata(path) != nil { try files.remove(path) }
        try files.writeNew(path, [UInt8](repeating: 0, count: 4096))
        try files.remove(path)
        return true
    }
}

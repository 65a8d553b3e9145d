import Platform

/// Work that waits until no photo does: empties Recently Deleted by time, keeps the catalog's log, history and backup copy
/// in bounds, and catches up with what a fault left undone.
///
/// - Isolation: the library's thread.
/// - Blocking: every call.
final class Maintenance {
    /// Commits in the log after which it is copied into the database.
    private static let commitsToCheckpoint = 64
    /// Commits after which a new backup copy is made.
    private static let commitsToBackup = 64
    /// Time after which a new backup copy is made, however few the commits are.
    private static let backupInterval = Duration.seconds(600)
    /// Rows of the history that are kept. A client that has missed more reads the whole library again.
    static let historyLimit: Int64 = 20_000
    /// Rows beyond the limit that gather before they are forgotten with one commit.
    static let historyBatch: Int64 = 2_000

    private let context: LibraryContext
    private let storage: StorageHealth
    private let numbering: Numbering
    private let placement: Placement
    private let comparison: LibraryComparison
    private var purge = PurgeClock()
    /// The commits that the backup copy has.
    private var commitsInBackup = 0
    private var backupDue: MonotonicTime

    init(
        _ context: LibraryContext, storage: StorageHealth, numbering: Numbering, placement: Placement,
        comparison: LibraryComparison
    ) {
        self.context = context
        self.storage = storage
        self.numbering = numbering
        self.placement = placement
        self.comparison = comparison
        backupDue = context.time.now
    }

    /// Does one bounded piece of work.
    ///
    /// - Returns: true when there is more to do.
    func tend() -> Bool {
        if !storage.isUsable { storage.revive() }
        guard storage.isUsable else { return true }
        storage.measure()
        let shared = context.shared
        do throws(PhotosError) {
            try placement.settleAgain()
            // Purging makes room, so it is done on a full card as well.
            if shared.state != .readOnly, try purgeOld() { return true }
            if shared.state != .readOnly && shared.state != .full {
                try reserveNumbers()
                try storage.commitNotes()
                try keepCatalog()
                try comparison.catchUp()
            }
        } catch {
            return true
        }
        let isAble = shared.state == .ready || shared.state == .nearlyFull
        return !isAble || comparison.isNeeded || isBackingUp || hasUnsavedCommits
    }

    /// Leaves everything as a later start expects it: the marks at the highest number in use, the backup copy up to date,
    /// the log in the database. Every step may fail; a start after a power cut needs none of them.
    func finish() {
        guard storage.hasCatalog else { return }
        do throws(PhotosError) {
            try placement.settleAgain()
            try storage.commitNotes()
            do throws(SystemError) { try numbering.trimMarks() } catch { throw storage.failed(error) }
            if hasUnsavedCommits || isBackingUp {
                if !isBackingUp { try beginBackup() }
                while isBackingUp { try continueBackup(pages: -1) }
            }
            try storage.read { catalog throws(SQLiteError) in try catalog.checkpoint() }
        } catch {
            return
        }
    }

    private func reserveNumbers() throws(PhotosError) {
        do throws(SystemError) { try numbering.reserve(1, ahead: NumberAllocator.block / 2) } catch {
            throw storage.failed(error)
        }
    }

    // MARK: The catalog

    private var hasUnsavedCommits: Bool { storage.commits > commitsInBackup }

    private var isBackingUp: Bool {
        (try? storage.withCatalog { catalog throws(SQLiteError) in catalog.isBeingCopied }) ?? false
    }

    /// Forgets the oldest history, copies the log into the database and the database into the backup copy.
    private func keepCatalog() throws(PhotosError) {
        let history = try storage.read { catalog throws(SQLiteError) in try catalog.history.length() }
        if history >= Self.historyLimit + Self.historyBatch {
            try storage.commit { catalog throws(SQLiteError) in
                try catalog.history.trim(to: Self.historyLimit, batch: Self.historyBatch)
            }
        }
        try storage.read { catalog throws(SQLiteError) in
            if catalog.commitsInLog >= Self.commitsToCheckpoint { try catalog.checkpoint() }
        }
        let unsaved = storage.commits - commitsInBackup
        if isBackingUp {
            try continueBackup(pages: 256)
        } else if unsaved >= Self.commitsToBackup || (unsaved > 0 && context.time.now >= backupDue) {
            try beginBackup()
        }
    }

    private func beginBackup() throws(PhotosError) {
        let (files, path) = (context.files, context.layout.newBackup)
        do throws(SystemError) {
            for suffix in ["", "-wal", "-shm", "-journal"] where try files.metadata(path + suffix) != nil {
                try files.remove(path + suffix)
            }
        } catch {
            throw storage.failed(error)
        }
        try backUp { catalog throws(SQLiteError) in
            try catalog.beginCopy(at: path)
            noteBackup()
        }
    }

    private func continueBackup(pages: Int32) throws(PhotosError) {
        var isComplete = false
        try backUp { catalog throws(SQLiteError) in isComplete = try catalog.continueCopy(pages: pages) }
        guard isComplete else { return }
        do throws(SystemError) {
            try context.files.renameReplacing(context.layout.newBackup, to: context.layout.backup)
            try context.files.syncDirectory(context.layout.own)
        } catch {
            throw storage.failed(error)
        }
    }

    /// A copy that cannot be made says nothing bad of the catalog, unless it is damaged; the next try is due later.
    private func backUp(_ body: (Catalog) throws(SQLiteError) -> Void) throws(PhotosError) {
        do throws(SQLiteError) {
            _ = try storage.withCatalog(body)
        } catch {
            noteBackup()
            if error.condition == .corrupt { throw storage.failed(error) }
        }
    }

    private func noteBackup() {
        commitsInBackup = storage.commits
        backupDue = context.time.now + Self.backupInterval
    }

    // MARK: Recently Deleted

    /// Removes for good what has been in Recently Deleted for long enough; nothing under a clock that is not trusted.
    ///
    /// - Returns: true when there is more to remove.
    func purgeOld() throws(PhotosError) -> Bool {
        let moment = context.time.now
        let date = context.time.wallTime(at: moment)
        guard date.isTrusted else {
            purge.forgetLook()
            return false
        }
        guard purge.isDue(at: moment) else { return false }
        guard try storage.read({ catalog throws(SQLiteError) in try catalog.assets.total(.trashed).assets > 0 }) else {
            purge.noteEmpty()
            return false
        }
        let term = Int64(max(1, min(context.settings.trashDays, 36_500))) * PurgeClock.day
        let (purge, limit) = (purge, PurgeClock.assetsAtOnce)
        var batch: [AssetRecord] = []
        try storage.commit { catalog throws(SQLiteError) in
            batch = try catalog.purgeable(
                now: date.unixNanoseconds, vouched: purge.vouched(at: moment), term: term, limit: limit)
            for record in batch { try catalog.assets.setStatus(record.number, .purging, isSettled: false) }
        }
        let hasMore = batch.count == limit
        self.purge.noteLook(at: moment, hasMore: hasMore)
        guard !batch.isEmpty else { return false }
        placement.settle(batch, as: .purging)
        context.report(.purged(identifiers: batch.map { $0.identifier.description }))
        try placement.forgetPurged()
        storage.measure()
        return hasMore
    }
}

/// When to look through Recently Deleted, and how much time may count.
///
/// Time counts as far as the camera can vouch for it: what its own clock has measured since the last look under a trusted
/// date, plus a day. So a date that jumps ahead, or a long time switched off, ages nothing by more than a day.
private struct PurgeClock {
    static let day: Int64 = 86_400_000_000_000
    /// Assets removed with one commit.
    static let assetsAtOnce = 100
    private static let lookInterval = Duration.seconds(6 * 3600)

    /// The last look under a trusted date, in this run.
    private var lastLook: MonotonicTime?
    private var hasMore = false

    func isDue(at moment: MonotonicTime) -> Bool {
        guard !hasMore, let lastLook else { return true }
        return moment - lastLook >= Self.lookInterval
    }

    /// Nanoseconds up to a moment that the camera can vouch for.
    func vouched(at moment: MonotonicTime) -> Int64 {
        (lastLook.map { max(0, (moment - $0).wholeNanoseconds) } ?? 0) &+ Self.day
    }

    mutating func noteLook(at moment: MonotonicTime, hasMore: Bool) {
        lastLook = moment
        self.hasMore = hasMore
    }

    mutating func noteEmpty() {
        hasMore = false
    }

    mutating func forgetLook() {
        lastLook = nil
    }
}

extension Catalog {
    /// Counts the time of deleted assets on to now, and finds those whose time is over.
    ///
    /// - Parameters:
    ///   - vouched: nanoseconds since the last look that may count.
    ///   - term: nanoseconds that an asset stays in Recently Deleted.
    fileprivate func purgeable(
        now: Int64, vouched: Int64, term: Int64, limit: Int
    ) throws(SQLiteError) -> [AssetRecord] {
        let last = try fact("purge_look")
        let passed = now.subtractingReportingOverflow(last)
        // Before the first look nothing vouches for any time.
        let unvouched = last == 0 || passed.overflow ? Int64.max : passed.partialValue - vouched
        if unvouched > 0 { try countTrashLater(by: unvouched) }
        try countTrash(from: now)
        try setFact("purge_look", now)
        let moment = now.subtractingReportingOverflow(term)
        guard !moment.overflow else { return [] }
        return try assets.all(
            where: "status = 1 AND counted <= ? ORDER BY number LIMIT ?",
            [.integer(moment.partialValue), .integer(Int64(limit))])
    }

    /// Takes time that the camera cannot vouch for out of what counts.
    private func countTrashLater(by nanoseconds: Int64) throws(SQLiteError) {
        // A sum that does not fit becomes a real number in SQLite; it is later than now in any case.
        try connection.run(
            "UPDATE asset SET counted = CAST(counted + ? AS INTEGER) WHERE status = 1 AND counted IS NOT NULL",
            [.integer(nanoseconds)])
    }

    /// Lets time count from now on where it does not yet, or only from a moment that has become a later one.
    private func countTrash(from now: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET counted = ? WHERE status = 1 AND (counted IS NULL OR counted > ?)",
            [.integer(now), .integer(now)])
    }
}

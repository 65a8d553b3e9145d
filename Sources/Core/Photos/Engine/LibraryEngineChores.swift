import Platform

extension LibraryEngine {
    /// Commits in the log after which it is copied into the database when no photo waits.
    private static let commitsToCheckpoint = 64
    /// Changes after which the backup copy is made anew.
    private static let changesToBackup = 64
    /// Rows of the history that are kept. A client that has missed more reads the library anew.
    static let historyLimit: Int64 = 20_000
    /// Rows of the history beyond that which may gather, and are forgotten at once.
    static let historyBatch: Int64 = 2_000
    /// Time after which it is made anew however few the changes are.
    private static let backupInterval = Duration.seconds(600)

    /// Does what the first photo would otherwise pay for: numbers, its directory, the log's header.
    func prepareForFirstPhoto() {
        do throws(PhotosError) {
            try reserve(1)
            if let next = numbers.next {
                do throws(SystemError) { _ = try prepareDirectory(of: next) } catch { throw failed(error) }
            }
            try read { catalog throws(SQLiteError) in try catalog.checkpoint() }
        } catch {
            // The state tells; the photo tries again.
        }
    }

    /// One bounded piece of what can wait until no photo does.
    ///
    /// - Returns: true when there is more to do.
    func tend() -> Bool {
        if needsProbe || isCatalogSuspect || catalog == nil { revive() }
        guard catalog != nil, !isCatalogSuspect, !needsProbe else { return true }
        measure()
        do throws(PhotosError) {
            if needsSettling { try settleAgain() }
            // This makes room, so a full card is no hindrance.
            if shared.state != .readOnly, try purgeOld() { return true }
            if shared.state != .readOnly && shared.state != .full {
                try reserve(1, ahead: NumberAllocator.block / 2)
                if !shared.durations.isEmpty || !settled.isEmpty { try commit { _ in } }
                try keepCatalog()
                if needsComparison { try continueComparison() }
            }
        } catch {
            return true
        }
        let isAble = shared.state == .ready || shared.state == .nearlyFull
        return !isAble || needsComparison || backup != nil || changesSinceBackup > 0
    }

    private func continueComparison() throws(PhotosError) {
        var current: Comparison
        if let comparison { current = comparison } else { current = try beginComparison() }
        comparison = nil
        if try advance(&current) != nil { comparison = current }
    }

    private func settleAgain() throws(PhotosError) {
        needsSettling = false
        let waiting = try read { catalog throws(SQLiteError) in try catalog.unsettledAssets() }
            .filter { !settled.contains($0.number) }
        for status in [AssetRecord.Status.listed, .missing, .trashed, .purging] {
            settle(waiting.filter { $0.status == status }, as: status)
        }
        try forgetPurged()
    }

    /// Log into database, database into backup copy; the oldest history away.
    private func keepCatalog() throws(PhotosError) {
        guard let catalog else { return }
        let history = try read { catalog throws(SQLiteError) in try catalog.historyLength() }
        if history >= Self.historyLimit + Self.historyBatch {
            try commit { catalog throws(SQLiteError) in
                try catalog.trimHistory(to: Self.historyLimit, batch: Self.historyBatch)
            }
        }
        if catalog.commitsInLog >= Self.commitsToCheckpoint {
            try read { catalog throws(SQLiteError) in try catalog.checkpoint() }
        }
        if backup != nil {
            try stepBackup(pages: 256)
        } else if changesSinceBackup >= Self.changesToBackup || (changesSinceBackup > 0 && time.now >= backupDue) {
            try beginBackup()
        }
    }

    private func beginBackup() throws(PhotosError) {
        guard let catalog else { return }
        do throws(SystemError) {
            for suffix in ["", "-wal", "-shm", "-journal"]
            where try files.metadata(layout.newBackup + suffix) != nil {
                try files.remove(layout.newBackup + suffix)
            }
        } catch {
            throw failed(error)
        }
        do throws(SQLiteError) {
            backup = try CatalogBackup(of: catalog.connection, at: layout.newBackup)
            changesSinceBackup = 0
            backupDue = time.now + Self.backupInterval
        } catch {
            try backupFailed(error)
        }
    }

    private func stepBackup(pages: Int32) throws(PhotosError) {
        guard let backup else { return }
        do throws(SQLiteError) {
            guard try backup.step(pages: pages) else { return }
        } catch {
            try backupFailed(error)
            return
        }
        self.backup = nil
        do throws(SystemError) {
            try files.renameReplacing(layout.newBackup, to: layout.backup)
            try files.syncDirectory(layout.own)
        } catch {
            throw failed(error)
        }
    }

    /// A copy that cannot be made is no reason to doubt the catalog; the next try is due later.
    private func backupFailed(_ error: SQLiteError) throws(PhotosError) {
        backup = nil
        changesSinceBackup = 0
        backupDue = time.now + Self.backupInterval
        if error.condition == .corrupt { throw failed(error) }
    }

    /// Leaves everything as a later start likes to find it: marks at the numbers really used, the copy up to date, the
    /// log in the database. Every step may fail; a start after a power cut needs none of them.
    func close() {
        defer { letGo() }
        guard catalog != nil, !isCatalogSuspect else { return }
        do throws(PhotosError) {
            if needsSettling { try settleAgain() }
            if !shared.durations.isEmpty || !settled.isEmpty { try commit { _ in } }
            if numbers.reserved != nil, numbers.reserved != numbers.highest {
                do throws(SystemError) { try setMarks(numbers.highest) } catch { throw failed(error) }
            }
            if changesSinceBackup > 0 || backup != nil {
                if backup == nil { try beginBackup() }
                while backup != nil { try stepBackup(pages: -1) }
            }
            try read { catalog throws(SQLiteError) in try catalog.checkpoint() }
        } catch {
            return
        }
    }
}

import Platform

/// Recently Deleted, emptied by time.
///
/// Time counts as far as the camera can vouch for it: what its own clock has measured since it last looked under a trusted
/// date, and a day on top. A date that jumps ahead therefore ages nothing by more than a day, and neither does a long time
/// switched off.
extension LibraryEngine {
    private static let day: Int64 = 86_400_000_000_000
    /// How often it looks while the camera runs.
    private static let lookInterval = Duration.seconds(6 * 3600)
    /// Assets removed with one commit.
    private static let purgedAtOnce = 100

    /// Removes for good what has been in Recently Deleted for long enough. Never under a clock that is not trusted.
    ///
    /// - Returns: true when there is more to remove.
    func purgeOld() throws(PhotosError) -> Bool {
        let moment = time.now
        let date = time.wallTime(at: moment)
        guard date.isTrusted else {
            lastPurgeLook = nil
            return false
        }
        if !isPurging, let last = lastPurgeLook, moment - last < Self.lookInterval { return false }
        guard try read({ catalog throws(SQLiteError) in try catalog.total(.trashed).assets > 0 }) else {
            isPurging = false
            return false
        }
        let now = date.unixNanoseconds
        let vouched = (lastPurgeLook.map { max(0, (moment - $0).wholeNanoseconds) } ?? 0) &+ Self.day
        let term = Int64(max(1, min(settings.trashDays, 36_500))) * Self.day
        var batch: [AssetRecord] = []
        try commit { catalog throws(SQLiteError) in
            let last = try catalog.fact("purge_look")
            let passed = now.subtractingReportingOverflow(last)
            // Before the first look there is nobody to vouch for anything.
            let unvouched = last == 0 || passed.overflow ? Int64.max : passed.partialValue - vouched
            if unvouched > 0 { try catalog.countTrashLater(by: unvouched) }
            try catalog.countTrash(from: now)
            try catalog.setFact("purge_look", now)
            batch = try catalog.trash(countedUntil: now.subtractingReportingOverflow(term), limit: Self.purgedAtOnce)
            for record in batch { try catalog.setStatus(record.number, .purging, isSettled: false) }
        }
        lastPurgeLook = moment
        isPurging = batch.count == Self.purgedAtOnce
        guard !batch.isEmpty else { return false }
        settle(batch, as: .purging)
        report(.purged(identifiers: batch.map { $0.identifier.description }))
        try forgetPurged()
        measure()
        return isPurging
    }
}

extension Catalog {
    /// Takes time that nobody can vouch for out of what counts.
    fileprivate func countTrashLater(by nanoseconds: Int64) throws(SQLiteError) {
        // A sum that does not fit becomes a real number in SQLite; it is later than now in any case.
        try connection.run(
            "UPDATE asset SET counted = CAST(counted + ? AS INTEGER) WHERE status = 1 AND counted IS NOT NULL",
            [.integer(nanoseconds)])
    }

    /// Lets time count from now on where it does not yet, or only from a moment that has become a later one.
    fileprivate func countTrash(from now: Int64) throws(SQLiteError) {
        try connection.run(
            "UPDATE asset SET counted = ? WHERE status = 1 AND (counted IS NULL OR counted > ?)",
            [.integer(now), .integer(now)])
    }

    /// Deleted assets whose time has counted since a moment or longer.
    fileprivate func trash(
        countedUntil moment: (partialValue: Int64, overflow: Bool), limit: Int
    ) throws(SQLiteError) -> [AssetRecord] {
        guard !moment.overflow else { return [] }
        return try assets(
            "status = 1 AND counted <= ? ORDER BY number LIMIT ?",
            [.integer(moment.partialValue), .integer(Int64(limit))])
    }
}

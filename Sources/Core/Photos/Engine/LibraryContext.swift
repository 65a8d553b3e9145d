import Platform

/// What every part of the engine works with. None of it changes while the library is open.
struct LibraryContext {
    let layout: LibraryLayout
    let files: any FileOperations
    let time: any TimeSource
    let settings: LibrarySettings
    let shared: SharedLibraryState
    let report: @Sendable (LibraryEvent) -> Void

    /// The current date, and whether the clock is trusted.
    var now: WallTime { time.wallTime(at: time.now) }

    /// What is at a path; nil when nothing is.
    func metadata(_ path: String) throws(LibraryError) -> FileMetadata? {
        do throws(SystemError) { return try files.metadata(path) } catch { throw LibraryError(error) }
    }

    /// The asset of a record as clients with full access see it.
    func snapshot(_ record: AssetRecord) -> Asset {
        Asset(record, durable: shared.durations[record.number], layout: layout)
    }
}

extension FileOperations {
    /// The checksum of a file's content, read in pieces.
    func checksum(_ path: String) throws(SystemError) -> UInt64 {
        var sum = Checksum()
        try readPieces(path) { sum.add($0) }
        return sum.value
    }
}

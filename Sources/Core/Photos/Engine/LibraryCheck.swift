import Platform

/// Checks a library by itself, with no camera running or beside one.
package struct LibraryCheck: Sendable {
    private let layout: LibraryLayout
    private let files: any FileOperations
    private let time: any TimeSource
    private let settings: LibrarySettings
    private let photoReader: any PhotoFileReader

    /// A check of the library in `library` with the state folder `state`.
    package init(
        library: String, state: String, files: any FileOperations, time: any TimeSource,
        settings: LibrarySettings = LibrarySettings(), photoReader: any PhotoFileReader
    ) {
        layout = LibraryLayout(library: library, state: state)
        self.files = files
        self.time = time
        self.settings = settings
        self.photoReader = photoReader
    }

    /// Checks every file.
    ///
    /// When no other process writes, it takes the lock, recovers and compares first. Beside a running camera, or where
    /// nothing can be written, it only reads.
    /// - Parameter progress: gets the files checked and the files there are.
    package func run(
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws(LibraryError) -> VerifyReport {
        let layout = layout
        let files = files
        // A check makes no library where there is none.
        let own: FileMetadata?
        do throws(SystemError) { own = try files.metadata(layout.own) } catch { throw LibraryError(error) }
        guard own?.kind == .directory else { throw .missing(layout.library) }
        var settings = settings
        settings.comparesInBackground = false
        settings.tendsWhenIdle = false
        do throws(LibraryError) {
            let store = try await LibraryStore.open(
                library: layout.library, state: layout.state, files: files, time: time, settings: settings,
                photoReader: photoReader)
            let result: Result<VerifyReport, PhotosError>
            do throws(PhotosError) {
                result = .success(try await store.verify(progress: progress))
            } catch {
                result = .failure(error)
            }
            await store.close()
            do throws(PhotosError) { return try result.get() } catch { throw LibraryError.catalog(error.message) }
        } catch {
            switch error {
            case .locked, .readOnly: break
            default: throw error
            }
        }
        let thread = WorkerThread(name: "library-check")
        let result: Result<VerifyReport, LibraryError> = await withCheckedContinuation { continuation in
            thread.submit {
                do throws(LibraryError) {
                    continuation.resume(returning: .success(try Self.read(layout, files, progress)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        await thread.stop()
        return try result.get()
    }

    private static func read(
        _ layout: LibraryLayout, _ files: any FileOperations, _ progress: (Int, Int) -> Void
    ) throws(LibraryError) -> VerifyReport {
        func ask<T>(_ body: () throws(SQLiteError) -> T) throws(LibraryError) -> T {
            do throws(SQLiteError) { return try body() } catch { throw LibraryError(error, layout.catalog) }
        }
        let catalog = try ask { () throws(SQLiteError) in
            do throws(SQLiteError) {
                return try Catalog(reading: layout.catalog, files: files)
            } catch {
                guard error.condition == .storage || error.condition == .readOnly else { throw error }
                return try Catalog(reading: layout.catalog, mode: .immutable, files: files)
            }
        }
        let check = FileCheck(layout: layout, files: files)
        let statuses: [AssetRecord.Status] = [.listed, .missing, .trashed]
        var report = VerifyReport()
        report.isReadOnly = true
        var total = 0
        for status in statuses {
            total += try ask { () throws(SQLiteError) in try catalog.assets.total(status).assets }
        }
        for status in statuses {
            var last: DCFNumber?
            while true {
                let after = last
                let next = try ask { () throws(SQLiteError) in
                    try catalog.assets.all(status, after: after, limit: 1).first
                }
                guard let record = next else { break }
                last = record.number
                let verdict: FileCheck.Verdict
                do throws(SystemError) { verdict = try check.check(record) } catch { throw LibraryError(error) }
                // Beside a running camera a photo may have been deleted or restored since it was looked up.
                let isStill = try ask { () throws(SQLiteError) in
                    try catalog.assets.find(record.number)?.status == record.status
                }
                guard isStill else { continue }
                report.add(verdict)
                progress(report.assets, max(total, report.assets))
            }
        }
        return report
    }
}

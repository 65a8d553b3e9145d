import Platform
import Synchronization

// Whether files and catalog agree.
extension LibraryStore {
    /// Compares directories and catalog, then reads every file. Photos that come meanwhile go first, file by file.
    ///
    /// - Parameter progress: gets the files checked and the files there are.
    package func verify(
        progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) async throws(PhotosError) -> VerifyReport {
        let found = Collected()
        try await Self.compare(worker, engine) { found.add($0) }
        var report = VerifyReport()
        report.add(found.problems)
        let total = try await onLibrary { engine throws(PhotosError) in try engine.assetsToCheck() }
        for status in [AssetRecord.Status.listed, .missing, .trashed] {
            var last: DCFNumber?
            while true {
                let after = last
                let next = try await onLibrary { engine throws(PhotosError) in
                    try engine.checkNext(status, after: after)
                }
                guard let (number, verdict) = next else { break }
                last = number
                if let verdict { report.add(verdict) }
                progress(report.assets, max(total, report.assets))
            }
        }
        return report
    }

    /// Waits until the comparison that runs after opening is done.
    package func comparisonEnded() async {
        await comparison?.value
    }

    /// Compares all files with the catalog in small steps, so that photos need not wait for it.
    static func compare(
        _ worker: WorkerThread, _ engine: Confined<LibraryEngine>,
        found: @escaping @Sendable ([VerifyReport.Problem]) -> Void
    ) async throws(PhotosError) {
        var comparison = try await run(worker, engine) { engine throws(PhotosError) in try engine.comparison.begin() }
        while true {
            if Task.isCancelled { throw .closed }
            let (after, problems) = try await run(worker, engine) { [comparison] engine throws(PhotosError) in
                var comparison = comparison
                let problems = try engine.comparison.advance(&comparison)
                return (comparison, problems)
            }
            guard let problems else { return }
            comparison = after
            found(problems)
        }
    }
}

/// Problems gathered from the library's thread.
final class Collected: Sendable {
    private let found = Mutex<[VerifyReport.Problem]>([])

    var problems: [VerifyReport.Problem] { found.withLock { $0 } }

    func add(_ problems: [VerifyReport.Problem]) {
        found.withLock { $0 += problems }
    }
}

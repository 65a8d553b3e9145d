import Platform
import Synchronization

extension LibraryEngine {
    /// How many assets a check will look at.
    func assetsToCheck() throws(PhotosError) -> Int {
        try read { catalog throws(SQLiteError) in
            try catalog.total(.listed).assets + catalog.total(.missing).assets + catalog.total(.trashed).assets
        }
    }

    /// Checks the next asset of one status after a number; nil when there is none.
    func checkNext(
        _ status: AssetRecord.Status, after: DCFNumber?
    ) throws(PhotosError) -> (DCFNumber, FileCheck.Verdict?)? {
        let next = try read { catalog throws(SQLiteError) in try catalog.assets(status, after: after, limit: 1) }
        guard let record = next.first else { return nil }
        do throws(SystemError) {
            return (record.number, try FileCheck(layout: layout, files: files).check(record))
        } catch {
            throw failed(error)
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

import Glibc
import Platform

/// Compares the files of one asset with what the catalog says of them.
struct FileCheck {
    /// The result for one asset.
    enum Verdict {
        case ok
        case damaged(VerifyReport.Problem)
        case missing(VerifyReport.Problem)
    }

    let layout: LibraryLayout
    let files: any FileOperations

    /// Reads every file of an asset.
    func check(_ record: AssetRecord) throws(SystemError) -> Verdict {
        var damage: VerifyReport.Problem?
        for resource in record.resources {
            let name = layout.name(record.number, resource.fileExtension)
            let path =
                record.status == .trashed
                ? layout.trashPath(record.number, record.identifier, resource.fileExtension)
                : layout.path(record.number, resource.fileExtension)
            guard let there = try files.metadata(path) else {
                return .missing(.init(kind: .missing, name: name, reason: "the file is missing"))
            }
            if there.kind != .file || there.size != resource.bytes {
                damage = .init(
                    kind: .damaged, name: name, reason: "it has \(there.size) bytes instead of \(resource.bytes)")
                continue
            }
            do throws(SystemError) {
                var sum = Checksum()
                try files.readPieces(path) { sum.add($0) }
                if sum.value != resource.checksum {
                    damage = .init(kind: .damaged, name: name, reason: "its bytes have changed")
                }
            } catch {
                guard error.code == EIO else { throw error }
                damage = .init(kind: .damaged, name: name, reason: "it cannot be read")
            }
        }
        return damage.map { .damaged($0) } ?? .ok
    }
}

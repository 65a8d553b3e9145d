import Offload
import Photos
import Synchronization

/// The files of a table of photos as the files of a disk. The library is asked each time that a file is opened, and
/// again for an open file after photos were deleted.
final class DiskFiles: MediumSource {
    private let store: LibraryObjectStore
    private let table: ObjectTable
    /// Where the files begin: folders come first.
    private let start: Int
    /// How often photos were deleted.
    private let deletions = Mutex(0)

    /// The files of a table, and nothing that comes later.
    init(_ table: ObjectTable, in store: LibraryObjectStore) {
        (self.table, self.store) = (table, store)
        start = table.objects.firstIndex { $0.kind != .folder } ?? table.objects.endIndex
    }

    /// Photos were deleted. Never blocks.
    func photosWereDeleted() {
        deletions.withLock { $0 += 1 }
    }

    /// What the disk shows.
    var list: [FATVolume.File] {
        var paths: [UInt32: [String]] = [:]
        return table.objects[start...].map { object in
            let path = paths[object.parent] ?? path(of: object.parent)
            paths[object.parent] = path
            return FATVolume.File(
                folders: path, name: object.name, byteCount: object.byteCount, created: object.captured,
                modified: object.modified)
        }
    }

    private func path(of folder: UInt32) -> [String] {
        table[folder].map { path(of: $0.parent) + [$0.name] } ?? []
    }

    func open(_ index: Int) -> (any MediumFile)? {
        guard let file = DiskFile(index, in: self) else { return nil }
        return file
    }

    /// Opens the file of an object; to be opened again after more deletions.
    fileprivate func content(_ index: Int) -> (content: any ObjectContent, deletions: Int)? {
        guard index >= 0, index < table.objects.count - start else { return nil }
        let deletions = deletionCount
        return (try? store.content(of: table.objects[start + index])).map { ($0, deletions) }
    }

    fileprivate var deletionCount: Int { deletions.withLock { $0 } }
}

/// An open file of the disk, which is opened again after deletions.
private final class DiskFile: MediumFile {
    private let index: Int
    private let files: DiskFiles
    private let opened: Mutex<(content: any ObjectContent, deletions: Int)>

    init?(_ index: Int, in files: DiskFiles) {
        guard let content = files.content(index) else { return nil }
        (self.index, self.files) = (index, files)
        opened = Mutex(content)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        opened.withLock { opened in
            if opened.deletions != files.deletionCount {
                guard let reopened = files.content(index) else { return 0 }
                opened = reopened
            }
            return opened.content.read(into: buffer, at: offset)
        }
    }
}

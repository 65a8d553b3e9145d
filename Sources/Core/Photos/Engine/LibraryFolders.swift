import Glibc
import Platform

/// The library's folders and the locks that keep other processes out of them.
///
/// - Isolation: the library's thread.
/// - Blocking: every call but `release`.
final class LibraryFolders {
    private let context: LibraryContext
    private var stateLock: FileLock?
    private var libraryLock: FileLock?

    init(_ context: LibraryContext) {
        self.context = context
    }

    /// Makes the folders durable and takes the locks.
    ///
    /// - Returns: true when there was no library yet.
    func prepare() throws(LibraryError) -> Bool {
        let layout = context.layout
        try make(layout.state, needsParent: true)
        stateLock = try lock(layout.stateLock, of: layout.state)
        try make(layout.library, needsParent: false)
        let isNew = try context.metadata(layout.own) == nil
        try make(layout.own, needsParent: false)
        try relock()
        try make(layout.photos, needsParent: false)
        for folder in [layout.staging, layout.trash, layout.quarantine] {
            // The library removes files from these: a link would lead to another program's files.
            if let there = try context.metadata(folder), there.kind != .directory { throw .notADirectory(folder) }
            try make(folder, needsParent: false)
        }
        try sync()
        return isNew
    }

    /// Takes the card's lock again, which went away with the card.
    func relock() throws(LibraryError) {
        libraryLock = nil
        libraryLock = try lock(context.layout.libraryLock, of: context.layout.library)
    }

    /// Lets other processes use the library.
    func release() {
        libraryLock = nil
        stateLock = nil
    }

    private func make(_ path: String, needsParent: Bool) throws(LibraryError) {
        let files = context.files
        if let there = try context.metadata(path) {
            // A symbolic link to a folder is a folder: look behind it.
            if there.kind == .directory || (there.kind == .other && (try? files.list(path)) != nil) { return }
            throw .notADirectory(path)
        }
        let parent = Self.parent(of: path)
        if needsParent, try context.metadata(parent) == nil { throw .missingParent(parent) }
        do throws(SystemError) {
            try files.createDirectory(path)
        } catch {
            if error.condition == .readOnly { throw .readOnly(parent) }
            throw LibraryError(error)
        }
    }

    /// Makes the folders durable, also those made by a process that was killed before it could sync them.
    private func sync() throws(LibraryError) {
        let layout = context.layout
        do throws(SystemError) {
            for folder in [layout.library, layout.own, layout.photos] { try context.files.syncDirectory(folder) }
        } catch {
            if error.condition == .readOnly { throw .readOnly(layout.library) }
            throw LibraryError(error)
        }
        // This user may not be allowed to open the folders around ours.
        for folder in [layout.state, layout.library] {
            try? context.files.syncDirectory(Self.parent(of: folder))
        }
    }

    private func lock(_ path: String, of folder: String) throws(LibraryError) -> FileLock {
        do throws(SystemError) {
            return try FileLock(path: path)
        } catch {
            if error.code == EWOULDBLOCK { throw .locked(folder) }
            if error.condition == .readOnly { throw .readOnly(folder) }
            throw LibraryError(error)
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

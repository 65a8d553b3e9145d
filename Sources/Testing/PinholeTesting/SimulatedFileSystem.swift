import Glibc
import Platform
import Synchronization

/// A file system in memory that notes every step, so that a test can ask what a power cut would leave of it.
///
/// A path below `root` is one of its own. Databases (`*.sqlite*`) and locks are real files in the real folder `root`,
/// since SQLite and the kernel want them there; a commit is one durable step.
package final class SimulatedFileSystem: FileOperations {
    private struct State: Sendable {
        var disk: SimulatedDisk
        var changes = 0
        var deadAfter: Int?
        var commitsToFail = 0
        var haveDatabasesChanged = true
        var calls: [String: Int] = [:]
    }

    /// What a careless writer leaves out.
    package enum Carelessness: Sendable {
        /// Nothing: every sync counts.
        case none
        /// The syncs of files.
        case fileSyncs
        /// The syncs of directories.
        case directorySyncs
    }

    /// The real folder, for databases and locks.
    package let root: String
    private let databaseFolders: [String]
    private let leavesOut: Carelessness
    private let real = PosixFileOperations()
    private let state: Mutex<State>

    /// A file system that holds what a disk held.
    ///
    /// - Parameters:
    ///   - root: a folder to be used by this object alone; what is in it is removed.
    ///   - databaseFolders: where databases may be made.
    package init(
        root: String, databaseFolders: [String], image: DiskImage = DiskImage(), leavesOut: Carelessness = .none
    ) throws(SystemError) {
        self.root = root
        self.databaseFolders = databaseFolders
        self.leavesOut = leavesOut
        state = Mutex(State(disk: SimulatedDisk(image)))
        try clear(root)
        for folder in image.folders { try real.createDirectory(root + folder) }
        for (path, content) in image.files where SimulatedDisk.isDatabase(path) {
            try real.writeNew(root + path, content.bytes)
        }
    }

    private func clear(_ folder: String) throws(SystemError) {
        for name in try real.list(folder) {
            let path = folder + "/" + name
            if try real.metadata(path)?.kind == .directory {
                try clear(path)
                try real.removeDirectory(path)
            } else {
                try real.remove(path)
            }
        }
    }

    // MARK: For the test

    /// The disk as it would be after an orderly end.
    package var image: DiskImage {
        observe(isSure: true)
        return state.withLock { $0.disk.image }
    }

    /// What has happened since `settle`.
    package var steps: [DiskStep] {
        observe(isSure: true)
        return state.withLock { $0.disk.steps }
    }

    /// Changes made since `settle`, counted as `stopDead` does.
    package var changes: Int { state.withLock { $0.changes } }

    /// How often each call was made since `settle`.
    package var calls: [String: Int] { state.withLock { $0.calls } }

    /// Makes everything durable and forgets what has happened.
    package func settle() {
        observe(isSure: true)
        state.withLock { state in
            state.disk.settle()
            state.changes = 0
            state.calls = [:]
        }
    }

    /// Notes a mark among the steps.
    package func mark(_ mark: Int) {
        observe(isSure: false)
        state.withLock { $0.disk.mark(mark) }
    }

    /// After so many more changes nothing changes any more, as after the death of the process.
    package func stopDead(after count: Int) {
        state.withLock { $0.deadAfter = $0.changes + count }
    }

    /// True when a change has been kept from happening by `stopDead`.
    package var isDead: Bool { state.withLock { $0.deadAfter == -1 } }

    /// Ends what `stopDead` began: another process may go on.
    ///
    /// - Returns: true when a change had been kept from happening.
    package func revive() -> Bool {
        observe(isSure: true)
        return state.withLock { state in
            defer {
                state.deadAfter = nil
                state.commitsToFail = 0
            }
            return state.deadAfter == -1
        }
    }

    /// Lets the next commits fail.
    package func failCommits(_ count: Int) {
        state.withLock { $0.commitsToFail = count }
    }

    /// Writes a file as a careless program does: not synced.
    package func writeUnsynced(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let parts = components(path)
        try change("writeUnsynced", path) { disk throws(SystemError) in
            try disk.writeNew(parts, bytes, isSynced: false)
        }
    }

    // MARK: FileOperations

    package func createDirectory(_ path: String) throws(SystemError) {
        let parts = components(path)
        try change("createDirectory", path) { disk throws(SystemError) in try disk.createDirectory(parts) }
        if try real.metadata(path) == nil { try real.createDirectory(path) }
    }

    package func list(_ path: String) throws(SystemError) -> [String] {
        observe(isSure: false)
        let parts = components(path)
        return try look("list") { disk throws(SystemError) in try disk.list(parts) }
    }

    package func metadata(_ path: String) throws(SystemError) -> FileMetadata? {
        let parts = components(path)
        let simulated = try look("metadata") { disk throws(SystemError) in disk.metadata(parts) }
        return SimulatedDisk.isDatabase(path) ? try real.metadata(path) : simulated
    }

    package func writeNew(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        let parts = components(path)
        let bytes = Array(bytes)
        let isSynced = leavesOut != .fileSyncs
        try change("writeNew", path) { disk throws(SystemError) in
            try disk.writeNew(parts, bytes, isSynced: isSynced)
        }
    }

    package func copyNew(
        _ from: String, to: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> FileMetadata {
        let bytes = try content(from)
        bytes.withUnsafeBytes { body($0) }
        try writeNew(to, bytes)
        return FileMetadata(kind: .file, size: Int64(bytes.count), modifiedUnixNanoseconds: 7)
    }

    package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if SimulatedDisk.isDatabase(path) { return try real.read(path, limit: limit) }
        let bytes = try content(path)
        guard bytes.count <= limit else { throw SystemError(code: EFBIG, operation: "read", path: path) }
        return bytes
    }

    package func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8] {
        if SimulatedDisk.isDatabase(path) { return try real.readPrefix(path, count: count) }
        return Array(try content(path).prefix(count))
    }

    package func readPieces(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        let bytes = try content(path)
        if !bytes.isEmpty { bytes.withUnsafeBytes { body($0) } }
    }

    package func renameNew(_ from: String, to: String) throws(SystemError) {
        try rename(from, to, isReplacing: false)
    }

    package func renameReplacing(_ from: String, to: String) throws(SystemError) {
        try rename(from, to, isReplacing: true)
    }

    package func link(_ from: String, to: String) throws(SystemError) {
        let (old, new) = (components(from), components(to))
        try change("link", to) { disk throws(SystemError) in try disk.link(old, new) }
    }

    package func remove(_ path: String) throws(SystemError) {
        let parts = components(path)
        try change("remove", path) { disk throws(SystemError) in
            if !Self.isMemory(path) { try disk.remove(parts) }
        }
        if SimulatedDisk.isDatabase(path) { try real.remove(path) }
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        let parts = components(path)
        try change("removeDirectory", path) { disk throws(SystemError) in try disk.removeDirectory(parts) }
        try real.removeDirectory(path)
    }

    package func syncDirectory(_ path: String) throws(SystemError) {
        let parts = components(path)
        let isIgnored = leavesOut == .directorySyncs
        try change("syncDirectory", path) { disk throws(SystemError) in
            try disk.syncDirectory(parts, isIgnored: isIgnored)
        }
    }

    package func space(_ path: String) throws(SystemError) -> FileSystemSpace {
        FileSystemSpace(free: 1 << 40, total: 1 << 41, isReadOnly: false)
    }

    package func willCommit(_ path: String) throws(SystemError) {
        let isToFail = state.withLock { state in
            defer { state.commitsToFail = max(0, state.commitsToFail - 1) }
            return state.commitsToFail > 0
        }
        if isToFail { throw SystemError(code: EIO, operation: "commit", path: path) }
        try change("commit", path) { _ throws(SystemError) in }
    }

    // MARK: Inside

    /// SQLite's shared memory is a file only by name; it is not on the disk.
    private static func isMemory(_ path: String) -> Bool { path.hasSuffix("-shm") }

    private func components(_ path: String) -> [Substring] {
        path.hasPrefix(root) ? path.dropFirst(root.count).split(separator: "/") : ["elsewhere", path[...]]
    }

    private func rename(_ from: String, _ to: String, isReplacing: Bool) throws(SystemError) {
        let (old, new) = (components(from), components(to))
        try change("rename", from) { disk throws(SystemError) in
            if !Self.isMemory(from) { try disk.rename(old, new, isReplacing: isReplacing) }
        }
        if SimulatedDisk.isDatabase(from) { try real.renameReplacing(from, to: to) }
    }

    private func content(_ path: String) throws(SystemError) -> [UInt8] {
        let parts = components(path)
        return try look("read") { disk throws(SystemError) in try disk.read(parts) }
    }

    /// Takes into the disk what SQLite has made of its files, when it may have made something of them.
    private func observe(isSure: Bool) {
        guard isSure || state.withLock({ $0.haveDatabasesChanged }) else { return }
        var found: [(folder: [Substring], databases: [String: [UInt8]])] = []
        for folder in databaseFolders {
            var databases: [String: [UInt8]] = [:]
            for name in (try? real.list(folder)) ?? [] where SimulatedDisk.isDatabase(name) && !Self.isMemory(name) {
                databases[name] = try? real.read(folder + "/" + name, limit: 1 << 30)
            }
            found.append((components(folder), databases))
        }
        state.withLock { [found] state in
            state.haveDatabasesChanged = false
            state.disk.setDatabases(found)
        }
    }

    private func change(
        _ kind: String, _ path: String, _ body: @Sendable (inout SimulatedDisk) throws(SystemError) -> Void
    ) throws(SystemError) {
        observe(isSure: SimulatedDisk.isDatabase(path))
        let result: Result<Void, SystemError> = state.withLock { state in
            state.calls[kind, default: 0] += 1
            if let limit = state.deadAfter, state.changes >= limit {
                state.deadAfter = -1
                return .failure(SystemError(code: EIO, operation: kind, path: path))
            }
            do throws(SystemError) {
                try body(&state.disk)
            } catch {
                return .failure(error)
            }
            state.changes += 1
            if SimulatedDisk.isDatabase(path) { state.haveDatabasesChanged = true }
            return .success(())
        }
        try result.get()
    }

    private func look<T: Sendable>(
        _ kind: String, _ body: @Sendable (SimulatedDisk) throws(SystemError) -> T
    ) throws(SystemError) -> T {
        let result: Result<T, SystemError> = state.withLock { state in
            state.calls[kind, default: 0] += 1
            do throws(SystemError) {
                return .success(try body(state.disk))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

import Platform
import Synchronization

/// Real file operations that fail, or stop dead, where a test says so.
///
/// Every change of the file system counts as one operation, a commit of the catalog too; reading does not count.
package final class FaultyFileOperations: FileOperations {
    private struct State {
        var done = 0
        var failing: [Int: Int32] = [:]
        var failingKind: (kind: String, code: Int32)?
        var deadAfter: Int?
        var log: [String] = []
        var space: FileSystemSpace?
        var isHeld = false
        var before: (kind: String, body: @Sendable () -> Void)?
        var unreadable: [String: Int32] = [:]
    }

    private let real = PosixFileOperations()
    private let state = Mutex(State())
    private let gate = Semaphore()

    /// Operations that all succeed so far.
    package init() {}

    /// Changes made so far.
    package var count: Int { state.withLock { $0.done } }

    /// The names of the changes made so far, in order: `writeNew`, `renameNew`, `syncDirectory`, `commit` …
    package var log: [String] { state.withLock { $0.log } }

    /// Forgets the log and counts from zero again.
    package func restart() {
        state.withLock {
            $0.done = 0
            $0.log = []
        }
    }

    /// Lets the change with this index, counted from now, fail with an errno.
    package func fail(at index: Int, code: Int32) {
        state.withLock { $0.failing[$0.done + index] = code }
    }

    /// Lets every change of one kind fail until `succeed` is called.
    package func failAll(_ kind: String, code: Int32) {
        state.withLock { $0.failingKind = (kind, code) }
    }

    /// Nothing fails any more.
    package func succeed() {
        state.withLock {
            $0.failing = [:]
            $0.failingKind = nil
            $0.space = nil
            $0.unreadable = [:]
        }
    }

    /// Lets reading one file fail from now on, as where the card is worn.
    package func failReading(_ path: String, code: Int32) {
        state.withLock { $0.unreadable[path] = code }
    }

    private func willRead(_ path: String) throws(SystemError) {
        if let code = state.withLock({ $0.unreadable[path] }) {
            throw SystemError(code: code, operation: "read", path: path)
        }
    }

    /// After so many more changes nothing changes any more, as after a power cut.
    package func stopDead(after count: Int) {
        state.withLock { $0.deadAfter = $0.done + count }
    }

    /// True when a change has been kept from happening by `stopDead`.
    package var isDead: Bool { state.withLock { $0.deadAfter == -1 } }

    /// Lets something happen right before the next change of one kind: another program's doing.
    package func before(next kind: String, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.before = (kind, body) }
    }

    /// What `space` answers instead of the truth.
    package func pretend(_ space: FileSystemSpace) {
        state.withLock { $0.space = space }
    }

    /// Lets every change wait until `letGo`, as on a card that has stalled.
    package func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Lets the changes that wait go on.
    package func letGo() {
        state.withLock { $0.isHeld = false }
        gate.signal()
    }

    private func change(_ kind: String, _ path: String) throws(SystemError) {
        while state.withLock({ $0.isHeld }) {
            gate.wait()
            gate.signal()
        }
        let before = state.withLock { state in
            guard state.before?.kind == kind else { return nil as (@Sendable () -> Void)? }
            defer { state.before = nil }
            return state.before?.body
        }
        before?()
        let code: Int32? = state.withLock { state in
            if let limit = state.deadAfter, state.done >= limit {
                state.deadAfter = -1
                return 5  // EIO
            }
            defer { state.done += 1 }
            if let failing = state.failingKind, failing.kind == kind { return failing.code }
            if let code = state.failing.removeValue(forKey: state.done) { return code }
            state.log.append(kind)
            return nil
        }
        if let code { throw SystemError(code: code, operation: kind, path: path) }
    }

    package func createDirectory(_ path: String) throws(SystemError) {
        try change("createDirectory", path)
        try real.createDirectory(path)
    }

    package func list(_ path: String) throws(SystemError) -> [String] { try real.list(path) }

    package func metadata(_ path: String) throws(SystemError) -> FileMetadata? { try real.metadata(path) }

    package func writeNew(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        do throws(SystemError) {
            try change("writeNew", path)
        } catch {
            // What a failed write leaves behind: half a file.
            if error.code != 17 {
                try? real.writeNew(path, UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
            }
            throw error
        }
        try real.writeNew(path, bytes)
    }

    package func copyNew(
        _ from: String, to: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> FileMetadata {
        do throws(SystemError) {
            try change("copyNew", to)
        } catch {
            if error.code != 17, let bytes = try? real.read(from, limit: 1 << 30) {
                try? real.writeNew(to, Array(bytes.prefix(bytes.count / 2)))
            }
            throw error
        }
        return try real.copyNew(from, to: to, body)
    }

    package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        try willRead(path)
        return try real.read(path, limit: limit)
    }

    package func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8] {
        try willRead(path)
        return try real.readPrefix(path, count: count)
    }

    package func readPieces(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        try willRead(path)
        try real.readPieces(path, body)
    }

    package func renameNew(_ from: String, to: String) throws(SystemError) {
        try change("renameNew", to)
        try real.renameNew(from, to: to)
    }

    package func renameReplacing(_ from: String, to: String) throws(SystemError) {
        try change("renameReplacing", to)
        try real.renameReplacing(from, to: to)
    }

    package func link(_ from: String, to: String) throws(SystemError) {
        try change("link", to)
        try real.link(from, to: to)
    }

    package func remove(_ path: String) throws(SystemError) {
        try change("remove", path)
        try real.remove(path)
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        try change("removeDirectory", path)
        try real.removeDirectory(path)
    }

    package func syncDirectory(_ path: String) throws(SystemError) {
        try change("syncDirectory", path)
        try real.syncDirectory(path)
    }

    package func space(_ path: String) throws(SystemError) -> FileSystemSpace {
        if let space = state.withLock({ $0.space }) { return space }
        return try real.space(path)
    }

    package func willCommit(_ path: String) throws(SystemError) {
        try change("commit", path)
    }
}

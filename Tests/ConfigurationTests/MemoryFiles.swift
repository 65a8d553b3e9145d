import Glibc
import Platform
import Synchronization

/// Files in memory that record each operation and fail on request.
final class MemoryFiles: FileOperations {
    struct State {
        var contents: [String: [UInt8]] = [:]
        var operations: [String] = []
        var failing: Set<String> = []
    }

    let state = Mutex(State())

    func put(_ path: String, _ text: String) {
        state.withLock { $0.contents[path] = Array(text.utf8) }
    }

    func fail(_ operation: String) {
        state.withLock { _ = $0.failing.insert(operation) }
    }

    func text(_ path: String) -> String? {
        state.withLock { $0.contents[path] }.map { String(decoding: $0, as: UTF8.self) }
    }

    var operations: [String] { state.withLock { $0.operations } }

    private func note(_ operation: String, _ path: String) throws(SystemError) {
        let fails = state.withLock {
            $0.operations.append(operation + " " + path)
            return $0.failing.contains(operation)
        }
        if fails { throw SystemError(code: EIO, operation: operation, path: path) }
    }

    private func content(_ path: String) throws(SystemError) -> [UInt8] {
        guard let bytes = state.withLock({ $0.contents[path] }) else {
            throw SystemError(code: ENOENT, operation: "open", path: path)
        }
        return bytes
    }

    func metadata(_ path: String) throws(SystemError) -> FileMetadata? {
        state.withLock { $0.contents[path] }
            .map { FileMetadata(kind: .file, size: Int64($0.count), modifiedUnixNanoseconds: 0) }
    }

    func writeNew(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try note("write", path)
        let exists = state.withLock { state in
            defer { state.contents[path] = state.contents[path] ?? Array(bytes) }
            return state.contents[path] != nil
        }
        if exists { throw SystemError(code: EEXIST, operation: "open", path: path) }
    }

    func copyNew(
        _ from: String, to: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> FileMetadata {
        let bytes = try content(from)
        bytes.withUnsafeBytes { body($0) }
        try writeNew(to, bytes)
        return FileMetadata(kind: .file, size: Int64(bytes.count), modifiedUnixNanoseconds: 0)
    }

    func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        try note("read", path)
        let bytes = try content(path)
        if bytes.count > limit { throw SystemError(code: EFBIG, operation: "read", path: path) }
        return bytes
    }

    func renameReplacing(_ from: String, to: String) throws(SystemError) {
        try note("rename", from)
        let bytes = try content(from)
        state.withLock {
            $0.contents[from] = nil
            $0.contents[to] = bytes
        }
    }

    func remove(_ path: String) throws(SystemError) {
        try note("remove", path)
        _ = try content(path)
        state.withLock { $0.contents[path] = nil }
    }

    func syncDirectory(_ path: String) throws(SystemError) {
        try note("sync", path)
    }

    private func unexpected(_ operation: String) -> SystemError {
        SystemError(code: ENOTSUP, operation: operation)
    }

    func createDirectory(_ path: String) throws(SystemError) { throw unexpected("make") }
    func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8] { throw unexpected("read") }
    func list(_ path: String) throws(SystemError) -> [String] { throw unexpected("list") }
    func readPieces(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        throw unexpected("read")
    }
    func renameNew(_ from: String, to: String) throws(SystemError) { throw unexpected("rename") }
    func link(_ from: String, to: String) throws(SystemError) { throw unexpected("link") }
    func removeDirectory(_ path: String) throws(SystemError) { throw unexpected("remove") }
    func space(_ path: String) throws(SystemError) -> FileSystemSpace { throw unexpected("measure") }
}

import Foundation
import Platform
import Testing

@Suite("File operations")
final class PosixFileOperationsTests {
    let files = PosixFileOperations()
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "pinhole-files-\(UUID().uuidString)"
        try files.createDirectory(folder)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func code(_ body: () throws(SystemError) -> Void) -> Int32? {
        do throws(SystemError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a new file holds its bytes; an existing one is never overwritten")
    func writing() throws {
        let path = folder + "/a"
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try files.writeNew(path, bytes)
        #expect(try files.read(path, limit: bytes.count) == bytes)
        #expect(code { () throws(SystemError) in try files.writeNew(path, [1]) } == EEXIST)
        #expect(try files.read(path, limit: bytes.count) == bytes)
        try files.writeNew(folder + "/empty", [])
        #expect(try files.read(folder + "/empty", limit: 0) == [])
    }

    @Test("a file longer than the limit is refused, a prefix and pieces are not")
    func reading() throws {
        let path = folder + "/a"
        let bytes = [UInt8](repeating: 7, count: 2_500_000)
        try files.writeNew(path, bytes)
        #expect(code { () throws(SystemError) in _ = try files.read(path, limit: 2_499_999) } == EFBIG)
        #expect(try files.readPrefix(path, count: 10) == [UInt8](repeating: 7, count: 10))
        #expect(try files.readPrefix(path, count: 3_000_000).count == 2_500_000)
        var pieces: [Int] = []
        try files.readPieces(path) { pieces.append($0.count) }
        #expect(pieces.reduce(0, +) == 2_500_000)
        #expect(pieces.allSatisfy { $0 <= 1 << 20 })
        #expect(code { () throws(SystemError) in _ = try files.read(folder, limit: 10) } == EISDIR)
        #expect(code { () throws(SystemError) in _ = try files.read(folder + "/none", limit: 10) } == ENOENT)
    }

    @Test("a copy is made in pieces and never over another file; links, folders and devices are no sources")
    func copying() throws {
        let source = folder + "/a"
        let bytes = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        try files.writeNew(source, bytes)
        var pieces: [UInt8] = []
        var isBounded = true
        let properties = try files.copyNew(source, to: folder + "/b") { piece in
            pieces += piece
            isBounded = isBounded && piece.count <= 1 << 20
        }
        #expect(isBounded && pieces == bytes)
        #expect(try files.read(folder + "/b", limit: bytes.count) == bytes)
        let there = try files.metadata(source)
        #expect(properties == there)
        func error(_ from: String, to: String) -> SystemError? {
            do throws(SystemError) {
                _ = try files.copyNew(from, to: to) { _ in }
                return nil
            } catch {
                return error
            }
        }
        let taken = error(source, to: folder + "/b")
        #expect(taken?.code == EEXIST && taken?.path == folder + "/b")
        #expect(symlink(source, folder + "/link") == 0)
        for (path, code) in [(folder + "/link", ELOOP), (folder, EISDIR), ("/dev/zero", EINVAL), ("/none", ENOENT)] {
            let refused = error(path, to: folder + "/c")
            #expect(refused?.code == code && refused?.path == path)
        }
        #expect(try files.metadata(folder + "/c") == nil)
    }

    @Test("a source that grows or shrinks while it is copied is found out, and an endless one ends", arguments: [9, 0])
    func copyingChanged(size: Int64) throws {
        let source = folder + "/a"
        try files.writeNew(source, [UInt8](repeating: 7, count: 3_000_000))
        var pieces = 0
        let code = code { () throws(SystemError) in
            _ = try files.copyNew(source, to: folder + "/b") { _ in
                pieces += 1
                truncate(source, size == 0 ? 0 : Int(pieces + 3) << 20)
            }
        }
        #expect(code == EBUSY)
        #expect(pieces <= 3)
    }

    @Test("renaming without replacing keeps the file that is there; replacing replaces it")
    func renaming() throws {
        try files.writeNew(folder + "/a", [1])
        try files.writeNew(folder + "/b", [2])
        #expect(code { () throws(SystemError) in try files.renameNew(folder + "/a", to: folder + "/b") } == EEXIST)
        #expect(try files.read(folder + "/a", limit: 1) == [1])
        #expect(try files.read(folder + "/b", limit: 1) == [2])
        try files.renameReplacing(folder + "/a", to: folder + "/b")
        #expect(try files.read(folder + "/b", limit: 1) == [1])
        try files.renameNew(folder + "/b", to: folder + "/c")
        #expect(try files.list(folder) == ["c"])
        #expect(code { () throws(SystemError) in try files.renameNew(folder + "/b", to: folder + "/d") } == ENOENT)
    }

    @Test("directories list names, also odd ones, and give the kind of each entry")
    func directories() throws {
        let names = ["plain", "with space", "ümlaut", String(repeating: "n", count: 255)]
        for name in names { try files.writeNew(folder + "/" + name, [1, 2, 3]) }
        try files.createDirectory(folder + "/inner")
        try files.link(folder + "/plain", to: folder + "/linked")
        try FileManager.default.createSymbolicLink(atPath: folder + "/pointer", withDestinationPath: folder)
        #expect(Set(try files.list(folder)) == Set(names + ["inner", "linked", "pointer"]))
        #expect(try files.metadata(folder + "/plain")?.kind == .file)
        #expect(try files.metadata(folder + "/plain")?.size == 3)
        #expect(try files.metadata(folder + "/inner")?.kind == .directory)
        #expect(try files.metadata(folder + "/pointer")?.kind == .other)
        #expect(try files.metadata(folder + "/none") == nil)
        #expect(try files.metadata(folder + "/plain/below") == nil)
        #expect(code { () throws(SystemError) in try files.createDirectory(folder + "/inner") } == EEXIST)
        try files.removeDirectory(folder + "/inner")
        try files.remove(folder + "/linked")
        #expect(code { () throws(SystemError) in try files.remove(folder + "/linked") } == ENOENT)
        #expect(code { () throws(SystemError) in _ = try files.list(folder + "/none") } == ENOENT)
    }

    @Test("a directory can be synced and its file system measured")
    func space() throws {
        try files.syncDirectory(folder)
        let space = try files.space(folder)
        #expect(space.free > 0 && space.free <= space.total)
        #expect(!space.isReadOnly)
        #expect(try files.space("/proc").free == 0)
        #expect(code { () throws(SystemError) in try files.syncDirectory(folder + "/none") } == ENOENT)
    }

    @Test("an error says what was attempted, on what, and why")
    func sentences() {
        #expect(
            SystemError(code: ENOSPC, operation: "write", path: "/x").description
                == "cannot write /x: No space left on device")
    }

    @Test("a lock is held once, and free again when it is let go")
    func locking() throws {
        var lock: FileLock? = try FileLock(path: folder + "/lock")
        #expect(code { () throws(SystemError) in _ = try FileLock(path: folder + "/lock") } == EWOULDBLOCK)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(code { () throws(SystemError) in _ = try FileLock(path: folder + "/lock") } == nil)
    }
}

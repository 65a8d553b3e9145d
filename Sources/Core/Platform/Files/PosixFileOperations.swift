import CLinuxShim
import Glibc

/// File operations on the kernel's file systems. EINTR is retried here and nowhere else.
package struct PosixFileOperations: FileOperations {
    /// Operations on the real file systems.
    package init() {}

    package func createDirectory(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o755) == 0 else { throw .last("create directory", path) }
    }

    package func list(_ path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else { throw .last("list", path) }
        defer { closedir(directory) }
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else { return [] }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw .last("list", path) }
                return names
            }
            // The kernel's record may be shorter than the struct, so the name is read in place.
            let name = UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
            let text = String(cString: name)
            if text != "." && text != ".." { names.append(text) }
        }
    }

    package func metadata(_ path: String) throws(SystemError) -> FileMetadata? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("look up", path)
        }
        return FileMetadata(status)
    }

    package func writeNew(_ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try create(path) { (descriptor) throws(SystemError) in try write(descriptor, path, bytes) }
    }

    package func copyNew(
        _ from: String, to: String, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> FileMetadata {
        let (source, before) = try openForReading(from, O_NOFOLLOW)
        defer { close(source) }
        let changed = SystemError(code: EBUSY, operation: "copy", path: from)
        try create(to) { (descriptor) throws(SystemError) in
            var rest = before.size
            try readPieces(source, from) { (piece) throws(SystemError) -> Bool in
                // A file that keeps growing must not fill the storage.
                rest -= Int64(piece.count)
                guard rest >= 0 else { throw changed }
                body(piece)
                try write(descriptor, to, piece)
                return true
            }
            var status = stat()
            guard fstat(source, &status) == 0 else { throw .last("look up", from) }
            guard rest == 0, FileMetadata(status) == before else { throw changed }
        }
        return before
    }

    /// Makes a new file, lets `fill` write it and syncs it.
    private func create(_ path: String, _ fill: (Int32) throws(SystemError) -> Void) throws(SystemError) {
        let descriptor = try open(path, O_WRONLY | O_CREAT | O_EXCL, "create")
        do throws(SystemError) {
            try fill(descriptor)
            try sync(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        // On some file systems only close reports a failed write; after EINTR the descriptor is gone all the same.
        guard close(descriptor) == 0 || errno == EINTR else { throw .last("close", path) }
    }

    private func write(_ descriptor: Int32, _ path: String, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let written = Glibc.write(descriptor, part.baseAddress, part.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw .last("write", path)
            }
            rest = rest.dropFirst(written)
        }
    }

    package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let (descriptor, there) = try openForReading(path)
        defer { close(descriptor) }
        guard there.size <= Int64(limit) else { throw SystemError(code: EFBIG, operation: "read", path: path) }
        return try read(descriptor, path, Int(there.size))
    }

    /// Opens a regular file. Anything else is refused at once: a pipe or a device could make its reader wait for ever.
    private func openForReading(
        _ path: String, _ flags: Int32 = 0
    ) throws(SystemError) -> (descriptor: Int32, FileMetadata) {
        let descriptor = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags, "open")
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = SystemError.last("look up", path)
            close(descriptor)
            throw error
        }
        let there = FileMetadata(status)
        guard there.kind == .file else {
            close(descriptor)
            throw SystemError(code: there.kind == .directory ? EISDIR : EINVAL, operation: "read", path: path)
        }
        return (descriptor, there)
    }

    package func readPrefix(_ path: String, count: Int) throws(SystemError) -> [UInt8] {
        let (descriptor, _) = try openForReading(path)
        defer { close(descriptor) }
        return try read(descriptor, path, count)
    }

    /// At most `size` bytes from where the descriptor stands.
    private func read(_ descriptor: Int32, _ path: String, _ size: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let content = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let part = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                let got = Glibc.read(descriptor, part.baseAddress, part.count)
                if got < 0 {
                    if errno == EINTR { continue }
                    failure = .last("read", path)
                    return
                }
                if got == 0 { return }
                count += got
            }
        }
        if let failure { throw failure }
        return content
    }

    package func readPieces(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        let (descriptor, _) = try openForReading(path)
        defer { close(descriptor) }
        try readPieces(descriptor, path) { (piece) throws(SystemError) in
            body(piece)
            return true
        }
    }

    package func readWhile(_ path: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws(SystemError) {
        let (descriptor, _) = try openForReading(path)
        defer { close(descriptor) }
        try readPieces(descriptor, path) { (piece) throws(SystemError) in body(piece) }
    }

    private func readPieces(
        _ descriptor: Int32, _ path: String, _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Bool
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if got < 0 {
                if errno == EINTR { continue }
                throw .last("read", path)
            }
            guard got > 0, try body(UnsafeRawBufferPointer(rebasing: buffer[..<got])) else { return }
        }
    }

    package func renameNew(_ from: String, to: String) throws(SystemError) {
        guard pinhole_rename_noreplace(from, to) == 0 else { throw .last("rename to", to) }
    }

    package func renameReplacing(_ from: String, to: String) throws(SystemError) {
        guard rename(from, to) == 0 else { throw .last("rename to", to) }
    }

    package func link(_ from: String, to: String) throws(SystemError) {
        guard Glibc.link(from, to) == 0 else { throw .last("link", to) }
    }

    package func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 else { throw .last("remove", path) }
    }

    package func removeDirectory(_ path: String) throws(SystemError) {
        guard rmdir(path) == 0 else { throw .last("remove directory", path) }
    }

    package func syncDirectory(_ path: String) throws(SystemError) {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY, "open")
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    package func space(_ path: String) throws(SystemError) -> FileSystemSpace {
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == EINTR else { throw .last("measure", path) }
        }
        let unit = UInt64(status.f_frsize)
        func bytes(_ blocks: UInt64) -> Int64 {
            let product = blocks.multipliedReportingOverflow(by: unit)
            return product.overflow ? .max : Int64(clamping: product.partialValue)
        }
        let readOnly: UInt = 1  // ST_RDONLY, statvfs(3)
        return FileSystemSpace(
            free: bytes(UInt64(status.f_bavail)), total: bytes(UInt64(status.f_blocks)),
            isReadOnly: UInt(status.f_flag) & readOnly != 0)
    }

    private func open(_ path: String, _ flags: Int32, _ operation: String) throws(SystemError) -> Int32 {
        while true {
            let descriptor = pinhole_open(path, flags, 0o644)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw .last(operation, path) }
        }
    }

    /// A failed fsync is never retried on the same file: the kernel may have dropped the pages and would report success.
    private func sync(_ descriptor: Int32, _ path: String) throws(SystemError) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw .last("sync", path) }
        }
    }
}

extension FileMetadata {
    fileprivate init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        self.init(
            kind: kind, size: Int64(status.st_size),
            modifiedUnixNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec))
    }
}

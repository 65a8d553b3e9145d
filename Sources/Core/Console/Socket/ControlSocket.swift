import Glibc
import Platform

/// Where the control socket of a state folder lies, and how it is opened from either side.
package enum ControlSocket {
    /// The longest path of a socket: `sun_path` with its NUL (unix(7)).
    package static let pathLimit = 107
    /// The state folder of an installed camera; its socket lies in the run directory that systemd makes.
    package static let installedState = "/var/lib/pinhole"
    static let installedPath = "/run/pinhole/console.sock"

    /// The socket's path for a state folder, the same for camera and client.
    ///
    /// A path that is too long is replaced by a short one under the user's run directory, named after the folder.
    /// - Parameters:
    ///   - state: absolute, or relative to `workingDirectory`.
    ///   - runDirectory: `XDG_RUNTIME_DIR`, if set.
    package static func path(
        state: String, workingDirectory: String, runDirectory: String?, user: UInt32
    ) throws(CommandFailure) -> String {
        let absolute = normalized(state.hasPrefix("/") ? state : workingDirectory + "/" + state)
        guard !absolute.utf8.contains(0) else { throw .usage("--state holds a NUL character: remove it.") }
        if absolute == installedState { return installedPath }
        let path = (absolute == "/" ? "" : absolute) + "/run/console.sock"
        if path.utf8.count <= pathLimit { return path }
        let name = "pinhole-" + hash(absolute) + ".sock"
        let directories = [runDirectory.flatMap { $0.hasPrefix("/") ? $0 : nil }, "/run/user/\(user)"].compactMap { $0 }
        for directory in directories where isOwn(directory, user: user) {
            let short = normalized(directory) + "/" + name
            if short.utf8.count <= pathLimit { return short }
        }
        let own = "/tmp/pinhole-\(user)"
        if mkdir(own, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(.system, "\(SystemError.last("create", own)): use a shorter --state.")
        }
        guard isOwn(own, user: user) else {
            throw CommandFailure(
                .notPermitted, "\(own) is not a private folder of yours: remove it, or use a shorter --state.")
        }
        return own + "/" + name
    }

    /// The socket's path in this process's surroundings.
    package static func path(state: String) throws(CommandFailure) -> String {
        var directory = ""
        if let current = getcwd(nil, 0) {
            directory = String(cString: current)
            free(current)
        }
        return try path(
            state: state, workingDirectory: directory,
            runDirectory: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, user: getuid())
    }

    /// Listens on a path; mode 0660. A socket file left behind by a dead camera is replaced.
    static func listen(_ path: String) throws(CommandFailure) -> Descriptor {
        var information = stat()
        if lstat(path, &information) == 0 {
            guard information.st_mode & S_IFMT == S_IFSOCK else {
                throw CommandFailure(.system, "\(path) exists and is not a socket: remove it.")
            }
            if (try? connect(path)) != nil {
                throw CommandFailure(
                    .inUse, "A camera is already running on \(path): stop it first, or use another --state.")
            }
            _ = unlink(path)
        }
        let descriptor = try open()
        // The mode before bind, so that the file is never wider, whatever the umask; and after, so that it is 0660.
        guard fchmod(descriptor.raw, 0o660) == 0, withAddress(path, { bind(descriptor.raw, $0, $1) }) == 0,
            chmod(path, 0o660) == 0, Glibc.listen(descriptor.raw, 64) == 0
        else { throw CommandFailure(.system, "\(SystemError.last("listen on", path)).") }
        do throws(SystemError) {
            try descriptor.setNonblocking(true)
        } catch {
            throw CommandFailure(.system, "\(error).")
        }
        return descriptor
    }

    /// A blocking connection to a path. The errno says why there is none.
    static func connect(_ path: String) throws(SystemError) -> Descriptor {
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0)
        guard raw >= 0 else { throw .last("create a socket") }
        let descriptor = Descriptor(owning: raw)
        while withAddress(path, { Glibc.connect(descriptor.raw, $0, $1) }) != 0 {
            if errno != EINTR { throw .last("connect to", path) }
        }
        return descriptor
    }

    private static func open() throws(CommandFailure) -> Descriptor {
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0)
        guard raw >= 0 else { throw CommandFailure(.system, "\(SystemError.last("create a socket")).") }
        return Descriptor(owning: raw)
    }

    private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= pathLimit else {
            errno = ENAMETOOLONG
            return -1
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// True for a directory that is not a link, belongs to the user and is writable only for the user.
    private static func isOwn(_ path: String, user: UInt32) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
            && information.st_uid == user && information.st_mode & 0o022 == 0
    }

    /// The path without empty and `.` parts. Links are not followed: camera and client get the same path.
    private static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// FNV-1a, 64 bits: enough to distinguish one user's cameras.
    private static func hash(_ text: String) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

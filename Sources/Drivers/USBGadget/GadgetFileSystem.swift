import Glibc
import Platform

/// The kernel calls that set a gadget up, few enough for a fake.
///
/// - Blocking: every call does.
package protocol GadgetFileSystem: Sendable {
    /// True when something is at the path.
    func exists(_ path: String) -> Bool
    /// Names of the folders in a folder, sorted; none when it cannot be read.
    func folders(in path: String) -> [String]
    /// Names of the symbolic links in a folder, sorted; none when it cannot be read.
    func links(in path: String) -> [String]
    /// The text of an attribute without its line's end.
    func read(_ path: String) throws(SystemError) -> String
    /// Locks a file together with others that do, until the descriptor is closed.
    ///
    /// - Throws: also when a process has locked it exclusively.
    func share(_ path: String) throws(SystemError) -> Descriptor
    /// Carries out one step; throws the error of its kernel call.
    func perform(_ step: GadgetStep) throws(SystemError)
}

/// One step of setting a gadget up or removing it.
package enum GadgetStep: Hashable, Sendable {
    /// Make a folder; in configfs that makes an item with its attributes.
    case makeFolder(String)
    /// Write the text to the attribute at the path, with a line's end.
    case write(String, String)
    /// Make a symbolic link at the second path to the first.
    case link(String, at: String)
    /// Make an empty file.
    case makeFile(String)
    /// Give a file to a user and a group.
    case setOwner(String, GadgetOwner)
    /// Mount the FunctionFS instance of this name.
    case mountFunctionFS(String, at: String, options: String)
    /// Show the first file at the second path too.
    case mountFile(String, at: String)
    /// Undo the mount at the path; a process that has it open lets go later.
    case unmount(String)
    /// Wait until no process has a file locked.
    case waitForLock(String)
    /// Remove a link or a file.
    case remove(String)
    /// Remove a folder; in configfs that removes an item with its attributes.
    case removeFolder(String)
}

/// The kernel's own configfs, sysfs and mounts.
package struct KernelGadgetFileSystem: GadgetFileSystem {
    /// The longest attribute that is read.
    private static let longestAttribute = 4096

    /// The file system of this machine.
    package init() {}

    package func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    package func folders(in path: String) -> [String] {
        // A link to a folder counts: that is what the entries of /sys/class are.
        DeviceFolder.names(in: path) { access("\(path)/\($0)/.", F_OK) == 0 }
    }

    package func links(in path: String) -> [String] {
        DeviceFolder.names(in: path) { name in
            var status = stat()
            return lstat(path + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        }
    }

    package func read(_ path: String) throws(SystemError) -> String {
        let bytes = try Descriptor.open(path, O_RDONLY).read(upTo: Self.longestAttribute)
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    package func share(_ path: String) throws(SystemError) -> Descriptor {
        let file = try Descriptor.open(path, O_RDONLY)
        try file.lockShared()
        return file
    }

    package func perform(_ step: GadgetStep) throws(SystemError) {
        switch step {
        case .makeFolder(let path): try check(mkdir(path, 0o755), "make", path)
        case .write(let path, let text):
            do throws(SystemError) {
                try Descriptor.open(path, O_WRONLY).writeAll(Array(text.utf8) + [UInt8(ascii: "\n")])
            } catch {
                throw SystemError(code: error.code, operation: "write", path: path)
            }
        case .link(let target, let path): try check(symlink(target, path), "link", path)
        case .makeFile(let path):
            _ = try Descriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
        case .setOwner(let path, let owner):
            try check(chown(path, owner.user, owner.group), "change the owner of", path)
        case .mountFunctionFS(let name, let path, let options):
            try check(mount(name, path, "functionfs", UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC), options), "mount", path)
        case .mountFile(let source, let path): try check(mount(source, path, nil, UInt(MS_BIND), nil), "mount", path)
        case .unmount(let path):
            // Lazily: a camera that has it open lets go later.
            try check(umount2(path, Int32(MNT_DETACH)), "unmount", path)
        case .waitForLock(let path):
            try Descriptor.open(path, O_RDONLY).lockAlone()
        case .remove(let path): try check(unlink(path), "remove", path)
        case .removeFolder(let path): try check(rmdir(path), "remove", path)
        }
    }

    private func check(_ result: Int32, _ operation: String, _ path: String) throws(SystemError) {
        if result != 0 { throw .last(operation, path) }
    }
}

import Glibc

/// Why this process may not open a device file, judged by the file's permissions.
package enum DeviceAccess: Hashable, Sendable {
    /// The user is not in the group that may.
    case notInGroup(String, user: String)
    /// Only the owner may: no group but root's has access.
    case ownerOnly
    /// The permissions allow it.
    case allowed
    /// There is no such file.
    case absent

    /// Looks at a file's owner, group and mode, and at the groups of this process.
    ///
    /// - Blocking: asks the kernel, and the user database for names.
    package init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            self = .absent
            return
        }
        let mode = status.st_mode
        if mode & 0o006 == 0o006 || (status.st_uid == geteuid() && mode & 0o600 == 0o600) {
            self = .allowed
        } else if mode & 0o060 != 0o060 || status.st_gid == 0 {
            self = .ownerOnly
        } else if Self.isMember(of: status.st_gid) {
            self = .allowed
        } else {
            let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
            self = .notInGroup(group, user: Self.userName)
        }
    }

    /// The name of the user that this process runs as, or its number.
    package static var userName: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }

    /// True when this process is in a group.
    package static func isMember(of group: gid_t) -> Bool {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let filled = max(0, Int(getgroups(count, &groups)))
        return getegid() == group || groups.prefix(filled).contains(group)
    }

    /// What a person can do to get access.
    package var advice: String {
        switch self {
        case .notInGroup(let group, let user):
            "the user \(user) is not in the group \(group); run `sudo usermod -aG \(group) \(user)` and restart the"
                + " camera"
        case .ownerOnly:
            "no group has access to it; install the rule 60-pinhole.rules, run `sudo udevadm trigger` and restart the camera"
        case .allowed:
            "its permissions are right, but something else denies access, such as DeviceAllow in pinhole.service"
        case .absent: "it does not exist"
        }
    }
}

/// Lists the kernel's folders of devices.
package enum DeviceFolder {
    /// The matching names in a folder, sorted; empty when the folder cannot be read.
    ///
    /// - Blocking: reads the folder.
    package static func names(in folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        let names = (try? PosixFileOperations().list(folder)) ?? []
        return names.filter(isWanted).sorted()
    }
}

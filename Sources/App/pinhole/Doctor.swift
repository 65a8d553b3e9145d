import Camera
import Console
import Glibc
import Platform

/// Looks whether the machine has what a camera needs, and says what to do about what is missing.
enum Doctor {
    /// Everything that was looked at.
    ///
    /// - Parameters:
    ///   - state: the state folder.
    ///   - running: the camera that asks; nil for a shell.
    /// - Blocking: reads files and looks for cameras.
    static func findings(state: String, running: Running? = nil) -> [DoctorRecord] {
        [stateFolder(state), space(state), memory, clock, zones] + hardware(running) + [service(state)]
    }

    private static func stateFolder(_ state: String) -> DoctorRecord {
        let check = "state folder"
        if access(state, R_OK | W_OK | X_OK) == 0 {
            return DoctorRecord(check: check, result: .ok, detail: "\(state) is writable")
        }
        guard errno == ENOENT else {
            return DoctorRecord(
                check: check, result: .failed, detail: "\(SystemError.last("write to", state)); use another --state")
        }
        let parent = state.split(separator: "/").dropLast().joined(separator: "/")
        let folder = (state.hasPrefix("/") ? "/" : "") + (parent.isEmpty && !state.hasPrefix("/") ? "." : parent)
        guard access(folder, W_OK | X_OK) == 0 else {
            return DoctorRecord(
                check: check, result: .failed,
                detail: "\(SystemError.last("write to", folder)); create \(state) or use another --state")
        }
        return DoctorRecord(check: check, result: .ok, detail: "\(state) will be created when the camera starts")
    }

    private static func space(_ state: String) -> DoctorRecord {
        let check = "space"
        let files = PosixFileOperations()
        guard let space = (try? files.space(state + "/library")) ?? (try? files.space(state)) ?? (try? files.space("."))
        else { return DoctorRecord(check: check, result: .warning, detail: "the free space cannot be read") }
        let mebibytes = space.free >> 20
        if space.isReadOnly {
            return DoctorRecord(check: check, result: .failed, detail: "the storage is read-only; mount it writable")
        }
        return DoctorRecord(
            check: check, result: mebibytes < 200 ? .warning : .ok,
            detail: "\(mebibytes) MiB free" + (mebibytes < 200 ? "; delete photos or use a larger card" : ""))
    }

    private static var memory: DoctorRecord {
        let mebibytes = Machine.memory >> 20
        let isEnough = mebibytes >= 400
        return DoctorRecord(
            check: "memory", result: isEnough ? .ok : .warning,
            detail: "\(mebibytes) MiB" + (isEnough ? "" : "; 12-megapixel photos need 512 MiB"))
    }

    private static var clock: DoctorRecord {
        let time = SystemTime(continuing: nil)
        let now = time.wallTime(at: time.now)
        return DoctorRecord(
            check: "clock", result: now.isTrusted ? .ok : .warning,
            detail: now.isTrusted
                ? "set by a time server or a battery-backed clock"
                : "not synchronized; set it with `pinhole clock set TIME`")
    }

    private static var zones: DoctorRecord {
        let isThere = SystemTime.isKnownZone("Europe/Berlin")
        return DoctorRecord(
            check: "time zones", result: isThere ? .ok : .warning,
            detail: isThere
                ? "the zone database is installed"
                : "there is no zone database; install the package tzdata to use clock.zone")
    }
}

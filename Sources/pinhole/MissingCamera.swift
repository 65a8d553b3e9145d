import Glibc
import Platform

/// The camera devices that the kernel shows, whether this user may open them or not.
enum CameraDevices: Hashable, Sendable {
    /// The kernel shows none.
    case none
    /// There is one that this user may not open.
    case forbidden(path: String)
    /// There are some that may be opened.
    case usable

    /// Looks in a folder of devices.
    ///
    /// - Blocking: reads the folder.
    static func found(in folder: String = "/dev") -> CameraDevices {
        let names = DeviceFolder.names(in: folder) { $0.hasPrefix("media") || $0.hasPrefix("video") }
        for name in names where access(folder + "/" + name, R_OK | W_OK) == 0 { return .usable }
        return names.first.map { .forbidden(path: folder + "/" + $0) } ?? .none
    }
}

/// Why there is no camera, for a person.
enum MissingCamera {
    /// What is missing and what to do.
    ///
    /// - Parameter driver: the library that looked; nil when there is none.
    static func sentence(driver: String?, devices: CameraDevices) -> String {
        guard let driver else { return "no camera was found: this build of Pinhole has no camera driver" }
        switch devices {
        case .none:
            return "no camera was found, and the kernel shows no camera device: check the ribbon cable, and that"
                + " config.txt has camera_auto_detect=1 or the sensor's dtoverlay line; then restart the board"
        case .forbidden(let path):
            return "no camera can be used: this user may not open \(path); add it to the group video and start again"
        case .usable:
            return "no camera was found by \(driver): check the ribbon cable, and that config.txt has"
                + " camera_auto_detect=1 or the sensor's dtoverlay line; `pinhole doctor` tells more"
        }
    }
}

/// Names of devices.
enum DeviceFolder {
    /// The names in a folder that are wanted, sorted; none when it cannot be read.
    static func names(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let names = (try? PosixFileOperations().list(folder)) ?? []
        return names.filter(isWanted).sorted()
    }
}

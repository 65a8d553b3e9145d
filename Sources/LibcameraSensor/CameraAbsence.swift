import Glibc
import Platform

/// Why libcamera finds no camera, as far as the system's device files tell.
package enum CameraAbsence: Hashable, Sendable {
    /// The kernel has no camera driver in use: cable, or the overlay in `config.txt`.
    case noDevice
    /// This user may not open a device file.
    case notPermitted(path: String)
    /// There are devices, and libcamera knows none of them as a camera.
    case notRecognised

    /// Looks into the folder of device files.
    ///
    /// - Blocking: briefly, for the kernel.
    package init(devices folder: String = "/dev") {
        var paths: [String] = []
        if let stream = opendir(folder) {
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name.hasPrefix("media"), name.dropFirst(5).allSatisfy(\.isNumber) {
                    paths.append("\(folder)/\(name)")
                }
            }
        }
        if paths.isEmpty {
            self = .noDevice
        } else if let path = paths.sorted().first(where: { access($0, R_OK | W_OK) != 0 }) {
            self = .notPermitted(path: path)
        } else {
            self = .notRecognised
        }
    }

    /// What to do about it.
    package var sentence: String {
        switch self {
        case .noDevice:
            "no camera: the kernel knows of none; look at the cable and at the camera's line in config.txt"
        case .notPermitted(let path):
            "no camera: this user may not open \(path); add it to the group video"
        case .notRecognised:
            "no camera: libcamera knows none of the devices; look at the camera's line in config.txt"
        }
    }
}

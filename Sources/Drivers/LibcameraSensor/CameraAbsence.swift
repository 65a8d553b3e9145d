import Glibc
import Platform

/// The reason why libcamera finds no camera, as far as the system's device files show it.
package enum CameraAbsence: Hashable, Sendable {
    /// The kernel has no camera driver in use: cable, or the overlay in `config.txt`.
    ///
    /// `closedMemory`: a device for the frames' memory that this user may not open either.
    case noDevice(closedMemory: String?)
    /// This user may not open a device file.
    case notPermitted(path: String)
    /// There are devices, and libcamera knows none of them as a camera.
    case notRecognized

    /// Looks into the folder of device files.
    ///
    /// - Blocking: briefly, for the kernel.
    package init(devices folder: String = "/dev") {
        func numbered(_ kind: String) -> [String] {
            DeviceFolder.names(in: folder) { $0.hasPrefix(kind) && $0.dropFirst(kind.count).allSatisfy(\.isNumber) }
                .map { "\(folder)/\($0)" }
        }
        func isClosed(_ path: String) -> Bool { access(path, R_OK | W_OK) != 0 }
        // One of them is enough.
        let memory =
            DeviceFolder.names(in: folder + "/dma_heap").map { "\(folder)/dma_heap/\($0)" }
            + DeviceFolder.names(in: folder) { $0 == "udmabuf" }.map { "\(folder)/\($0)" }
        let closedMemory = memory.allSatisfy(isClosed) ? memory.first : nil
        let media = numbered("media")
        if media.isEmpty {
            self = .noDevice(closedMemory: closedMemory)
        } else if let path = (media + numbered("video")).first(where: isClosed) ?? closedMemory {
            self = .notPermitted(path: path)
        } else {
            self = .notRecognized
        }
    }

    /// What to do about it.
    package var sentence: String {
        let overlay = "config.txt has `camera_auto_detect=1` or the sensor's overlay, such as `dtoverlay=imx477`"
        switch self {
        case .noDevice(let closedMemory):
            let sentence = "no camera: the kernel has found none; check the cable, and that \(overlay)"
            // Elsewhere it is nothing that a camera waits for.
            guard let path = closedMemory, case .notInGroup("video", _) = DeviceAccess(path: path) else {
                return sentence
            }
            return sentence + "; \(Self.closed(path))"
        case .notPermitted(let path): return "no camera: \(Self.closed(path))"
        case .notRecognized: return "no camera: libcamera recognizes none of the devices; check that \(overlay)"
        }
    }

    private static func closed(_ path: String) -> String {
        "this user is not allowed to open \(path): \(DeviceAccess(path: path).advice)"
    }
}

import Camera
import Console
import Glibc
import Platform
import USB
import USBGadget

/// `pinhole gadget up` and `down`: what root does for the camera's USB port.
enum GadgetCommand {
    /// The user that the package makes for the camera.
    private static let user = "pinhole"

    /// Sets the gadget up, or takes it away.
    ///
    /// - Blocking: for a moment.
    static func perform(_ step: Command.Gadget) throws(CommandFailure) {
        do throws(GadgetError) {
            switch step {
            case .up:
                try Gadget().up(
                    GadgetDescription(
                        manufacturer: "Pinhole", model: "Pinhole camera", serialNumber: SerialNumber.read(),
                        owner: try owner()))
            case .down: try Gadget().down()
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func owner() throws(GadgetError) -> GadgetOwner {
        guard let entry = getpwnam(user) else { throw .noOwner(user) }
        return GadgetOwner(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }
}

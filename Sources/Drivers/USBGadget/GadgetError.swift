import Platform

/// The reason for which this machine cannot be a USB device.
package enum GadgetError: Error, Hashable, Sendable {
    /// The kernel has no configfs, or it is not mounted.
    case noConfigurationFileSystem(String)
    /// The kernel's gadget part is not loaded.
    case noGadgetSupport(String)
    /// The kernel lacks the module of a function.
    case noFunction(module: String)
    /// No port of this board can be a device, as it is set up.
    case noController
    /// There is no user that runs the camera.
    case noOwner(String)
    /// Root has not set the gadget up.
    case notSetUp
    /// Another gadget has the controller.
    case controllerInUse(String)
    /// The user may not do it.
    case notPermitted(String)
    /// Anything else that the kernel refused.
    case system(SystemError)

    /// The error's code for programs, such as `busy`; it never changes, and several errors share one.
    package var code: String {
        switch self {
        case .noConfigurationFileSystem, .noGadgetSupport, .noFunction, .noController: "unsupported"
        case .noOwner, .notSetUp: "unavailable"
        case .controllerInUse: "busy"
        case .notPermitted: "not-permitted"
        case .system: "system"
        }
    }

    /// One sentence for a person: what is missing, and what to do.
    package var message: String {
        switch self {
        case .noConfigurationFileSystem(let path):
            "configfs is not mounted at \(path): load its module (modprobe configfs) and mount it (mount -t configfs none \(path))"
        case .noGadgetSupport(let path):
            "there is no \(path): load the module libcomposite (modprobe libcomposite); a kernel without it cannot be a USB device"
        case .noFunction(let module):
            "the kernel has no module \(module): a kernel without it cannot be a camera with a console on USB"
        case .noController:
            "no USB port of this board can be a device. On a Raspberry Pi Zero 2 W use the port marked USB, on a 4 or 5 the USB-C port; add dtoverlay=dwc2,dr_mode=peripheral to config.txt and restart the board. A Raspberry Pi 3 has no such port"
        case .noOwner(let name): "there is no user \(name): install the package, which creates it"
        case .notSetUp: "the USB gadget is not set up: run `sudo systemctl restart pinhole-usb`"
        case .controllerInUse(let name):
            "another gadget uses the USB device controller \(name): remove that gadget first (its UDC file is under /sys/kernel/config/usb_gadget)"
        case .notPermitted(let what): "this user is not allowed to \(what): setting up the gadget needs root"
        case .system(let error): error.description
        }
    }

    /// True when the same may succeed later.
    package var canRetry: Bool {
        switch self {
        case .controllerInUse, .notSetUp: true
        default: false
        }
    }
}

/// The device as a host sees it before it knows any of its functions.
package struct GadgetDescription: Hashable, Sendable {
    /// Linux Foundation, whose number devices that run Linux may use.
    package static let vendor: UInt16 = 0x1d6b
    /// Release of the device in binary-coded decimal.
    ///
    /// Windows remembers for each vendor, product and release whether there are Microsoft OS descriptors, so raise it
    /// whenever a descriptor changes: here, in `GadgetPlan`, or in `FunctionFSDescriptors` and what is made of it.
    package static let release: UInt16 = 0x0100

    /// Who built the camera: the string of `iManufacturer` (USB 2.0, section 9.6.1).
    package var manufacturer: String
    /// The name of the model.
    package var model: String
    /// A text that no other camera has and that never changes.
    package var serialNumber: String
    /// The user that runs the camera.
    package var owner: GadgetOwner

    /// The description of a gadget whose files belong to this owner.
    package init(manufacturer: String, model: String, serialNumber: String, owner: GadgetOwner) {
        (self.manufacturer, self.model) = (manufacturer, model)
        (self.serialNumber, self.owner) = (serialNumber, owner)
    }
}

/// A user and a group by their numbers.
package struct GadgetOwner: Hashable, Sendable {
    /// The user's number (uid) in the system.
    package var user: UInt32
    /// The group's number (gid) in the system.
    package var group: UInt32

    /// An owner from the numbers that chown(2) takes.
    package init(user: UInt32, group: UInt32) {
        (self.user, self.group) = (user, group)
    }
}

/// What the camera is for a host, beside the serial line.
///
/// Hosts remember by the product number which drivers a device needs, so each has one of its own.
package enum GadgetProduct: UInt16, Hashable, Sendable {
    /// A camera: the Linux Foundation's number for a composite of several functions.
    case camera = 0x0104
    /// A disk: its number for mass storage with a serial line.
    case disk = 0x0106
}

/// Where the kernel's USB gadget interface lies, and what ours is called there.
package struct GadgetLayout: Hashable, Sendable {
    /// Where configfs is mounted.
    package var configuration = "/sys/kernel/config"
    /// The USB device controllers of the system.
    package var controllers = "/sys/class/udc"
    /// What the terminals of serial lines are called, without their number.
    package var terminals = "/dev/ttyGS"
    /// Where what the camera's user needs is mounted.
    package var run = "/run/pinhole-usb"
    /// What our gadget's folder and its FunctionFS instance are called.
    package var name = "pinhole"

    /// The places where Linux systems usually have these folders.
    package init() {}

    /// The gadgets of the system (kernel: Documentation/usb/gadget_configfs.rst).
    package var gadgets: String { configuration + "/usb_gadget" }
    /// Our gadget's folder in configfs, which is there once root has set the gadget up.
    package var gadget: String { gadgets + "/" + name }
    /// Our gadget's one configuration.
    package var gadgetConfiguration: String { gadget + "/configs/" + Self.configurationName }
    /// The camera's function, a FunctionFS instance.
    package var cameraFunction: String { gadget + "/functions/ffs." + name }
    /// The function that is a serial line.
    package var consoleFunction: String { gadget + "/functions/acm.usb0" }
    /// The gadget's file that holds the name of the controller it is bound to.
    package var controllerFile: String { gadget + "/UDC" }
    /// The gadget's file that holds its product number.
    package var productFile: String { gadget + "/idProduct" }
    /// Where FunctionFS is mounted for the camera.
    package var functionFS: String { run + "/ffs" }
    /// What the camera locks while it opens a part of the gadget, and root while it takes that away.
    package var lock: String { run + "/lock" }
    /// Where `controllerFile` is mounted for the camera.
    ///
    /// The camera's service sees all of /sys read-only; this file and the next one alone it may write.
    package var boundControllerFile: String { run + "/UDC" }
    /// Where `productFile` is mounted for the camera.
    package var boundProductFile: String { run + "/idProduct" }

    static let configurationName = "c.1"
}

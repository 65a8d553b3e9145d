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
    /// Our gadget's name.
    package var name = "pinhole"

    /// The usual places.
    package init() {}

    /// The gadgets of the system (kernel: Documentation/usb/gadget_configfs.rst).
    package var gadgets: String { configuration + "/usb_gadget" }
    /// Our gadget's folder.
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

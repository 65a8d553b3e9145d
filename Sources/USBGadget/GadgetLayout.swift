/// Where the kernel's USB gadget interface lies, and what ours is called there.
package struct GadgetLayout: Hashable, Sendable {
    /// The gadgets of the system (kernel: Documentation/usb/gadget_configfs.rst).
    package var gadgets = "/sys/kernel/config/usb_gadget"
    /// The USB device controllers of the system.
    package var controllers = "/sys/class/udc"
    /// Our gadget's name.
    package var name = "pinhole"

    /// The usual places.
    package init() {}

    /// Our gadget's folder.
    package var gadget: String { gadgets + "/" + name }
}

/// The steps that make our gadget (kernel: Documentation/usb/gadget_configfs.rst and functionfs.rst).
///
/// It is not bound to a controller: the camera does that when it has written its descriptors.
package enum GadgetPlan {
    /// All steps, in the order that the kernel asks for.
    package static func up(_ description: GadgetDescription, _ layout: GadgetLayout) -> [GadgetStep] {
        device(description, layout) + configuration(layout) + functions(layout) + forCamera(description.owner, layout)
    }

    private static func device(_ description: GadgetDescription, _ layout: GadgetLayout) -> [GadgetStep] {
        let gadget = layout.gadget
        let english = gadget + "/strings/0x409"
        return [
            .makeFolder(gadget),
            .write(gadget + "/idVendor", hexadecimal(GadgetDescription.vendor)),
            .write(gadget + "/idProduct", hexadecimal(GadgetProduct.camera.rawValue)),
            .write(gadget + "/bcdDevice", hexadecimal(GadgetDescription.release)),
            .write(gadget + "/bcdUSB", "0x0200"),
            // Miscellaneous, common class, interface association: the serial line has two interfaces that belong together.
            .write(gadget + "/bDeviceClass", "0xef"),
            .write(gadget + "/bDeviceSubClass", "0x02"),
            .write(gadget + "/bDeviceProtocol", "0x01"),
            .makeFolder(english),
            .write(english + "/serialnumber", description.serialNumber),
            .write(english + "/manufacturer", description.manufacturer),
            .write(english + "/product", description.model),
        ]
    }

    private static func configuration(_ layout: GadgetLayout) -> [GadgetStep] {
        let configuration = layout.gadgetConfiguration
        return [
            .makeFolder(configuration),
            // Powered by the bus, with the most that may be asked for, in mA.
            .write(configuration + "/bmAttributes", "0x80"),
            .write(configuration + "/MaxPower", "500"),
            .makeFolder(configuration + "/strings/0x409"),
            .write(configuration + "/strings/0x409/configuration", "Camera and console"),
        ]
    }

    private static func functions(_ layout: GadgetLayout) -> [GadgetStep] {
        let (configuration, systemDescriptors) = (layout.gadgetConfiguration, layout.gadget + "/os_desc")
        return [
            .makeFolder(layout.cameraFunction),
            .makeFolder(layout.consoleFunction),
            // The camera is interface 0: libmtp cancels on that, whatever the number is.
            .link(layout.cameraFunction, at: configuration + "/ffs." + layout.name),
            .link(layout.consoleFunction, at: configuration + "/acm.usb0"),
            // FunctionFS writes the compatible identifier; here it is only switched on.
            .write(systemDescriptors + "/b_vendor_code", "0xcd"),
            .write(systemDescriptors + "/qw_sign", "MSFT100"),
            .write(systemDescriptors + "/use", "1"),
            .link(configuration, at: systemDescriptors + "/" + GadgetLayout.configurationName),
        ]
    }

    private static func forCamera(_ owner: GadgetOwner, _ layout: GadgetLayout) -> [GadgetStep] {
        [
            .makeFolder(layout.run),
            .makeFolder(layout.functionFS),
            .makeFile(layout.lock),
            .setOwner(layout.lock, owner),
            // Not no_disconnect: so the kernel unbinds the gadget when the camera's process ends, however it does. With it
            // the next camera's opening of ep0 would have to, and for that Linux 6.12 waits for itself for ever.
            .mountFunctionFS(
                layout.name, at: layout.functionFS,
                options: "uid=\(owner.user),gid=\(owner.group),rmode=0550,fmode=0660"),
        ]
            + handOver(layout.controllerFile, at: layout.boundControllerFile, owner)
            + handOver(layout.productFile, at: layout.boundProductFile, owner)
    }

    private static func handOver(_ file: String, at place: String, _ owner: GadgetOwner) -> [GadgetStep] {
        [.setOwner(file, owner), .makeFile(place), .mountFile(file, at: place)]
    }

    static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

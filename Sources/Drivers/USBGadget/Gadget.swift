import Glibc
import Platform

/// Sets the USB gadget up and takes it away, as root.
///
/// - Blocking: both do.
package struct Gadget: Sendable {
    private let layout: GadgetLayout
    private let files: any GadgetFileSystem

    /// The gadget of a layout.
    package init(layout: GadgetLayout = GadgetLayout(), files: any GadgetFileSystem = KernelGadgetFileSystem()) {
        self.layout = layout
        self.files = files
    }

    /// Sets the gadget up, in place of the remains of an earlier one. A failure leaves nothing behind.
    package func up(_ description: GadgetDescription) throws(GadgetError) {
        guard files.exists(layout.configuration) else { throw .noConfigurationFileSystem(layout.configuration) }
        guard files.exists(layout.gadgets) else { throw .noGadgetSupport(layout.gadgets) }
        guard !files.folders(in: layout.controllers).isEmpty else { throw .noController }
        try down()
        do throws(GadgetError) {
            for step in GadgetPlan.up(description, layout) { try perform(step) }
        } catch {
            try? down()
            throw error
        }
    }

    /// Removes the parts of the gadget that exist, in reverse order. A missing gadget is no error.
    ///
    /// - Blocking: until a camera that is opening a part of it has done so, and until the serial line is closed,
    ///   because the kernel waits for that (u_serial.c). A camera closes it when its controller is gone.
    package func down() throws(GadgetError) {
        let gadget = layout.gadget
        // First, so that a camera cannot bind it again, nor open the serial line: in the moment in which that is taken away
        // Linux 6.12 does not survive it.
        for file in [layout.boundControllerFile, layout.boundProductFile] {
            if files.exists(file) { try undo(.unmount(file)) }
            try undo(.remove(file))
        }
        try undo(.waitForLock(layout.lock))
        if let controller = try? files.read(layout.controllerFile), !controller.isEmpty {
            try undo(.write(layout.controllerFile, ""))
        }
        if files.exists(layout.functionFS) { try undo(.unmount(layout.functionFS)) }
        try undo(.removeFolder(layout.functionFS))
        guard files.exists(gadget) else { return }
        for name in files.links(in: gadget + "/os_desc") { try undo(.remove("\(gadget)/os_desc/\(name)")) }
        for name in files.folders(in: gadget + "/configs") {
            let configuration = "\(gadget)/configs/\(name)"
            for name in files.links(in: configuration) { try undo(.remove("\(configuration)/\(name)")) }
            try removeFolders(in: configuration + "/strings")
            try undo(.removeFolder(configuration))
        }
        try removeFolders(in: gadget + "/functions")
        try removeFolders(in: gadget + "/strings")
        try undo(.removeFolder(gadget))
    }

    private func removeFolders(in path: String) throws(GadgetError) {
        for name in files.folders(in: path) { try undo(.removeFolder("\(path)/\(name)")) }
    }

    /// Performs a step that may have been performed before.
    private func undo(_ step: GadgetStep) throws(GadgetError) {
        do throws(SystemError) {
            try files.perform(step)
        } catch {
            switch (step, error.code) {
            case (_, ENOENT): break
            // Not mounted; not bound.
            case (.unmount, EINVAL), (.write, ENODEV): break
            default: throw reason(error, step)
            }
        }
    }

    private func perform(_ step: GadgetStep) throws(GadgetError) {
        do throws(SystemError) {
            try files.perform(step)
        } catch {
            // The folder of what is run may have been made before.
            if step == .makeFolder(layout.run), error.code == EEXIST { return }
            throw reason(error, step)
        }
    }

    private func reason(_ error: SystemError, _ step: GadgetStep) -> GadgetError {
        switch (step, error.code) {
        case (_, EACCES), (_, EPERM), (_, EROFS): .notPermitted(error.operation + " " + (error.path ?? "it"))
        case (.makeFolder(layout.cameraFunction), ENOENT), (.mountFunctionFS, ENODEV): .noFunction(module: "usb_f_fs")
        case (.makeFolder(layout.consoleFunction), ENOENT): .noFunction(module: "usb_f_acm")
        default: .system(error)
        }
    }
}

import Glibc
import Platform

/// Connects the gadget with a USB device controller and takes it off again, as the camera's user.
///
/// - Blocking: every call does, for a moment.
package struct GadgetController: Sendable {
    /// The state of a device toward its host (kernel: Documentation/ABI/stable/sysfs-class-udc, `state`).
    package enum State: String, CaseIterable, Sendable {
        case notAttached = "not attached"
        case attached
        case powered
        case reconnecting
        case unauthenticated
        case initial = "default"
        case addressed
        case configured
        case suspended
    }

    private let layout: GadgetLayout
    private let files: any GadgetFileSystem

    /// The controller side of a layout.
    package init(layout: GadgetLayout = GadgetLayout(), files: any GadgetFileSystem = KernelGadgetFileSystem()) {
        self.layout = layout
        self.files = files
    }

    /// True when root has set the gadget up.
    package var isSetUp: Bool {
        [layout.boundControllerFile, layout.boundProductFile, layout.functionFS].allSatisfy { files.exists($0) }
    }

    /// The controllers of this machine, by name.
    package var controllers: [String] { files.folders(in: layout.controllers) }

    /// The controller that the gadget is bound to.
    package var boundController: String? {
        guard let name = try? files.read(layout.boundControllerFile), !name.isEmpty else { return nil }
        return name
    }

    /// The state of the device toward its host; nil while it is not bound, and where the kernel does not say.
    package var state: State? {
        boundController.flatMap { try? files.read("\(layout.controllers)/\($0)/state") }.flatMap { State(rawValue: $0) }
    }

    /// The terminal of the gadget's serial line.
    package var consolePath: String? {
        guard let text = try? files.read(layout.consoleFunction + "/port_num"), let number = Int(text) else {
            return nil
        }
        return layout.terminals + "\(number)"
    }

    /// Runs a body that opens parts of the gadget, unless root is removing it. Root waits until the body ends.
    ///
    /// - Returns: the body's result; nil when there is no gadget.
    package func whileSetUp<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let lock = try? files.share(layout.lock), isSetUp else { return nil }
        let result = try body()
        _ = consume lock
        return result
    }

    /// Makes this machine a device that a host can see. Its descriptors must have been written (`FunctionFSDevice`).
    ///
    /// - Parameter product: the product number that matches the descriptors. A bound device keeps its own.
    package func bind(as product: GadgetProduct) throws(GadgetError) {
        guard isSetUp else { throw .notSetUp }
        guard let controller = controllers.first else { throw .noController }
        guard boundController == nil else { return }
        for step in [
            GadgetStep.write(layout.boundProductFile, GadgetPlan.hexadecimal(product.rawValue)),
            .write(layout.boundControllerFile, controller),
        ] {
            do throws(SystemError) {
                try files.perform(step)
            } catch {
                switch error.code {
                case EBUSY: throw .controllerInUse(controller)
                case EACCES, EPERM, EROFS: throw .notPermitted(error.operation + " " + (error.path ?? "it"))
                default: throw .system(error)
                }
            }
        }
    }

    /// Takes the device off the bus: for the host the cable is pulled. Nothing bound is no error.
    package func unbind() throws(GadgetError) {
        guard boundController != nil else { return }
        do throws(SystemError) {
            try files.perform(.write(layout.boundControllerFile, ""))
        } catch {
            // ENODEV: unbound meanwhile.
            if error.code != ENODEV { throw .system(error) }
        }
    }
}

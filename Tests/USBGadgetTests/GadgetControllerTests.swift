import Testing
import USBGadget

@Suite("the gadget's controller") struct GadgetControllerTests {
    let files = SimulatedConfigFS()
    var controller: GadgetController { GadgetController(files: files) }

    @Test("a gadget that root has not set up cannot be bound")
    func notSetUp() {
        #expect(!controller.isSetUp && controller.consolePath == nil && controller.state == nil)
        #expect(throws: GadgetError.notSetUp) { try controller.bind(as: .camera) }
    }

    @Test("binding takes the first controller, and binding again keeps it")
    func bind() throws {
        try Gadget(files: files).up(GadgetTests.description)
        #expect(controller.isSetUp && controller.boundController == nil)
        try controller.bind(as: .camera)
        #expect(controller.boundController == "dummy_udc.0")
        try controller.bind(as: .camera)
        #expect(controller.boundController == "dummy_udc.0" && controller.state == .notAttached)
    }

    @Test("what is bound reports what it is, until it is bound again")
    func product() throws {
        try Gadget(files: files).up(GadgetTests.description)
        try controller.bind(as: .disk)
        #expect(try files.read("\(GadgetLayout().gadget)/idProduct") == "0x0106")
        try controller.bind(as: .camera)
        #expect(try files.read("\(GadgetLayout().gadget)/idProduct") == "0x0106")
        try controller.unbind()
        try controller.bind(as: .camera)
        #expect(try files.read("\(GadgetLayout().gadget)/idProduct") == "0x0104")
        #expect(controller.boundController == "dummy_udc.0")
    }

    @Test("a gadget of an older version, which hands over less, is not bound")
    func older() throws {
        try Gadget(files: files).up(GadgetTests.description)
        try files.perform(.unmount(GadgetLayout().boundProductFile))
        try files.perform(.remove(GadgetLayout().boundProductFile))
        #expect(!controller.isSetUp)
        #expect(throws: GadgetError.notSetUp) { try controller.bind(as: .camera) }
    }

    @Test("a file that the user may not write is named")
    func notPermitted() throws {
        try Gadget(files: files).up(GadgetTests.description)
        files.state.withLock { $0.isReadOnly = true }
        #expect(throws: GadgetError.notPermitted("write /run/pinhole-usb/idProduct")) {
            try controller.bind(as: .camera)
        }
    }

    @Test("unbinding frees the controller, and nothing bound is no error")
    func unbind() throws {
        try Gadget(files: files).up(GadgetTests.description)
        try controller.bind(as: .camera)
        try controller.unbind()
        try controller.unbind()
        #expect(controller.boundController == nil && controller.state == nil)
    }

    @Test("a controller that another gadget has is named")
    func inUse() throws {
        try Gadget(files: files).up(GadgetTests.description)
        files.state.withLock { $0.tree.files["/another gadget"] = "dummy_udc.0" }
        #expect(throws: GadgetError.controllerInUse("dummy_udc.0")) { try controller.bind(as: .camera) }
    }

    @Test("a controller that has gone is missing")
    func gone() throws {
        try Gadget(files: files).up(GadgetTests.description)
        files.state.withLock { _ = $0.tree.folders.remove("/sys/class/udc/dummy_udc.0") }
        #expect(throws: GadgetError.noController) { try controller.bind(as: .camera) }
    }

    @Test("every word of the kernel for the device's state is understood")
    func states() throws {
        try Gadget(files: files).up(GadgetTests.description)
        try controller.bind(as: .camera)
        for state in GadgetController.State.allCases {
            files.state.withLock { $0.tree.files["/sys/class/udc/dummy_udc.0/state"] = state.rawValue }
            #expect(controller.state == state)
        }
    }

    @Test("the console's terminal has the number of its function")
    func console() throws {
        try Gadget(files: files).up(GadgetTests.description)
        files.state.withLock { $0.tree.files["\(GadgetLayout().consoleFunction)/port_num"] = "3" }
        #expect(controller.consolePath == "/dev/ttyGS3")
    }
}

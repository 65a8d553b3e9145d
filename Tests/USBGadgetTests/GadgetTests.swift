import Glibc
import Testing
import USBGadget

@Suite("gadget up and down") struct GadgetTests {
    static let description = GadgetDescription(
        manufacturer: "Pinhole", model: "Pinhole camera", serialNumber: "0123456789ABCDEF",
        owner: GadgetOwner(user: 990, group: 991))
    let files = SimulatedConfigFS()
    let layout = GadgetLayout()
    var gadget: Gadget { Gadget(files: files) }
    var down: SimulatedConfigFS.Tree {
        var tree = SimulatedConfigFS.Tree()
        tree.folders.insert("/run/pinhole-usb")
        tree.files["/run/pinhole-usb/lock"] = ""
        tree.owners["/run/pinhole-usb/lock"] = Self.description.owner
        return tree
    }

    @Test("up makes one configuration with the camera first and the console second")
    func functions() throws {
        try gadget.up(Self.description)
        let tree = files.tree
        #expect(
            tree.links == [
                "\(layout.gadget)/configs/c.1/ffs.pinhole": "\(layout.gadget)/functions/ffs.pinhole",
                "\(layout.gadget)/configs/c.1/acm.usb0": "\(layout.gadget)/functions/acm.usb0",
                "\(layout.gadget)/os_desc/c.1": "\(layout.gadget)/configs/c.1",
            ])
        let links = files.state.withLock { $0.steps }.compactMap {
            if case .link(let target, _) = $0 { target } else { nil }
        }
        #expect(links.first == layout.cameraFunction)
    }

    @Test("up says who the camera is, and that it has Microsoft's descriptors")
    func attributes() throws {
        try gadget.up(Self.description)
        let expected = [
            "idVendor": "0x1d6b", "idProduct": "0x0104", "bcdDevice": "0x0100", "bcdUSB": "0x0200",
            "bDeviceClass": "0xef",
            "bDeviceSubClass": "0x02", "bDeviceProtocol": "0x01", "strings/0x409/serialnumber": "0123456789ABCDEF",
            "strings/0x409/manufacturer": "Pinhole", "strings/0x409/product": "Pinhole camera",
            "configs/c.1/bmAttributes": "0x80", "configs/c.1/MaxPower": "500", "os_desc/use": "1",
            "os_desc/qw_sign": "MSFT100", "os_desc/b_vendor_code": "0xcd", "UDC": "",
        ]
        for (name, value) in expected {
            let read = try files.read("\(layout.gadget)/\(name)")
            #expect(read == value, "\(name)")
        }
    }

    @Test("the camera's user may use FunctionFS and the files of controller and product number, and nothing else")
    func owner() throws {
        try gadget.up(Self.description)
        let tree = files.tree
        let owner = GadgetOwner(user: 990, group: 991)
        #expect(tree.owners == [layout.controllerFile: owner, layout.productFile: owner, layout.lock: owner])
        #expect(
            tree.mounts == [
                "/run/pinhole-usb/ffs": "functionfs pinhole uid=990,gid=991,rmode=0550,fmode=0660",
                "/run/pinhole-usb/UDC": layout.controllerFile,
                "/run/pinhole-usb/idProduct": layout.productFile,
            ])
    }

    @Test("down leaves nothing, and nothing is left to do for a second one")
    func takenAway() throws {
        try gadget.up(Self.description)
        try gadget.down()
        #expect(files.tree == down)
        try gadget.down()
        #expect(files.tree == down)
    }

    @Test("down takes the means to bind it away, then waits for who is opening a part of it, then unbinds it")
    func order() throws {
        try gadget.up(Self.description)
        try files.perform(.write(layout.controllerFile, "dummy_udc.0"))
        files.state.withLock { $0.steps = [] }
        try gadget.down()
        let steps = files.state.withLock { $0.steps }
        let unbound = try #require(steps.firstIndex(of: .write(layout.controllerFile, "")))
        for file in [layout.boundControllerFile, layout.boundProductFile] {
            let removed = try #require(steps.firstIndex(of: .remove(file)))
            let waited = try #require(steps.firstIndex(of: .waitForLock(layout.lock)))
            #expect(removed < waited && waited < unbound)
        }
        let closed = try #require(steps.firstIndex(of: .removeFolder(layout.consoleFunction)))
        #expect(unbound < closed)
    }

    @Test("what an older version has set up, or has taken away in part, is taken away")
    func older() throws {
        try gadget.up(Self.description)
        try files.perform(.unmount(layout.boundProductFile))
        try files.perform(.remove(layout.boundProductFile))
        try gadget.down()
        #expect(files.tree == down)
        try gadget.up(Self.description)
        let whole = files.tree
        // The older one knows nothing of the product's file.
        try files.perform(.unmount(layout.boundProductFile))
        try gadget.down()
        try files.perform(.makeFile(layout.boundProductFile))
        files.state.withLock { $0.tree.mounts[layout.boundProductFile] = "what is gone" }
        try gadget.up(Self.description)
        #expect(files.tree == whole)
    }

    @Test("down unbinds a gadget that is in use first")
    func bound() throws {
        try gadget.up(Self.description)
        try GadgetController(files: files).bind(as: .camera)
        try gadget.down()
        #expect(files.tree == down)
    }

    @Test("up starts over when the gadget exists")
    func twice() throws {
        try gadget.up(Self.description)
        let first = files.tree
        try GadgetController(files: files).bind(as: .camera)
        try gadget.up(Self.description)
        #expect(files.tree == first)
    }

    @Test("whichever step is refused, nothing is left, and up works afterwards")
    func refusedStep() throws {
        let count = GadgetPlan.up(Self.description, layout).count
        for step in 0..<count {
            let files = SimulatedConfigFS()
            // Three steps of the first `down` find nothing.
            files.state.withLock { $0.stepsLeft = 3 + step }
            #expect(throws: GadgetError.self) { try Gadget(files: files).up(Self.description) }
            #expect(
                files.tree.links.isEmpty && files.tree.mounts.isEmpty && !files.exists(layout.gadget), "step \(step)")
            try Gadget(files: files).up(Self.description)
            #expect(files.tree.links.count == 3)
        }
    }

    @Test("after a crash at any step of up or down, down leaves nothing and up works")
    func crash() throws {
        for step in 0..<80 {
            let files = SimulatedConfigFS()
            files.state.withLock { ($0.stepsLeft, $0.isCrash) = (step, true) }
            try? Gadget(files: files).up(Self.description)
            try? GadgetController(files: files).bind(as: .camera)
            try? Gadget(files: files).down()
            files.state.withLock { $0.stepsLeft = nil }
            try Gadget(files: files).down()
            #expect(!files.exists(layout.gadget) && files.tree.mounts.isEmpty, "step \(step)")
            try Gadget(files: files).up(Self.description)
            #expect(files.tree.mounts.count == 3)
        }
    }

    @Test("what is missing is named before anything is made")
    func missing() {
        let cases: [(String, GadgetError)] = [
            ("/sys/kernel/config", .noConfigurationFileSystem("/sys/kernel/config")),
            ("/sys/kernel/config/usb_gadget", .noGadgetSupport("/sys/kernel/config/usb_gadget")),
            ("/sys/class/udc/dummy_udc.0", .noController),
        ]
        for (folder, error) in cases {
            let files = SimulatedConfigFS()
            files.state.withLock { _ = $0.tree.folders.remove(folder) }
            let before = files.tree
            #expect(throws: error) { try Gadget(files: files).up(Self.description) }
            #expect(files.tree == before)
        }
    }

    @Test("a kernel without a function's module is named by that", arguments: ["ffs", "acm"])
    func missingModule(function: String) {
        files.state.withLock { _ = $0.functions.remove(function) }
        #expect(throws: GadgetError.noFunction(module: "usb_f_" + (function == "ffs" ? "fs" : function))) {
            try gadget.up(Self.description)
        }
        #expect(!files.exists(layout.gadget))
    }
}

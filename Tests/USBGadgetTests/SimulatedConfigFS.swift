import Foundation
import Glibc
import Platform
import Synchronization
import USBGadget

/// An imitation of the kernel's gadget folders that refuses what the kernel refuses.
final class SimulatedConfigFS: GadgetFileSystem {
    struct Tree: Equatable {
        var folders: Set<String> = [
            "/sys/kernel/config", "/sys/kernel/config/usb_gadget", "/sys/class/udc", "/sys/class/udc/dummy_udc.0",
            "/run",
        ]
        var files: [String: String] = ["/sys/class/udc/dummy_udc.0/state": "not attached"]
        var links: [String: String] = [:]
        /// What is mounted, by its place.
        var mounts: [String: String] = [:]
        var owners: [String: GadgetOwner] = [:]
    }

    struct State {
        var tree = Tree()
        /// Modules that the kernel has.
        var functions: Set<String> = ["ffs", "acm"]
        /// Steps until one fails; nil for never.
        var stepsLeft: Int?
        /// Every step after the failed one fails too: the program was ended.
        var isCrash = false
        /// Attributes cannot be written.
        var isReadOnly = false
        var steps: [GadgetStep] = []
    }

    let state = Mutex(State())
    private let layout = GadgetLayout()

    var tree: Tree { state.withLock { $0.tree } }

    func exists(_ path: String) -> Bool {
        let tree = tree
        return tree.folders.contains(path) || tree.files[path] != nil || tree.links[path] != nil
    }

    func folders(in path: String) -> [String] {
        tree.folders.filter { Self.parent($0) == path }.map { Self.name($0) }.sorted()
    }

    func links(in path: String) -> [String] {
        tree.links.keys.filter { Self.parent($0) == path }.map { Self.name($0) }.sorted()
    }

    func read(_ path: String) throws(SystemError) -> String {
        let tree = tree
        guard let text = tree.files[tree.mounts[path] ?? path] else {
            throw SystemError(code: ENOENT, operation: "open", path: path)
        }
        return text
    }

    func share(_ path: String) throws(SystemError) -> Descriptor {
        guard tree.files[path] != nil else { throw SystemError(code: ENOENT, operation: "open", path: path) }
        return try Descriptor.open("/dev/null", O_RDWR)
    }

    func perform(_ step: GadgetStep) throws(SystemError) {
        let code: Int32? = state.withLock { state in
            if let left = state.stepsLeft {
                if left == 0 {
                    if !state.isCrash { state.stepsLeft = nil }
                    return EIO
                }
                state.stepsLeft = left - 1
            }
            state.steps.append(step)
            return refusal(of: step, &state)
        }
        guard let code else { return }
        if case .write(let path, _) = step { throw SystemError(code: code, operation: "write", path: path) }
        throw SystemError(code: code, operation: "do", path: "\(step)")
    }

    private func refusal(of step: GadgetStep, _ state: inout State) -> Int32? {
        switch step {
        case .makeFolder(let path): return make(path, &state)
        case .write(let path, let text): return state.isReadOnly ? EROFS : write(path, text, &state.tree)
        case .link(let target, let path): return link(target, path, &state.tree)
        case .makeFile(let path):
            guard state.tree.folders.contains(Self.parent(path)) else { return ENOENT }
            if state.tree.files[path] == nil { state.tree.files[path] = "" }
        case .setOwner(let path, let owner):
            guard state.tree.files[path] != nil else { return ENOENT }
            state.tree.owners[path] = owner
        case .mountFunctionFS(let name, let path, let options):
            guard state.tree.folders.contains("\(layout.gadget)/functions/ffs.\(name)") else { return ENOENT }
            guard state.tree.folders.contains(path) else { return ENOENT }
            state.tree.mounts[path] = "functionfs \(name) \(options)"
        case .mountFile(let source, let path):
            guard state.tree.files[source] != nil, state.tree.files[path] != nil else { return ENOENT }
            state.tree.mounts[path] = source
        case .unmount(let path):
            guard exists(path, state.tree) else { return ENOENT }
            guard state.tree.mounts.removeValue(forKey: path) != nil else { return EINVAL }
        case .waitForLock(let path):
            guard state.tree.files[path] != nil else { return ENOENT }
        case .remove(let path):
            if state.tree.mounts[path] != nil { return EBUSY }
            guard state.tree.links.removeValue(forKey: path) == nil else { return nil }
            guard state.tree.files.removeValue(forKey: path) != nil else { return ENOENT }
        case .removeFolder(let path): return remove(path, &state.tree)
        }
        return nil
    }

    private func exists(_ path: String, _ tree: Tree) -> Bool {
        tree.folders.contains(path) || tree.files[path] != nil
    }

    private func make(_ path: String, _ state: inout State) -> Int32? {
        guard state.tree.folders.contains(Self.parent(path)) else { return ENOENT }
        guard !state.tree.folders.contains(path) else { return EEXIST }
        var (folders, files): ([String], [String]) = ([], [])
        switch Self.parent(path) {
        case layout.gadgets:
            folders = ["functions", "configs", "strings", "os_desc"]
            files = [
                "idVendor", "idProduct", "bcdDevice", "bcdUSB", "bDeviceClass", "bDeviceSubClass", "bDeviceProtocol",
                "UDC", "os_desc/use", "os_desc/b_vendor_code", "os_desc/qw_sign",
            ]
        case layout.gadget + "/functions":
            let kind = Self.name(path).split(separator: ".").first.map(String.init) ?? ""
            guard state.functions.contains(kind) else { return ENOENT }
            if kind == "acm" { files = ["port_num"] }
        case layout.gadget + "/configs":
            folders = ["strings"]
            files = ["bmAttributes", "MaxPower"]
        case layout.gadget + "/strings": files = ["serialnumber", "manufacturer", "product"]
        case layout.gadgetConfiguration + "/strings": files = ["configuration"]
        case "/run", layout.run: break
        default: return EPERM
        }
        state.tree.folders.insert(path)
        for name in folders { state.tree.folders.insert(path + "/" + name) }
        for name in files { state.tree.files[path + "/" + name] = name == "port_num" ? "0" : "" }
        return nil
    }

    private func write(_ path: String, _ text: String, _ tree: inout Tree) -> Int32? {
        let path = tree.mounts[path] ?? path
        guard let old = tree.files[path] else { return ENOENT }
        guard path == layout.controllerFile else {
            tree.files[path] = text
            return nil
        }
        if text.isEmpty, old.isEmpty { return ENODEV }
        if !text.isEmpty {
            guard old.isEmpty, tree.files["/another gadget"] != text else { return EBUSY }
            guard tree.folders.contains(layout.controllers + "/" + text) else { return ENODEV }
        }
        tree.files[path] = text
        return nil
    }

    private func link(_ target: String, _ path: String, _ tree: inout Tree) -> Int32? {
        guard tree.folders.contains(target), tree.folders.contains(Self.parent(path)) else { return ENOENT }
        let isOfFunction = Self.parent(target) == layout.gadget + "/functions"
        switch Self.parent(path) {
        case layout.gadgetConfiguration where isOfFunction: break
        case layout.gadget + "/os_desc" where target == layout.gadgetConfiguration: break
        default: return EINVAL
        }
        guard tree.files[layout.controllerFile] == "" else { return EBUSY }
        tree.links[path] = target
        return nil
    }

    private func remove(_ path: String, _ tree: inout Tree) -> Int32? {
        guard tree.folders.contains(path) else { return ENOENT }
        if tree.mounts[path] != nil || tree.links.values.contains(path) { return EBUSY }
        if path == layout.gadget, tree.files[layout.controllerFile] != "" { return EBUSY }
        let isMadeByKernel = ["functions", "configs", "strings", "os_desc"].contains(Self.name(path))
        if isMadeByKernel { return EPERM }
        if tree.links.keys.contains(where: { $0.hasPrefix(path + "/") }) { return ENOTEMPTY }
        let inside = tree.folders.filter { $0.hasPrefix(path + "/") }
        let kernels: Set<String> = ["functions", "configs", "strings", "os_desc"]
        if inside.contains(where: { !kernels.contains(Self.name($0)) }) { return ENOTEMPTY }
        tree.folders.subtract(inside)
        tree.folders.remove(path)
        tree.files = tree.files.filter { !$0.key.hasPrefix(path + "/") }
        tree.owners = tree.owners.filter { !$0.key.hasPrefix(path + "/") }
        return nil
    }

    private static func parent(_ path: String) -> String {
        let text = (path as NSString).deletingLastPathComponent
        return text
    }

    private static func name(_ path: String) -> String {
        (path as NSString).lastPathComponent
    }
}

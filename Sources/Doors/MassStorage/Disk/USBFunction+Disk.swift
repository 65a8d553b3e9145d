import Offload
import USBGadget

extension USBFunction {
    /// A disk with photos that can only be read.
    package static let disk = USBFunction(
        word: "mass-storage", mode: "mass-storage", noun: "a disk", product: .disk, descriptors: .massStorage
    ) { service in
        let session = DiskSession(
            pipes: service.pipes, client: service.client, sessions: service.context.sessions,
            identity: service.context.identity(), loop: service.context.loop, worker: service.builder,
            ejected: service.context.showSafeToUnplug)
        service.host.submit { session.serve() }
        return session.connection
    }
}

extension FunctionFSDescriptors {
    /// Class mass storage, SCSI transparent command set, bulk-only transport (USB Mass Storage Class Specification
    /// Overview 1.4, sections 2 and 3).
    package static let massStorage = FunctionFSDescriptors(
        interfaceClass: Class(code: 8, subclass: 6, protocolCode: 0x50), name: "Mass Storage")
}

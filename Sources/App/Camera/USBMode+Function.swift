import MassStorage
import PTP
import USBGadget

// What the USB port shows in each mode, beside the console.
extension USBMode {
    /// What it is by its number.
    var product: GadgetProduct {
        switch self {
        case .camera: .camera
        case .massStorage: .disk
        }
    }

    /// What FunctionFS is told.
    var descriptors: FunctionFSDescriptors {
        switch self {
        case .camera: .ptp
        case .massStorage: .massStorage
        }
    }
}

extension FunctionFSDescriptors {
    /// A disk: class mass storage, SCSI transparent command set, bulk-only transport (USB Mass Storage Class
    /// Specification Overview 1.4, sections 2 and 3).
    fileprivate static let massStorage = FunctionFSDescriptors(
        interfaceClass: Class(code: 8, subclass: 6, protocolCode: 0x50), name: "Mass Storage")
}

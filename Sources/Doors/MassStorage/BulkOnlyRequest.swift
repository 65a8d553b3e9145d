import USBGadget

/// What a host asks of a disk on the control pipe (USB Mass Storage Class Bulk-Only Transport 1.0, section 3).
package enum BulkOnlyRequest: Hashable, Sendable {
    /// Bulk-Only Mass Storage Reset: be ready for the next command (section 3.1).
    case reset
    /// Get Max LUN: how many logical units there are, less one (section 3.2).
    case getMaxLUN

    /// The answer to `getMaxLUN`: one logical unit.
    package static let maxLUN: [UInt8] = [0]

    /// The request of a setup packet; nil for one that is to be refused.
    package init?(_ setup: USBSetupPacket) {
        switch (setup.requestType, setup.request) {
        case (0x21, 0xff) where setup.value == 0 && setup.length == 0: self = .reset
        case (0xa1, 0xfe) where setup.value == 0 && setup.length == 1: self = .getMaxLUN
        default: return nil
        }
    }
}

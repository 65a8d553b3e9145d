import USBGadget

/// What is moved for a command, and how it ends: the thirteen cases of how host and device may disagree (USB Mass Storage
/// Class Bulk-Only Transport 1.0, section 6.7).
///
/// The host always moves what it has said. No pipe is stalled: what is missing to the host is filled up with zeros,
/// and what it sends in vain is taken.
struct BulkOnlyExchange: Hashable, Sendable {
    /// Bytes for the host that mean something; they come first.
    let wanted: UInt64
    /// Bytes for the host.
    let toHost: UInt64
    /// Bytes from the host.
    let fromHost: UInt64
    /// How the command ends, if all that means something can be read.
    let status: CommandStatusWrapper.Status

    /// The exchange for a command and what the unit says to it.
    init(_ wrapper: CommandBlockWrapper, _ reply: SCSIReply) {
        let length = UInt64(wrapper.dataTransferLength)
        // Without data the direction means nothing (section 5.1).
        let (toHost, fromHost) = wrapper.isToHost ? (length, 0) : (0, length)
        let agrees: Bool
        switch reply.data {
        case .none: (wanted, agrees) = (0, true)  // cases 1, 4 and 9
        case .bytes(let bytes):  // cases 5 and 6; not 2, 7 and 10
            let count = UInt64(bytes.count)
            (wanted, agrees) = (min(count, toHost), count <= toHost)
        case .blocks(let blocks):
            let count = UInt64(blocks.count) * UInt64(FATVolume.blockSize)
            (wanted, agrees) = (min(count, toHost), count <= toHost)
        case .unwanted(let count):  // cases 11 and 12; not 3, 8 and 13
            (wanted, agrees) = (0, toHost == 0 && (count ?? 0) <= fromHost)
        }
        (self.toHost, self.fromHost) = (toHost, fromHost)
        status = agrees ? (reply.sense == nil ? .passed : .failed) : .phaseError
    }
}

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

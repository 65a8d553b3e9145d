import USBGadget

/// The data transfer and status of a command: the thirteen cases of agreement between host and device (USB Mass Storage
/// Class Bulk-Only Transport 1.0, section 6.7).
///
/// The host always transfers as many bytes as it announced. No pipe is stalled: missing data is replaced with zeros,
/// and unwanted data is discarded.
struct BulkOnlyExchange: Hashable, Sendable {
    /// The number of meaningful bytes for the host, which come first.
    let wanted: UInt64
    /// The number of bytes that the host reads.
    let toHost: UInt64
    /// The number of bytes that the host sends.
    let fromHost: UInt64
    /// The status of the command, if all its data can be read.
    let status: CommandStatusWrapper.Status

    /// The exchange for a command and the unit's reply.
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

/// The requests of a host on the control pipe of a disk (USB Mass Storage Class Bulk-Only Transport 1.0, section 3).
package enum BulkOnlyRequest: Hashable, Sendable {
    /// Bulk-Only Mass Storage Reset: be ready for the next command (section 3.1).
    case reset
    /// Get Max LUN: how many logical units there are, less one (section 3.2).
    case getMaxLUN

    /// The answer to `getMaxLUN`: one logical unit.
    package static let maxLUN: [UInt8] = [0]

    /// The request of a setup packet; nil for one that the device refuses.
    package init?(_ setup: USBSetupPacket) {
        switch (setup.requestType, setup.request) {
        case (0x21, 0xff) where setup.value == 0 && setup.length == 0: self = .reset
        case (0xa1, 0xfe) where setup.value == 0 && setup.length == 1: self = .getMaxLUN
        default: return nil
        }
    }
}

/// A command descriptor block (SPC-4, "Command descriptor block").
package struct SCSICommand: Hashable, Sendable {
    /// Its bytes, six to sixteen of a whole one.
    package let bytes: [UInt8]

    /// A command from what a host has sent.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The operation; nil for one that this unit does not support.
    var operation: SCSIOperation? { SCSIOperation(rawValue: self[0]) }

    /// Whether it has as many bytes as its kind has (SPC-4, "Operation code": the upper three bits).
    var isWhole: Bool {
        switch self[0] >> 5 {
        case 0: bytes.count >= 6
        case 1, 2: bytes.count >= 10
        case 4: bytes.count >= 16
        case 5: bytes.count >= 12
        default: false
        }
    }

    /// The byte at an offset; 0 past the end.
    subscript(offset: Int) -> UInt8 {
        bytes.indices.contains(offset) ? bytes[offset] : 0
    }

    /// The number of so many bytes.
    func number(at offset: Int, bytes count: Int) -> UInt64 {
        (offset..<offset + count).reduce(0) { $0 << 8 | UInt64(self[$1]) }
    }

    /// First block and number of blocks of a command that names them (SBC-3, READ, WRITE and VERIFY).
    var blocks: (first: UInt64, count: UInt64) {
        switch self[0] >> 5 {
        case 0:
            // 0 means 256 here.
            let count = UInt64(self[4])
            return (number(at: 1, bytes: 3) & 0x1f_ffff, count == 0 ? 256 : count)
        case 4: return (number(at: 2, bytes: 8), number(at: 10, bytes: 4))
        case 5: return (number(at: 2, bytes: 4), number(at: 6, bytes: 4))
        default: return (number(at: 2, bytes: 4), number(at: 7, bytes: 2))
        }
    }
}

/// The supported commands, by their operation codes. Drafts and standards number their sections differently, so
/// comments cite commands by name.
enum SCSIOperation: UInt8 {
    // SPC-4.
    case testUnitReady = 0x00
    case requestSense = 0x03
    case inquiry = 0x12
    case modeSelect6 = 0x15
    case modeSelect10 = 0x55
    case modeSense6 = 0x1a
    case modeSense10 = 0x5a
    case reportLUNs = 0xa0
    // SBC-3; READ (6) and WRITE (6) are of SBC-2.
    case formatUnit = 0x04
    case startStopUnit = 0x1b
    case preventAllowMediumRemoval = 0x1e
    case readCapacity10 = 0x25
    /// READ CAPACITY (16) is a service action of this.
    case serviceActionIn16 = 0x9e
    case read6 = 0x08
    case read10 = 0x28
    case read12 = 0xa8
    case read16 = 0x88
    case verify10 = 0x2f
    case synchronizeCache10 = 0x35
    case unmap = 0x42
    case write6 = 0x0a
    case write10 = 0x2a
    case write12 = 0xaa
    case write16 = 0x8a
    case writeAndVerify10 = 0x2e
    case writeAndVerify12 = 0xae
    case writeAndVerify16 = 0x8e
    case writeSame10 = 0x41
    case writeSame16 = 0x93
    // MMC-6; Windows asks for it.
    case readFormatCapacities = 0x23

    /// Whether it fails without a medium.
    var needsMedium: Bool {
        switch self {
        case .requestSense, .inquiry, .modeSelect6, .modeSelect10, .modeSense6, .modeSense10, .startStopUnit,
            .preventAllowMediumRemoval, .readFormatCapacities, .reportLUNs:
            false
        default: true
        }
    }

    /// Whether it is carried out in spite of a unit attention (SAM-5, "Unit attention conditions").
    var passesAttention: Bool {
        switch self {
        case .requestSense, .inquiry, .reportLUNs: true
        default: false
        }
    }
}

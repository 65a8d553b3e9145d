import Platform

/// The start of each command from the host, a CBW (USB Mass Storage Class Bulk-Only Transport 1.0, section 5.1).
package struct CommandBlockWrapper: Hashable, Sendable {
    /// The size of a wrapper in bytes.
    package static let byteCount = 31
    /// `dCBWSignature`: "USBC" in ASCII, the first letter in the lowest byte.
    package static let signature: UInt32 = 0x4342_5355

    /// `dCBWTag`, which the status repeats.
    package var tag: UInt32
    /// `dCBWDataTransferLength`: bytes that the host moves after this.
    package var dataTransferLength: UInt32
    /// `bmCBWFlags`: whether the host receives them.
    package var isToHost: Bool
    /// `CBWCB`, as long as `bCBWCBLength` says.
    package var command: SCSICommand

    /// A command; the length is that of the data that the host expects, in bytes.
    package init(tag: UInt32, dataTransferLength: UInt32, isToHost: Bool, command: SCSICommand) {
        (self.tag, self.dataTransferLength) = (tag, dataTransferLength)
        (self.isToHost, self.command) = (isToHost, command)
    }

    /// Reads a wrapper; nil for one that is not valid and meaningful (section 6.2) for a device with one logical unit.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard
            bytes.count == Self.byteCount, bytes.littleEndian(UInt32.self, at: 0) == Self.signature,
            let tag = bytes.littleEndian(UInt32.self, at: 4), let length = bytes.littleEndian(UInt32.self, at: 8),
            bytes[13] == 0, (1...16).contains(bytes[14])
        else { return nil }
        self.init(
            tag: tag, dataTransferLength: length, isToHost: bytes[12] & 0x80 != 0,
            command: SCSICommand(Array(bytes[15..<15 + Int(bytes[14])])))
    }
}

/// The end of each command from the device, a CSW (USB Mass Storage Class Bulk-Only Transport 1.0, section 5.2).
package struct CommandStatusWrapper: Hashable, Sendable {
    /// `bCSWStatus`: how the command ended (table 5.3).
    package enum Status: UInt8, Sendable {
        /// The command was carried out.
        case passed = 0
        /// The command failed; REQUEST SENSE reports why.
        case failed = 1
        /// The host announced a transfer that does not match the command.
        case phaseError = 2
    }

    /// The size of a wrapper in bytes.
    package static let byteCount = 13
    /// `dCSWSignature`: "USBS" in ASCII, the first letter in the lowest byte.
    package static let signature: UInt32 = 0x5342_5355

    /// `dCSWTag`: the tag of the command that it answers.
    package var tag: UInt32
    /// `dCSWDataResidue`: how many of the transferred bytes are meaningless.
    package var dataResidue: UInt32
    /// The result of the command.
    package var status: Status

    /// A status; the residue is the expected length less the processed bytes.
    package init(tag: UInt32, dataResidue: UInt32, status: Status) {
        (self.tag, self.dataResidue, self.status) = (tag, dataResidue, status)
    }

    /// The 13 bytes of the wrapper, its numbers little-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.signature)
        bytes.append(littleEndian: tag)
        bytes.append(littleEndian: dataResidue)
        bytes.append(status.rawValue)
        return bytes
    }
}

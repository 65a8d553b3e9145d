import Platform

/// What a device ends each command with, a CSW (USB Mass Storage Class Bulk-Only Transport 1.0, section 5.2).
package struct CommandStatusWrapper: Hashable, Sendable {
    /// `bCSWStatus`.
    package enum Status: UInt8, Sendable {
        /// It was carried out.
        case passed = 0
        /// It was not; REQUEST SENSE tells why.
        case failed = 1
        /// What the host wanted to move was not what the command moves.
        case phaseError = 2
    }

    /// Its size.
    package static let byteCount = 13
    /// `dCSWSignature`: "USBS".
    package static let signature: UInt32 = 0x5342_5355

    /// `dCSWTag`: the command's.
    package var tag: UInt32
    /// `dCSWDataResidue`: how many of the bytes that the host moved mean nothing.
    package var dataResidue: UInt32
    /// How the command has ended.
    package var status: Status

    /// A wrapper from its parts.
    package init(tag: UInt32, dataResidue: UInt32, status: Status) {
        (self.tag, self.dataResidue, self.status) = (tag, dataResidue, status)
    }

    /// As it is sent.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Self.signature)
        bytes.append(littleEndian: tag)
        bytes.append(littleEndian: dataResidue)
        bytes.append(status.rawValue)
        return bytes
    }
}

/// The unit's reply to a command: the data to transfer, then the status.
package struct SCSIReply: Hashable, Sendable {
    /// The data of a command.
    package enum Data: Hashable, Sendable {
        case none
        /// Bytes for the host.
        case bytes([UInt8])
        /// Blocks of the medium for the host.
        case blocks(Range<UInt64>)
        /// A number of bytes from the host to discard; nil for all that it sends.
        case unwanted(UInt64?)
    }

    /// The data to transfer.
    package let data: Data
    /// The reason for a failure; nil for success (status GOOD, else CHECK CONDITION).
    package let sense: SCSISense?

    static let good = SCSIReply(data: .none, sense: nil)

    static func refused(_ sense: SCSISense) -> SCSIReply { SCSIReply(data: .none, sense: sense) }

    /// Data for the host, cut to its limit.
    static func data(_ bytes: [UInt8], limit: UInt64) -> SCSIReply {
        let bytes = Array(bytes.prefix(Int(clamping: limit)))
        return SCSIReply(data: bytes.isEmpty ? .none : .bytes(bytes), sense: nil)
    }
}

/// The reason for which a command failed (SPC-4, "Sense data").
package struct SCSISense: Hashable, Sendable {
    /// The kind of reason (SPC-4, "Sense key and additional sense code definitions").
    package enum Key: UInt8, Sendable {
        case noSense = 0x0
        case notReady = 0x2
        case mediumError = 0x3
        case illegalRequest = 0x5
        case unitAttention = 0x6
        case dataProtect = 0x7
    }

    /// The kind of reason.
    package let key: Key
    /// The additional sense code and its qualifier, in two bytes.
    package let code: UInt16
    /// The block that could not be read.
    package var block: UInt64?

    static let none = SCSISense(key: .noSense, code: 0x0000)
    static let mediumNotPresent = SCSISense(key: .notReady, code: 0x3a00)
    static let mediumMayHaveChanged = SCSISense(key: .unitAttention, code: 0x2800)
    static let invalidOperationCode = SCSISense(key: .illegalRequest, code: 0x2000)
    static let blockOutOfRange = SCSISense(key: .illegalRequest, code: 0x2100)
    static let invalidField = SCSISense(key: .illegalRequest, code: 0x2400)
    static let savingNotSupported = SCSISense(key: .illegalRequest, code: 0x3900)
    static let removalPrevented = SCSISense(key: .illegalRequest, code: 0x5302)
    static let writeProtected = SCSISense(key: .dataProtect, code: 0x2700)

    /// A block could not be read: UNRECOVERED READ ERROR.
    static func unrecoveredRead(_ block: UInt64) -> SCSISense {
        SCSISense(key: .mediumError, code: 0x1100, block: block)
    }

    /// The data of REQUEST SENSE (SPC-4, "Fixed format sense data").
    var fixedFormat: [UInt8] {
        // The block is said as far as 32 bits can.
        let block = block.flatMap { UInt32(exactly: $0) }
        var bytes: [UInt8] = [block == nil ? 0x70 : 0xf0, 0, key.rawValue]
        bytes.append(bigEndian: block ?? 0)
        bytes += [10, 0, 0, 0, 0]
        bytes.append(bigEndian: code)
        return bytes + [0, 0, 0, 0]
    }
}

// SCSI puts the highest byte first.

extension [UInt8] {
    /// Adds a number, its highest byte first.
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

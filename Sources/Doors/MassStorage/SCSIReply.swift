/// What a unit does upon a command: it moves data, then ends with a status.
package struct SCSIReply: Hashable, Sendable {
    /// The data of a command.
    package enum Data: Hashable, Sendable {
        case none
        /// These bytes to the host.
        case bytes([UInt8])
        /// These blocks of the medium to the host.
        case blocks(Range<UInt64>)
        /// So many bytes from the host, which nobody wants; nil for as many as it has.
        case unwanted(UInt64?)
    }

    /// The data.
    package let data: Data
    /// Why the command was not carried out; nil when it was (status GOOD, else CHECK CONDITION).
    package let sense: SCSISense?

    static let good = SCSIReply(data: .none, sense: nil)

    static func refused(_ sense: SCSISense) -> SCSIReply { SCSIReply(data: .none, sense: sense) }

    /// Data for the host, as far as it has room.
    static func data(_ bytes: [UInt8], limit: UInt64) -> SCSIReply {
        let bytes = Array(bytes.prefix(Int(clamping: limit)))
        return SCSIReply(data: bytes.isEmpty ? .none : .bytes(bytes), sense: nil)
    }
}

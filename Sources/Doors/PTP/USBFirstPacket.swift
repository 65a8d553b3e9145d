import Platform

/// The first packet of what an initiator sends over the bulk pipe, which begins with a container's header, or should.
package enum USBFirstPacket: Hashable, Sendable {
    /// An operation.
    case operation(OperationRequest)
    /// An operation in a container whose length is wrong: its transaction can still be answered.
    case malformedOperation(OperationRequest)
    /// A data phase begins. `length` counts the header too; `USBContainer.unknownLength` stands for one that is not known.
    case data(code: UInt16, transaction: UInt32, length: UInt32)
    /// Nothing: the end of a container whose last packet was full.
    case empty
    /// No container that an initiator sends.
    case invalid

    /// Reads a packet. What comes from the initiator can be anything.
    package init(_ packet: UnsafeRawBufferPointer) {
        guard !packet.isEmpty else {
            self = .empty
            return
        }
        guard
            let length = packet.littleEndian(UInt32.self, at: 0), let kind = packet.littleEndian(UInt16.self, at: 4),
            let code = packet.littleEndian(UInt16.self, at: 6),
            let transaction = packet.littleEndian(UInt32.self, at: 8)
        else {
            self = .invalid
            return
        }
        switch USBContainer.Kind(rawValue: kind) {
        case .command:
            let payload = packet.count - USBContainer.headerByteCount
            guard
                length == UInt32(truncatingIfNeeded: packet.count), payload % 4 == 0,
                payload / 4 <= USBContainer.mostParameters
            else {
                self = .malformedOperation(OperationRequest(code, transaction: transaction))
                return
            }
            let parameters = (0..<payload / 4).compactMap {
                packet.littleEndian(UInt32.self, at: USBContainer.headerByteCount + 4 * $0)
            }
            self = .operation(OperationRequest(code, transaction: transaction, parameters: parameters))
        case .data where length >= UInt32(USBContainer.headerByteCount):
            self = .data(code: code, transaction: transaction, length: length)
        default: self = .invalid
        }
    }
}

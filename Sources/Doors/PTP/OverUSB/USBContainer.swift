import Platform

/// The unit of transfer over the pipes of a USB camera: a header and a payload (USB Still Image Capture Device
/// Definition 1.0, section 7.1). Numbers are little-endian.
package enum USBContainer {
    /// What a container holds.
    package enum Kind: UInt16, Sendable {
        case command = 1
        case data = 2
        case response = 3
        case event = 4
    }

    /// Bytes before the payload: length, kind, code, transaction.
    package static let headerByteCount = 12
    /// The length of a container that is too long for 32 bits; the container then ends with a short packet (MTP
    /// 1.1, appendix H).
    package static let unknownLength: UInt32 = 0xffff_ffff
    /// The most parameters of an operation or a response.
    package static let mostParameters = 5

    /// The header of a data phase.
    package static func dataHeader(for request: OperationRequest, byteCount: UInt64) -> [UInt8] {
        let length = byteCount.addingReportingOverflow(UInt64(headerByteCount))
        let isTooLong = length.overflow || length.partialValue >= UInt64(unknownLength)
        return header(
            isTooLong ? unknownLength : UInt32(truncatingIfNeeded: length.partialValue), .data, request.code,
            request.transaction)
    }

    /// A response container; parameters after the fifth are left out.
    package static func bytes(_ response: OperationResponse, transaction: UInt32) -> [UInt8] {
        bytes(.response, response.code.rawValue, transaction, response.parameters.prefix(mostParameters))
    }

    /// An event; it has at most three parameters.
    package static func bytes(_ event: ResponderEvent) -> [UInt8] {
        bytes(.event, event.code.rawValue, event.transaction, event.parameters.prefix(3))
    }

    /// An operation, as an initiator sends it.
    package static func bytes(_ request: OperationRequest) -> [UInt8] {
        bytes(.command, request.code, request.transaction, request.parameters.prefix(mostParameters))
    }

    /// True when a packet without bytes must follow, because the last one was full (USB 2.0, section 5.8.3).
    ///
    /// - Parameter byteCount: of the header and what was sent after it.
    package static func needsEmptyPacket(after byteCount: UInt64, packetSize: Int) -> Bool {
        packetSize > 0 && byteCount % UInt64(packetSize) == 0
    }

    private static func bytes(
        _ kind: Kind, _ code: UInt16, _ transaction: UInt32, _ parameters: ArraySlice<UInt32>
    ) -> [UInt8] {
        var bytes = header(UInt32(headerByteCount + 4 * parameters.count), kind, code, transaction)
        for parameter in parameters { bytes.append(littleEndian: parameter) }
        return bytes
    }

    private static func header(_ length: UInt32, _ kind: Kind, _ code: UInt16, _ transaction: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: length)
        bytes.append(littleEndian: kind.rawValue)
        bytes.append(littleEndian: code)
        bytes.append(littleEndian: transaction)
        return bytes
    }
}

/// The first packet of a transfer from an initiator, which should begin with a container's header.
package enum USBFirstPacket: Hashable, Sendable {
    /// An operation in a container of the right length.
    case operation(OperationRequest)
    /// An operation in a container of the wrong length. Its transaction can still be answered.
    case malformedOperation(OperationRequest)
    /// The start of a data phase. `length` includes the header, and may be `USBContainer.unknownLength`.
    case data(code: UInt16, transaction: UInt32, length: UInt32)
    /// An empty packet: the end of a container whose last packet was full.
    case empty
    /// A packet that begins no container of an initiator.
    case invalid

    /// Reads a packet, whose bytes are untrusted.
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

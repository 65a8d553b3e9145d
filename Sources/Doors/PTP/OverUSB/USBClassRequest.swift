import Platform
import USBGadget

/// The requests of a host on the control pipe of a camera (USB Still Image Capture Device Definition 1.0, section 5.2).
package enum USBClassRequest: Hashable, Sendable {
    /// Cancel a transaction (5.2.1), whose number is in the data phase.
    case cancel
    /// Send the parameters of the last event (5.2.2).
    case extendedEventData
    /// End the session and all transfers (5.2.3).
    case reset
    /// Report whether the device is ready (5.2.4).
    case status

    /// Bytes of the data phase of a cancellation: a code and a transaction.
    package static let cancellationByteCount = 6

    /// The request of a setup packet; nil for one that the device refuses.
    package init?(_ setup: USBSetupPacket) {
        switch (setup.requestType, setup.request) {
        case (0x21, 0x64) where setup.length == UInt16(Self.cancellationByteCount): self = .cancel
        case (0xa1, 0x65): self = .extendedEventData
        case (0x21, 0x66) where setup.length == 0: self = .reset
        case (0xa1, 0x67): self = .status
        default: return nil
        }
    }

    /// The transaction to cancel; nil when the data phase of the request is malformed.
    package static func cancelledTransaction(_ data: UnsafeRawBufferPointer) -> UInt32? {
        guard
            data.count == cancellationByteCount,
            data.littleEndian(UInt16.self, at: 0) == EventCode.cancelTransaction.rawValue
        else { return nil }
        return data.littleEndian(UInt32.self, at: 2)
    }

    /// The answer to `extendedEventData`.
    package static func extendedEventData(_ event: ResponderEvent) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: event.code.rawValue)
        bytes.append(littleEndian: event.transaction)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: event.parameters.count))
        for parameter in event.parameters {
            bytes.append(littleEndian: UInt16(4))
            bytes.append(littleEndian: parameter)
        }
        return bytes
    }

    /// The answer to `status`.
    package static func status(_ status: USBDeviceStatus) -> [UInt8] {
        var (code, halted): (ResponseCode, [UInt8]) = (.ok, [])
        switch status {
        case .ready: break
        case .busy: code = .deviceBusy
        case .halted(let endpoints): (code, halted) = (.transactionCancelled, endpoints)
        }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: 4 + 4 * halted.count))
        bytes.append(littleEndian: code.rawValue)
        for address in halted { bytes.append(littleEndian: UInt32(address)) }
        return bytes
    }
}

/// The state of a camera that a host can query (USB Still Image Capture Device Definition 1.0, section 5.2.4).
package enum USBDeviceStatus: Hashable, Sendable {
    /// The camera waits for an operation, or carries one out.
    case ready
    /// The camera has not finished canceling a transaction.
    case busy
    /// These endpoints, named by their addresses, are halted until the host clears them.
    case halted([UInt8])
}

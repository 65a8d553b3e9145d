import Platform

/// The kernel's events about our interface, read from `ep0` (kernel: `struct usb_functionfs_event`).
package enum FunctionFSEvent: Hashable, Sendable {
    /// The gadget was bound to a controller.
    case bound
    /// The gadget lost its controller.
    case unbound
    /// A host has configured the device: the endpoints work.
    case enabled
    /// The host has gone or has reset the device: the endpoints have stopped working.
    case disabled
    /// The host sends a request on the control pipe, and waits for the answer.
    case setup(USBSetupPacket)
    /// The bus sleeps: the host has gone to sleep, or on some controllers the cable was pulled.
    case suspended
    /// The bus is awake again.
    case resumed

    /// Bytes of one event.
    package static let byteCount = 12

    /// Reads one event; nil for one that is cut short or of a kind this version does not know.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        switch bytes[8] {
        case 0: self = .bound
        case 1: self = .unbound
        case 2: self = .enabled
        case 3: self = .disabled
        case 4:
            guard let packet = USBSetupPacket(bytes) else { return nil }
            self = .setup(packet)
        case 5: self = .suspended
        case 6: self = .resumed
        default: return nil
        }
    }
}

/// The eight bytes that begin a control transfer (USB 2.0, section 9.3).
package struct USBSetupPacket: Hashable, Sendable {
    /// Direction, type and recipient.
    package var requestType: UInt8
    /// The number of the request.
    package var request: UInt8
    /// A value of the request.
    package var value: UInt16
    /// Here the number of the interface.
    package var index: UInt16
    /// Bytes of the data phase; of one to the host the most that it takes.
    package var length: UInt16

    /// A setup packet (USB 2.0, section 9.3); the length is that of its data phase in bytes.
    package init(requestType: UInt8, request: UInt8, value: UInt16 = 0, index: UInt16 = 0, length: UInt16 = 0) {
        (self.requestType, self.request) = (requestType, request)
        (self.value, self.index, self.length) = (value, index, length)
    }

    /// Reads a packet; nil when it is cut short.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard
            bytes.count >= 8, let value = bytes.littleEndian(UInt16.self, at: 2),
            let index = bytes.littleEndian(UInt16.self, at: 4), let length = bytes.littleEndian(UInt16.self, at: 6)
        else { return nil }
        self.init(requestType: bytes[0], request: bytes[1], value: value, index: index, length: length)
    }

    /// True when the data phase, if any, goes to the host.
    package var isToHost: Bool { requestType & 0x80 != 0 }
}

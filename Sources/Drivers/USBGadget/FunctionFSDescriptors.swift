import Platform

/// The descriptors of our interface, which FunctionFS reads first: its class and its endpoints at every speed (kernel:
/// `linux/usb/functionfs.h`).
///
/// It has a bulk pipe in each direction, and one for events if there are any. A change of them must raise
/// `GadgetDescription.release`, because some hosts remember a device by that number.
package struct FunctionFSDescriptors: Hashable, Sendable {
    /// The endpoints in the order of their files.
    enum Endpoint: Int, CaseIterable {
        /// Bulk transfers to the host: IN, as USB calls it.
        case bulkIn = 1
        /// Bulk transfers from the host: OUT, as USB calls it.
        case bulkOut = 2
        /// Events to the host.
        case interrupt = 3

        /// The requested address; the kernel may choose another.
        var address: UInt8 { self == .bulkOut ? 0x02 : 0x80 | UInt8(rawValue) }
    }

    /// What an interface is (USB 2.0, section 9.6.5).
    package struct Class: Hashable, Sendable {
        /// `bInterfaceClass`, such as 6 for a still image device or 8 for mass storage.
        package var code: UInt8
        /// `bInterfaceSubClass`, whose meaning depends on the class.
        package var subclass: UInt8
        /// `bInterfaceProtocol`, whose meaning depends on the class and subclass.
        package var protocolCode: UInt8

        /// The class of an interface, with its subclass and protocol.
        package init(code: UInt8, subclass: UInt8, protocolCode: UInt8) {
            (self.code, self.subclass, self.protocolCode) = (code, subclass, protocolCode)
        }
    }

    /// What the interface is.
    package var interfaceClass: Class
    /// Its name in English.
    package var name: String
    /// Bytes of the largest event; nil when there are no events.
    package var interruptPacketSize: UInt16?
    /// Microsoft's extended compatible identifier, at most eight letters; nil for none.
    package var compatibleIdentifier: String?

    /// Descriptors of an interface.
    package init(
        interfaceClass: Class, name: String, interruptPacketSize: UInt16? = nil, compatibleIdentifier: String? = nil
    ) {
        (self.interfaceClass, self.name) = (interfaceClass, name)
        (self.interruptPacketSize, self.compatibleIdentifier) = (interruptPacketSize, compatibleIdentifier)
    }

    /// The first write to `ep0`: descriptors, and the Microsoft OS descriptor if there is one.
    package var descriptors: [UInt8] {
        let full = interface + endpoints(bulkPacketSize: 64, interruptInterval: 16)
        // Of a high-speed endpoint the interval is a power of two of 125 µs: 16 ms.
        let high = interface + endpoints(bulkPacketSize: 512, interruptInterval: 8)
        let superSpeed = interface + endpoints(bulkPacketSize: 1024, interruptInterval: 8, isSuperSpeed: true)
        let identifier = compatibleIdentifier.map { Self.microsoft($0) }
        let count = UInt32(endpoints.count)
        var body: [UInt8] = []
        // Full, high and super speed, and Microsoft OS descriptors.
        body.append(littleEndian: UInt32(1 | 2 | 4 | (identifier == nil ? 0 : 8)))
        for count in [1 + count, 1 + count, 1 + 2 * count] { body.append(littleEndian: count) }
        if identifier != nil { body.append(littleEndian: UInt32(1)) }
        body += full + high + superSpeed + (identifier ?? [])
        return Self.framed(magic: 3, body)
    }

    /// The second write to `ep0`: the interface's name in English.
    package var strings: [UInt8] {
        var body: [UInt8] = []
        for count in [UInt32(1), 1] { body.append(littleEndian: count) }
        body.append(littleEndian: UInt16(0x0409))
        body += Array(name.utf8) + [0]
        return Self.framed(magic: 2, body)
    }

    private var endpoints: [Endpoint] { Endpoint.allCases.filter { $0 != .interrupt || interruptPacketSize != nil } }

    private var interface: [UInt8] {
        [
            9, 4, 0, 0, UInt8(endpoints.count), interfaceClass.code, interfaceClass.subclass,
            interfaceClass.protocolCode, 1,
        ]
    }

    private func endpoints(
        bulkPacketSize: UInt16, interruptInterval: UInt8, isSuperSpeed: Bool = false
    ) -> [UInt8] {
        let interruptPacketSize = interruptPacketSize ?? 0
        return endpoints.flatMap { endpoint -> [UInt8] in
            let isBulk = endpoint != .interrupt
            var bytes: [UInt8] = [7, 5, endpoint.address, isBulk ? 2 : 3]
            bytes.append(littleEndian: isBulk ? bulkPacketSize : interruptPacketSize)
            bytes.append(isBulk ? 0 : interruptInterval)
            if isSuperSpeed {
                // The companion: no bursts; what an interrupt endpoint moves in an interval (USB 3.2, section 9.6.7).
                bytes += [6, 0x30, 0, 0]
                bytes.append(littleEndian: isBulk ? 0 : interruptPacketSize)
            }
            return bytes
        }
    }

    /// Microsoft's extended compatible identifier, without a sub-identifier.
    private static func microsoft(_ identifier: String) -> [UInt8] {
        let letters = Array(identifier.utf8.prefix(8))
        let function = [0, 1] + letters + [UInt8](repeating: 0, count: 8 - letters.count + 8 + 6)
        var bytes: [UInt8] = [0]
        bytes.append(littleEndian: UInt32(11 + function.count))
        // Version 1.00, index 4: compatible identifiers; one function.
        bytes.append(littleEndian: UInt16(0x0100))
        bytes.append(littleEndian: UInt16(4))
        return bytes + [1, 0] + function
    }

    private static func framed(magic: UInt32, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(8 + body.count))
        return bytes + body
    }
}

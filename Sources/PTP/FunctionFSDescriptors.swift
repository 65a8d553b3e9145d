/// What FunctionFS is told of our interface before anything else: one interface of the class still image with three
/// endpoints, at every speed (kernel: `linux/usb/functionfs.h`; USB Still Image Capture Device Definition 1.0,
/// section 4).
///
/// Whoever changes a descriptor raises `GadgetDescription.release`: some hosts remember a device by that number.
package enum FunctionFSDescriptors {
    /// The endpoints in the order of their files.
    package enum Endpoint: Int, CaseIterable, Sendable {
        /// Data and responses to the initiator.
        case bulkIn = 1
        /// Operations and data from the initiator.
        case bulkOut = 2
        /// Events to the initiator.
        case interrupt = 3

        /// The address that is asked for; the kernel may choose another.
        var address: UInt8 { self == .bulkOut ? 0x02 : 0x80 | UInt8(rawValue) }
    }

    /// Bytes of an interrupt packet: an event with three parameters has 24.
    static let interruptPacketSize: UInt16 = 28
    /// The name of the interface. libmtp looks for these letters.
    static let interfaceName = "MTP"

    /// The first write to `ep0`: descriptors and the Microsoft OS descriptor that says MTP.
    package static var descriptors: [UInt8] {
        let full = interface + endpoints(bulkPacketSize: 64, interruptInterval: 16)
        // Of a high-speed endpoint the interval is a power of two of 125 µs: 16 ms.
        let high = interface + endpoints(bulkPacketSize: 512, interruptInterval: 8)
        let superSpeed = interface + endpoints(bulkPacketSize: 1024, interruptInterval: 8, isSuperSpeed: true)
        var body: [UInt8] = []
        // Full, high and super speed, and Microsoft OS descriptors.
        body.append(littleEndian: UInt32(1 | 2 | 4 | 8))
        for count in [UInt32(4), 4, 7, 1] { body.append(littleEndian: count) }
        body += full + high + superSpeed + compatibleIdentifier
        return framed(magic: 3, body)
    }

    /// The second write to `ep0`: the interface's name in English.
    package static var strings: [UInt8] {
        var body: [UInt8] = []
        for count in [UInt32(1), 1] { body.append(littleEndian: count) }
        body.append(littleEndian: UInt16(0x0409))
        body += Array(interfaceName.utf8) + [0]
        return framed(magic: 2, body)
    }

    /// Class still image, subclass still image capture, protocol PIMA 15740 (section 4.2).
    private static let interface: [UInt8] = [9, 4, 0, 0, 3, 6, 1, 1, 1]

    private static func endpoints(
        bulkPacketSize: UInt16, interruptInterval: UInt8, isSuperSpeed: Bool = false
    ) -> [UInt8] {
        Endpoint.allCases.flatMap { endpoint -> [UInt8] in
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

    /// Microsoft's extended compatible identifier: "MTP", without a sub-identifier.
    private static var compatibleIdentifier: [UInt8] {
        let function = [0, 1] + Array("MTP".utf8) + [UInt8](repeating: 0, count: 5 + 8 + 6)
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

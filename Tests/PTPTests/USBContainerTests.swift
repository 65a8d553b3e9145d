import PTP
import PinholeTesting
import Testing

@Suite("containers of the USB transport") struct USBContainerTests {
    func read(_ packet: [UInt8]) -> USBFirstPacket {
        packet.withUnsafeBytes { USBFirstPacket($0) }
    }

    @Test("an operation is a header and its parameters in little-endian order")
    func operation() {
        let request = OperationRequest(.getObjectHandles, transaction: 0x0102_0304, parameters: [0xffff_ffff, 0, 7])
        let bytes: [UInt8] = [
            24, 0, 0, 0, 1, 0, 0x07, 0x10, 4, 3, 2, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 7, 0, 0, 0,
        ]
        #expect(USBContainer.bytes(request) == bytes)
        #expect(read(bytes) == .operation(request))
    }

    @Test("an operation without parameters is a header alone")
    func shortest() {
        #expect(
            read([12, 0, 0, 0, 1, 0, 0x01, 0x10, 0, 0, 0, 0])
                == .operation(OperationRequest(.getDeviceInfo, transaction: 0)))
    }

    @Test("a response and an event are headers with parameters")
    func answers() {
        #expect(
            USBContainer.bytes(OperationResponse(.ok, [2]), transaction: 9)
                == [16, 0, 0, 0, 3, 0, 0x01, 0x20, 9, 0, 0, 0, 2, 0, 0, 0])
        #expect(
            USBContainer.bytes(ResponderEvent(.objectAdded, [0x1234])) == [
                16, 0, 0, 0, 4, 0, 0x02, 0x40, 0xff, 0xff, 0xff, 0xff, 0x34, 0x12, 0, 0,
            ])
    }

    @Test("the length of a data phase includes its header")
    func dataHeader() {
        let request = OperationRequest(.getObject, transaction: 5, parameters: [1])
        #expect(
            USBContainer.dataHeader(for: request, byteCount: 500) == [0, 2, 0, 0, 2, 0, 0x09, 0x10, 5, 0, 0, 0])
    }

    @Test("a length over 32 bits is sent as all ones")
    func longDataHeader() {
        let request = OperationRequest(.getObject, transaction: 5)
        let cases: [(UInt64, [UInt8])] = [
            (0xffff_fff2, [0xfe, 0xff, 0xff, 0xff]), (0xffff_fff3, [0xff, 0xff, 0xff, 0xff]),
            (0x1_0000_0000, [0xff, 0xff, 0xff, 0xff]), (.max, [0xff, 0xff, 0xff, 0xff]),
        ]
        for (count, length) in cases {
            #expect(Array(USBContainer.dataHeader(for: request, byteCount: count).prefix(4)) == length)
        }
    }

    @Test("an empty packet follows a container that ends with a full packet")
    func emptyPacket() {
        let cases: [(UInt64, Int, Bool)] = [
            (12, 512, false), (511, 512, false), (512, 512, true), (513, 512, false), (1024, 512, true), (64, 64, true),
            (0x1_0000_0000, 1024, true), (0x1_0000_0001, 1024, false), (512, 0, false),
        ]
        for (count, size, isNeeded) in cases {
            #expect(USBContainer.needsEmptyPacket(after: count, packetSize: size) == isNeeded, "\(count) of \(size)")
        }
    }

    @Test("a data phase is recognized by its header, whatever follows")
    func data() {
        let packet: [UInt8] = [0x0d, 0, 0, 0, 2, 0, 0x0d, 0x10, 6, 0, 0, 0, 0xaa]
        #expect(read(packet) == .data(code: OperationCode.sendObject.rawValue, transaction: 6, length: 13))
    }

    @Test("an operation with a wrong length, half a parameter or six parameters can still be answered")
    func malformedOperations() {
        let request = OperationRequest(.openSession, transaction: 3)
        let header: [UInt8] = [1, 0, 0x02, 0x10, 3, 0, 0, 0]
        let packets: [[UInt8]] = [
            [0, 0, 0, 0] + header, [11, 0, 0, 0] + header, [13, 0, 0, 0] + header, [0xff, 0xff, 0xff, 0xff] + header,
            [14, 0, 0, 0] + header + [1, 2], [36, 0, 0, 0] + header + [UInt8](repeating: 0, count: 24),
            [12, 0, 0, 0] + header + [0, 0, 0, 0],
        ]
        for packet in packets { #expect(read(packet) == .malformedOperation(request), "\(packet)") }
    }

    @Test("an empty packet, a cut header and the containers of a responder are not operations")
    func invalid() {
        #expect(read([]) == .empty)
        let packets: [[UInt8]] = [
            [12], [12, 0, 0, 0, 1, 0, 0x01, 0x10, 0, 0, 0], [12, 0, 0, 0, 3, 0, 0x01, 0x20, 0, 0, 0, 0],
            [12, 0, 0, 0, 4, 0, 0x02, 0x40, 0, 0, 0, 0], [12, 0, 0, 0, 0, 0, 0x01, 0x10, 0, 0, 0, 0],
            [12, 0, 0, 0, 1, 1, 0x01, 0x10, 0, 0, 0, 0], [11, 0, 0, 0, 2, 0, 0x0d, 0x10, 0, 0, 0, 0],
            [UInt8](repeating: 0xff, count: 512),
        ]
        for packet in packets { #expect(read(packet) == .invalid, "\(packet)") }
    }
}
